// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/analysis/models/scaling_laws.h"
#include "orchestrator/analysis/breakdown/breakdown.h"
#include "orchestrator/base/numbers.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace kneepoint {

namespace {

constexpr double kLargest = 9007199254740992.0;  // 2^53: above it integers are no longer exact

Result<void> require_law(const ScalingLaw& law) {
  TRY(require_share(law.serial, "the serial fraction"));
  TRY(require_at_least(law.log_coefficient, 0, "the log2 K coefficient"));
  return require_at_least(law.linear, 0, "the K-1 coefficient");
}

double communication(const ScalingLaw& law, double k) {
  return law.log_coefficient * std::log2(k) + law.linear * (k - 1);
}

double strong_time(const ScalingLaw& law, double k) {
  return law.serial + (1 - law.serial) / k + communication(law, k);
}

// T falls before its one minimum and rises after it, so the best of a grid is next to it.
double better(const ScalingLaw& law, double low, double high) {
  return strong_time(law, high) < strong_time(law, low) ? high : low;
}

}  // namespace

Result<StrongPoint> strong_point(const ScalingLaw& law, double k) {
  TRY(require_law(law));
  TRY(require_workers(k));
  StrongPoint p;
  p.serial = law.serial;
  p.parallel = (1 - law.serial) / k;
  p.communication = communication(law, k);
  p.time = strong_time(law, k);
  p.speedup = 1 / p.time;
  p.efficiency = p.speedup / k;
  // 1/S is T itself, so the parallel part cancels: no digits are lost where S comes near to K.
  if (k > 1) p.karp_flatt = law.serial + p.communication / (1 - 1 / k);
  if (law.serial > 0) p.ceiling_reached = p.speedup * law.serial;
  return p;
}

Result<WeakPoint> weak_point(const ScalingLaw& law, double k, SerialPart serial) {
  TRY(require_law(law));
  TRY(require_workers(k));
  WeakPoint p;
  const double work = serial == SerialPart::grows ? law.serial * k + (1 - law.serial) : 1.0;
  p.time = work + communication(law, k);
  p.efficiency = 1 / p.time;
  p.throughput_speedup = k / p.time;
  p.scaled_speedup = (law.serial + (1 - law.serial) * k) / p.time;
  return p;
}

Result<double> scaled_speedup(double serial, double k, double time) {
  TRY(require_share(serial, "the serial fraction"));
  TRY(require_workers(k));
  TRY(require_positive(time, "the time"));
  return (serial + (1 - serial) * k) / time;
}

Result<std::optional<Ceiling>> amdahl_ceiling(double serial) {
  TRY(require_share(serial, "the serial fraction"));
  if (serial == 0) return std::optional<Ceiling>();
  return std::optional(Ceiling{.speedup = 1 / serial, .k_half = (1 - serial) / serial});
}

Result<std::optional<double>> largest_serial_fraction(double k, double e, double log_coefficient,
                                                      double linear) {
  TRY(require_workers(k));
  TRY(require_inner_share(e, "the efficiency"));
  const ScalingLaw law{0, log_coefficient, linear};
  TRY(require_law(law));
  // 1/E = K·T = 1 + s(K-1) + K·communication.
  const double room = 1 / e - 1 - k * communication(law, k);
  if (room < 0) return std::optional<double>();
  if (room >= k - 1) return std::optional(1.0);
  return std::optional(room / (k - 1));
}

Result<std::optional<Optimum>> fastest_k(const ScalingLaw& law) {
  TRY(require_law(law));
  // dT/dK = 0: d·K² + (c/ln 2)·K - (1-s) = 0. This form of its root has no cancellation.
  const double b = law.log_coefficient / std::numbers::ln2, parallel = 1 - law.serial;
  if (parallel == 0) return std::optional(Optimum{});
  const double divisor = b + std::sqrt(b * b + 4 * law.linear * parallel);
  if (divisor == 0 || 2 * parallel / divisor > kLargest) return std::optional<Optimum>();
  Optimum best;
  best.k = std::max(1.0, 2 * parallel / divisor);
  best.k_integer = static_cast<std::int64_t>(better(law, std::floor(best.k), std::ceil(best.k)));
  const double below = std::exp2(std::floor(std::log2(best.k)));
  best.k_power_of_two = static_cast<std::int64_t>(better(law, below, 2 * below));
  return std::optional(best);
}

double serial_share(double inverse_speedup, double ratio, double k0) {
  const double relative = (inverse_speedup - 1 / ratio) / (1 - 1 / ratio);
  return relative / (relative + k0 * (1 - relative));
}

namespace {

constexpr double kSlack = 1e-12;  // equality cases are exact: s = 0.05, K = 21, e = 0.5

Result<void> require_request(const IsoRequest& r) {
  TRY(require_at_least(r.serial, 0, "the serial part"));
  TRY(require_at_least(r.communication, 0, "the communication coefficient"));
  TRY(require_inner_share(r.efficiency, "the efficiency to hold"));
  return require_workers(r.k);
}

double communication(const IsoRequest& r) {
  return r.communication * (r.growth == Growth::linear ? r.k - 1 : std::log2(r.k));
}

IsoAnswer needs(double work, double k) {
  if (work <= 0) return {};
  return {.status = IsoStatus::grows, .work = work, .per_worker = work / k};
}

}  // namespace

const char* to_string(Growth growth) {
  return growth == Growth::linear ? "linear" : "logarithmic";
}

const char* to_string(IsoStatus status) {
  if (status == IsoStatus::grows) return "grows";
  return status == IsoStatus::already_met ? "any" : "unattainable";
}

Result<IsoAnswer> isoefficiency_replicated(const IsoRequest& r) {
  TRY(require_request(r));
  const double e = r.efficiency;
  const double per_worker = e * communication(r) / (1 - e) - r.serial;
  return needs(per_worker * r.k, r.k);
}

Result<IsoAnswer> isoefficiency_fixed_serial(const IsoRequest& r) {
  TRY(require_request(r));
  const double e = r.efficiency;
  return needs((e * r.k * (r.serial + communication(r)) - r.serial) / (1 - e), r.k);
}

Result<IsoAnswer> isoefficiency_proportional(const IsoRequest& r) {
  TRY(require_request(r));
  TRY(require_share(r.serial, "the serial fraction"));
  // 1/e = 1 + s(K-1) + K·comm/W: whatever W, the serial part alone must leave room.
  const double allowed = 1 / r.efficiency - 1, used = r.serial * (r.k - 1);
  const double overhead = r.k * communication(r);
  if (overhead == 0 && used <= allowed * (1 + kSlack)) return IsoAnswer{};
  if (used >= allowed * (1 - kSlack)) return IsoAnswer{.status = IsoStatus::unattainable};
  return needs(overhead / (allowed - used), r.k);
}

Result<BatchCost> batch_cost(double batch, double critical_batch) {
  TRY(require_positive(batch, "the batch"));
  TRY(require_positive(critical_batch, "the critical batch"));
  const double data = 1 + batch / critical_batch;
  return BatchCost{.steps = 1 + critical_batch / batch, .data = data, .efficiency = 1 / data};
}

Result<ReplicaCap> replica_cap(double critical_batch, double micro, double accumulation,
                               double sequence) {
  TRY(require_positive(critical_batch, "the critical batch"));
  TRY(require_at_least(micro, 1, "the micro batch"));
  TRY(require_at_least(accumulation, 1, "the number of accumulation steps"));
  TRY(require_at_least(sequence, 1, "the sequence length"));
  ReplicaCap cap;
  cap.batch_of_one = micro * accumulation * sequence;
  const double replicas = std::floor(critical_batch / cap.batch_of_one);
  if (replicas > 1e15) return refusal("the critical batch is not a plausible number");
  cap.replicas = static_cast<std::int64_t>(replicas);
  return cap;
}

Result<ParallelPlan> plan_parallelism(std::int64_t gpus, const ReplicaCap& cap,
                                      double model_split_comm_ratio) {
  TRY(require_workers(static_cast<double>(gpus), "the number of GPUs"));
  TRY_ASSIGN(const double split_efficiency, efficiency_of_comm_ratio(model_split_comm_ratio));
  if (cap.replicas < 0) return refusal("the cap on replicas is below 0");
  ParallelPlan plan;
  const std::int64_t most = cap.replicas > 0 ? cap.replicas : 1;
  plan.model_ways = (gpus + most - 1) / most;
  plan.replicas = gpus / plan.model_ways;
  plan.idle = gpus - plan.replicas * plan.model_ways;
  const std::string count = number_text(static_cast<double>(most));
  if (cap.replicas == 0)
    plan.sentence = "one replica's batch is already above the critical batch; ";
  if (plan.model_ways == 1) {
    plan.sentence +=
        "data parallelism carries all GPUs: the critical batch allows " + count + " replicas";
    return plan;
  }
  plan.efficiency = split_efficiency;
  plan.sentence += "beyond " + count +
                   " replicas more data parallelism buys no result: splitting " + "the model " +
                   number_text(static_cast<double>(plan.model_ways)) +
                   " ways is the only road, at an efficiency of " + number_text(plan.efficiency);
  return plan;
}

Result<double> training_flops(double parameters, double tokens) {
  TRY(require_positive(parameters, "the number of parameters"));
  TRY(require_positive(tokens, "the number of tokens"));
  return 6 * parameters * tokens;
}

Result<double> model_flops_utilisation(double flops, double seconds, double k,
                                       double peak_flops_per_worker) {
  TRY(require_positive(flops, "the number of flops"));
  TRY(require_positive(seconds, "the time"));
  TRY(require_workers(k));
  TRY(require_positive(peak_flops_per_worker, "the peak"));
  const double mfu = flops / seconds / k / peak_flops_per_worker;
  if (mfu > 1) {
    return refusal("the utilisation would be " + number_text(mfu) +
                   ": the flops or the peak are wrong");
  }
  return mfu;
}

Result<double> utilisation_kept(double mfu0, double mfu) {
  TRY(require_share(mfu0, "the utilisation at K0"));
  TRY(require_positive(mfu0, "the utilisation at K0"));
  TRY(require_share(mfu, "the utilisation"));
  return mfu / mfu0;
}

}  // namespace kneepoint
