// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/analysis/models/scaling_laws.h"

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

Result<double> karp_flatt(double speedup, double k) {
  TRY(require_positive(speedup, "the speedup"));
  TRY(require_workers(k));
  if (k == 1) return refusal("Karp-Flatt has no value at K=1: nothing was made parallel");
  return (1 / speedup - 1 / k) / (1 - 1 / k);
}

Result<RelativePoint> relative_point(double k0, double time0, double k, double time) {
  TRY(require_workers(k0, "K0"));
  TRY(require_positive(time0, "T(K0)"));
  TRY(require_workers(k));
  TRY(require_positive(time, "T(K)"));
  if (k <= k0) return refusal("K must be above the baseline K0");
  RelativePoint p;
  p.speedup = time0 / time;
  p.efficiency = k0 * time0 / (k * time);
  p.karp_flatt = (1 / p.speedup - k0 / k) / (1 - k0 / k);
  const double divisor = p.karp_flatt + k0 * (1 - p.karp_flatt);
  if (divisor <= 0)
    return refusal("T(K) is so far above T(K0) that no serial fraction explains it");
  p.serial = p.karp_flatt / divisor;
  return p;
}

Result<double> efficiency_of_speedup(double speedup, double k) {
  TRY(require_positive(speedup, "the speedup"));
  TRY(require_workers(k));
  return speedup / k;
}

Result<double> local_efficiency(double k_i, double time_i, double k_j, double time_j) {
  TRY(require_workers(k_i));
  TRY(require_workers(k_j));
  TRY(require_positive(time_i, "T"));
  TRY(require_positive(time_j, "T"));
  if (k_j <= k_i) return refusal("local efficiency goes from one K to a larger one");
  return k_i * time_i / (k_j * time_j);
}

Result<ResultsPoint> results_point(double k0, double results0, double time0, double k,
                                   double results, double time) {
  TRY(require_workers(k0, "K0"));
  TRY(require_workers(k));
  TRY(require_positive(results0, "the number of results at K0"));
  TRY(require_positive(results, "the number of results"));
  TRY(require_positive(time0, "T(K0)"));
  TRY(require_positive(time, "T(K)"));
  const double speedup = (results / time) / (results0 / time0);
  return ResultsPoint{.speedup = speedup, .efficiency = speedup * k0 / k};
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

}  // namespace kneepoint
