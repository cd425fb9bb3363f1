// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/analysis/breakdown/mpi_profile.h"

#include <algorithm>
#include <map>

#include "orchestrator/analysis/statistics/intervals.h"

namespace kneepoint {
namespace {

double of(const RunDetail& run, Nanoseconds RankProfile::*part) {
  double sum = 0;
  for (const RankProfile& rank : run.profile) sum += static_cast<double>(rank.*part);
  return sum;
}

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
  std::vector<double> windows, collective, point_to_point, wait, one_sided, other;
  std::map<std::string, OperationColumn> columns;
  for (const RunDetail* run : runs) {
    const double window = profile_window(*run);
    if (!(window > 0)) continue;
    const auto ranks = static_cast<double>(run->profile.size());
    const double all = window * 1e9 * ranks;
    windows.push_back(window);
    collective.push_back(of(*run, &RankProfile::collective_ns) / all);
    point_to_point.push_back(of(*run, &RankProfile::point_to_point_ns) / all);
    wait.push_back(of(*run, &RankProfile::wait_ns) / all);
    one_sided.push_back(of(*run, &RankProfile::one_sided_ns) / all);
    other.push_back(of(*run, &RankProfile::other_ns) / all);
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
  profile.collective = median(collective);
  profile.point_to_point = median(point_to_point);
  profile.wait = median(wait);
  profile.one_sided = median(one_sided);
  profile.other = median(other);
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
