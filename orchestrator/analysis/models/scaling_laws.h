// SPDX-License-Identifier: Apache-2.0
//
// Closed forms of the scaling laws, with T(1) = 1. Amdahl, Amdahl with a logarithm and the
// Universal Scalability Law are one law with different coefficients set.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "orchestrator/analysis/statistics/require.h"
#include "orchestrator/base/fields.h"

namespace kneepoint {

// strong: T(K) = s + (1-s)/K + c·log2 K + d·(K-1). Amdahl: c = d = 0. USL: alpha = s, beta = d.
struct ScalingLaw {
  double serial = 0;           // s, in 0..1
  double log_coefficient = 0;  // c >= 0
  double linear = 0;           // d >= 0
};

struct StrongPoint {
  double time = 0, speedup = 0, efficiency = 0;
  double serial = 0, parallel = 0, communication = 0;  // the parts of `time`
  std::optional<double> karp_flatt;                    // none at K = 1
  std::optional<double> ceiling_reached;               // S · s; none when s = 0
};
Result<StrongPoint> strong_point(const ScalingLaw& law, double k);

enum class SerialPart { fixed, grows };  // with the problem: s stays s, or becomes s·K

struct WeakPoint {
  double time = 0, efficiency = 0;
  double throughput_speedup = 0;  // K · E: results per second relative to one worker
  double scaled_speedup = 0;      // Gustafson: (s + (1-s)K) / T, serial work counted once
};
Result<WeakPoint> weak_point(const ScalingLaw& law, double k, SerialPart serial);

// Gustafson's scaled speedup with T(1) = 1; `time` is the weak T(K).
Result<double> scaled_speedup(double serial, double k, double time = 1);

// Amdahl's ceiling 1/s and the K at which half of it is reached; none when s = 0.
struct Ceiling {
  double speedup = 0, k_half = 0;
};
Result<std::optional<Ceiling>> amdahl_ceiling(double serial);

// The largest s with E(K) >= e beside the given communication; none: even s = 0 does not do.
Result<std::optional<double>> largest_serial_fraction(double k, double e,
                                                      double log_coefficient = 0,
                                                      double linear = 0);

// Where T is smallest. Past 2^53, or when T falls for ever: none.
struct Optimum {
  double k = 1;  // continuous, at least 1
  std::int64_t k_integer = 1, k_power_of_two = 1;
  KP_DESCRIBED(Optimum, k, k_integer, k_power_of_two);
};
Result<std::optional<Optimum>> fastest_k(const ScalingLaw& law);

// Amdahl's serial share of one worker by a speedup of 1/`inverse_speedup` over `ratio` = K/K0 > 1
// times the workers: Karp-Flatt relative to K0, brought to K = 1.
double serial_share(double inverse_speedup, double ratio, double k0);

// ---- How must the problem grow to hold efficiency at e? Three forms that differ in what counts as
// useful; times are in units of the caller, communication costs c·log2 K or c·(K-1).

enum class Growth { logarithmic, linear };
const char* to_string(Growth growth);

struct IsoRequest {
  double serial = 0;         // seconds of it, or its fraction of the work: see each form
  double communication = 0;  // c >= 0
  double efficiency = 0.8;   // e, above 0 and below 1
  double k = 1;
  Growth growth = Growth::logarithmic;
};

enum class IsoStatus { grows, already_met, unattainable };
const char* to_string(IsoStatus status);

struct IsoAnswer {
  IsoStatus status = IsoStatus::already_met;
  double work = 0;        // total, in seconds of one worker; 0 unless status is `grows`
  double per_worker = 0;  // work / K
  static constexpr auto fields() {
    using T = IsoAnswer;
    return described(field("status", &T::status), field_or_null("work", &T::work),
                     field_or_null("per_worker", &T::per_worker));
  }
};

// Serial part done by every worker and counted as useful: T = s + w + comm, E = (s + w) / T.
Result<IsoAnswer> isoefficiency_replicated(const IsoRequest& request);
// Serial part of fixed size done once: T = s + W/K + comm, E = (s + W) / (K·T). W is the parallel
// work.
Result<IsoAnswer> isoefficiency_fixed_serial(const IsoRequest& request);
// Serial part a fraction s of all work W: T = sW + (1-s)W/K + comm, E = W / (K·T).
Result<IsoAnswer> isoefficiency_proportional(const IsoRequest& request);

// ---- Data-parallel training: what a larger batch buys, how far replicas may go, and how much of
// the machine's peak the model's arithmetic uses. Throughput is not time to a result.

// (steps/fewest - 1)(data/least - 1) = 1, with B and B_crit in the same unit.
struct BatchCost {
  double steps = 0;       // over the fewest possible: 1 + B_crit/B
  double data = 0;        // over the least possible: 1 + B/B_crit
  double efficiency = 0;  // least data / data: one half at B = B_crit
};
Result<BatchCost> batch_cost(double batch, double critical_batch);

// How many replicas keep the global batch within B_crit (in tokens; sequence = 1 for samples).
struct ReplicaCap {
  std::int64_t replicas = 0;  // 0: one replica's batch is already above B_crit
  double batch_of_one = 0;    // micro · accumulation · sequence
};
Result<ReplicaCap> replica_cap(double critical_batch, double micro, double accumulation,
                               double sequence);

// With `gpus` and that cap: replicas first; beyond the cap only splitting the model is left.
struct ParallelPlan {
  std::int64_t replicas = 1, model_ways = 1;
  std::int64_t idle = 0;  // GPUs that fit neither
  double efficiency = 1;  // of the busy ones: 1 / (1 + comm_ratio) once the model is split
  std::string sentence;
};
Result<ParallelPlan> plan_parallelism(std::int64_t gpus, const ReplicaCap& cap,
                                      double model_split_comm_ratio);

Result<double> training_flops(double parameters, double tokens);  // 6·N·tokens
// flops / (T · K · peak). Above 1 is refused: the flops or the peak are wrong.
Result<double> model_flops_utilisation(double flops, double seconds, double k,
                                       double peak_flops_per_worker);
// MFU(K)/MFU(K0): 0.5 at 256 and 0.3 at 2048 mean each GPU does 0.6 of what it did.
Result<double> utilisation_kept(double mfu0, double mfu);

}  // namespace kneepoint
