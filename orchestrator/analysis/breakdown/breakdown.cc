// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/analysis/breakdown/breakdown.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "orchestrator/analysis/statistics/intervals.h"
#include "orchestrator/base/numbers.h"

namespace kneepoint {

namespace {

constexpr double kClockSlack = 1e-3;  // of the wall time: clocks of ranks are read one by one
constexpr double kDeviations = 5, kLeastExcess = 0.05;

double seconds(const RankTotal& rank) {
  return static_cast<double>(rank.compute_ns) * 1e-9;
}

// Index of the values that stand out above the rest.
std::vector<bool> stand_out(const std::vector<double>& values) {
  std::vector<bool> out(values.size(), false);
  if (values.size() < 3) return out;
  const double center = median(values);
  std::vector<double> distances;
  for (const double v : values) distances.push_back(std::abs(v - center));
  const double limit =
      center + std::max(kDeviations * 1.4826 * median(distances), kLeastExcess * center);
  for (std::size_t i = 0; i < values.size(); ++i) out[i] = values[i] > limit;
  return out;
}

using ByHost = std::map<std::string, std::vector<std::size_t>>;

ByHost by_host(const std::vector<RankTotal>& ranks) {
  ByHost hosts;
  for (std::size_t i = 0; i < ranks.size(); ++i) hosts[ranks[i].host].push_back(i);
  return hosts;
}

// Does its work per rank explain its time? Only when every rank says what it did.
bool explained_by_work(const std::vector<RankTotal>& ranks, const std::vector<std::size_t>& of) {
  std::vector<double> per_work, mine;
  for (const RankTotal& rank : ranks) {
    if (!(rank.work > 0)) return false;
    per_work.push_back(seconds(rank) / rank.work);
  }
  for (const std::size_t i : of) mine.push_back(per_work[i]);
  return median(mine) <= median(per_work) * (1 + kLeastExcess);
}

Straggler describe(const std::vector<RankTotal>& ranks, const std::vector<std::size_t>& of,
                   bool whole_host, double center) {
  Straggler s;
  s.host = ranks[of.front()].host;
  s.whole_host = whole_host;
  std::vector<double> useful;
  for (const std::size_t i : of) {
    s.ranks.push_back(ranks[i].rank);
    useful.push_back(seconds(ranks[i]));
  }
  s.slower_by = median(useful) / center - 1;
  s.more_work = explained_by_work(ranks, of);
  s.sentence = whole_host ? "host " + s.host : "rank " + std::to_string(s.ranks.front());
  if (!whole_host && s.ranks.size() > 1) s.sentence += " and others";
  if (!whole_host) s.sentence += " on host " + s.host;
  s.sentence += " computes " + number_text(100 * s.slower_by) + "% longer than the median rank";
  if (s.more_work) s.sentence += "; it has that much more work";
  return s;
}

}  // namespace

Result<Breakdown> break_down(const std::vector<RankTotal>& ranks, double wall_seconds) {
  if (ranks.empty()) return refusal("no rank reported its totals");
  TRY(require_positive(wall_seconds, "the wall time"));
  Breakdown b;
  b.ranks = static_cast<int>(ranks.size());
  b.wall = wall_seconds;
  double sum = 0;
  for (const RankTotal& rank : ranks) {
    TRY(require_at_least(seconds(rank), 0, "the useful time of rank " + std::to_string(rank.rank)));
    sum += seconds(rank);
    b.useful_max = std::max(b.useful_max, seconds(rank));
  }
  if (sum == 0) return refusal("no rank reported useful time");
  if (b.useful_max > wall_seconds * (1 + kClockSlack)) {
    return refusal("a rank computed for " + number_text(b.useful_max) +
                   " s within a wall time of " + number_text(wall_seconds) +
                   " s: the totals are not of the timed region");
  }
  b.useful_mean = sum / b.ranks;
  b.load_balance = b.useful_mean / b.useful_max;
  b.communication_efficiency = b.useful_max / b.wall;
  b.parallel_efficiency = b.useful_mean / b.wall;
  b.imbalance_seconds = b.useful_max - b.useful_mean;
  b.communication_seconds = b.wall - b.useful_max;
  double fullest = 0;
  for (const auto& [host, of] : by_host(ranks)) {
    double host_sum = 0;
    for (const std::size_t i : of) host_sum += seconds(ranks[i]);
    fullest = std::max(fullest, host_sum / static_cast<double>(of.size()));
  }
  b.balance_between_hosts = b.useful_mean / fullest;
  b.balance_inside_hosts = fullest / b.useful_max;
  return b;
}

Result<double> computation_scaling(const Breakdown& base, const Breakdown& at, Mode mode) {
  TRY(require_positive(base.useful_mean, "the useful time at K0"));
  TRY(require_positive(at.useful_mean, "the useful time at K"));
  if (mode == Mode::weak) return base.useful_mean / at.useful_mean;
  return base.useful_mean * base.ranks / (at.useful_mean * at.ranks);
}

Result<Accounting> account(const Breakdown& base, const Breakdown& at, Mode mode,
                           double measured_efficiency, double tolerance) {
  TRY(require_positive(measured_efficiency, "the measured efficiency"));
  TRY(require_positive(tolerance, "the tolerance"));
  Accounting a;
  TRY_ASSIGN(a.computation_scaling, computation_scaling(base, at, mode));
  a.global_efficiency = at.parallel_efficiency * a.computation_scaling;
  a.implied_efficiency = a.global_efficiency / base.parallel_efficiency;
  a.measured_efficiency = measured_efficiency;
  a.consistent = std::abs(a.implied_efficiency / measured_efficiency - 1) <= tolerance;
  if (!a.consistent) {
    a.sentence = "the breakdown implies an efficiency of " + number_text(a.implied_efficiency) +
                 ", measured is " + number_text(measured_efficiency) +
                 ": the ranks' totals are not of the timed run or region";
    return a;
  }
  const double loss = std::log(a.implied_efficiency);
  if (loss >= 0) {
    a.sentence = "nothing is lost against the baseline";
    return a;
  }
  a.balance_share = std::log(at.load_balance / base.load_balance) / loss;
  a.communication_share =
      std::log(at.communication_efficiency / base.communication_efficiency) / loss;
  a.computation_share = std::log(a.computation_scaling) / loss;
  const bool communication =
      a.communication_share >= std::max(a.balance_share, a.computation_share);
  const bool balance = !communication && a.balance_share >= a.computation_share;
  const double share = communication ? a.communication_share
                       : balance     ? a.balance_share
                                     : a.computation_share;
  a.sentence = number_text(std::round(100 * share)) + "% of the loss is " +
               (communication ? "communication"
                : balance     ? "load imbalance"
                              : "extra compute time");
  return a;
}

std::vector<Straggler> find_stragglers(const std::vector<RankTotal>& ranks) {
  std::vector<Straggler> found;
  if (ranks.size() < 3) return found;
  std::vector<double> useful;
  for (const RankTotal& rank : ranks) useful.push_back(seconds(rank));
  const double center = median(useful);
  if (!(center > 0)) return found;
  const ByHost hosts = by_host(ranks);
  std::vector<double> host_medians;
  for (const auto& [host, of] : hosts) {
    std::vector<double> mine;
    for (const std::size_t i : of) mine.push_back(useful[i]);
    host_medians.push_back(median(mine));
  }
  const std::vector<bool> host_out = stand_out(host_medians), rank_out = stand_out(useful);
  std::size_t h = 0;
  for (const auto& [host, of] : hosts) {
    if (host_out[h++] && of.size() > 1) {
      found.push_back(describe(ranks, of, true, center));
      continue;
    }
    std::vector<std::size_t> mine;
    for (const std::size_t i : of) {
      if (rank_out[i]) mine.push_back(i);
    }
    if (!mine.empty()) found.push_back(describe(ranks, mine, of.size() == 1, center));
  }
  std::stable_sort(found.begin(), found.end(), [](const Straggler& x, const Straggler& y) {
    return x.slower_by > y.slower_by;
  });
  return found;
}

Result<double> efficiency_of_comm_ratio(double comm_ratio) {
  TRY(require_at_least(comm_ratio, 0, "the ratio of communication to computation"));
  return 1 / (1 + comm_ratio);
}

namespace {

double of(const RunDetail& run, Nanoseconds RankProfile::*part) {
  double sum = 0;
  for (const RankProfile& rank : run.profile) sum += static_cast<double>(rank.*part);
  return sum;
}

// The parts of the window, from a rank's profile to the point's.
constexpr struct {
  Nanoseconds RankProfile::*from;
  double MpiProfile::*to;
} kParts[] = {{&RankProfile::collective_ns, &MpiProfile::collective},
              {&RankProfile::point_to_point_ns, &MpiProfile::point_to_point},
              {&RankProfile::wait_ns, &MpiProfile::wait},
              {&RankProfile::one_sided_ns, &MpiProfile::one_sided},
              {&RankProfile::other_ns, &MpiProfile::other}};

struct OperationColumn {
  std::string kind;
  std::vector<double> calls, bytes, share, share_of_mpi;
};

// A run without the call has none of it.
double median_of(std::vector<double> values, std::size_t runs) {
  values.resize(runs, 0);
  return median(std::move(values));
}

}  // namespace

double profile_window(const RunDetail& run) {
  Nanoseconds longest = 0;
  for (const RankProfile& rank : run.profile) longest = std::max(longest, rank.window_ns);
  return to_seconds(longest);
}

std::optional<MpiProfile> profile_of(const std::vector<const RunDetail*>& runs) {
  MpiProfile profile;
  std::vector<double> windows, shares[std::size(kParts)];
  std::map<std::string, OperationColumn> columns;
  for (const RunDetail* run : runs) {
    const double window = profile_window(*run);
    if (!(window > 0)) continue;
    const auto ranks = static_cast<double>(run->profile.size());
    const double all = window * 1e9 * ranks;
    windows.push_back(window);
    for (std::size_t i = 0; i < std::size(kParts); ++i) {
      shares[i].push_back(of(*run, kParts[i].from) / all);
    }
    double in_mpi = 0;
    for (const OperationTotal& one : run->operations) in_mpi += static_cast<double>(one.time_ns);
    for (const OperationTotal& one : run->operations) {
      OperationColumn& column = columns[one.name];
      const auto time = static_cast<double>(one.time_ns);
      column.kind = one.kind;
      column.calls.push_back(static_cast<double>(one.calls) / ranks);
      column.bytes.push_back(static_cast<double>(one.bytes) / ranks);
      column.share.push_back(time / all);
      column.share_of_mpi.push_back(in_mpi > 0 ? time / in_mpi : 0);
    }
  }
  if (windows.empty()) return std::nullopt;
  const std::size_t count = windows.size();
  profile.runs = static_cast<int>(count);
  profile.window = median(windows);
  for (std::size_t i = 0; i < std::size(kParts); ++i) profile.*kParts[i].to = median(shares[i]);
  for (auto& [name, column] : columns) {
    profile.operations.push_back({name, column.kind, median_of(column.calls, count),
                                  median_of(column.bytes, count), median_of(column.share, count),
                                  median_of(column.share_of_mpi, count)});
  }
  std::stable_sort(
      profile.operations.begin(), profile.operations.end(),
      [](const OperationShare& a, const OperationShare& b) { return a.share > b.share; });
  return profile;
}

}  // namespace kneepoint
