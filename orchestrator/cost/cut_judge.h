// SPDX-License-Identifier: Apache-2.0
//
// What a partition does for the workloads in it, by simulation, each question asked once. A class
// has the same arrivals in every partition, so that two cuts differ by the cut alone.
#pragma once

#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "orchestrator/cost/sizing.h"

namespace kneepoint {

class CutJudge {
 public:
  explicit CutJudge(const SizingMix& mix) : mix_(mix) {}

  // `options` by workload of the mix; those outside `group` don't matter. Every job fits.
  QueueResult play(const std::vector<int>& group, const std::vector<int>& options, int nodes) const;
  // No queue grows, and of each so many jobs keep their deadline as must.
  bool keeps_up(const std::vector<int>& group, const std::vector<int>& options, int nodes);
  // The fewest nodes that keep up, at most `most`; none: even those don't.
  std::optional<int> nodes_needed(const std::vector<int>& group, const std::vector<int>& options,
                                  int most);
  bool in_time(int workload, const QueueClassResult& result) const;
  // Of the jobs that run at once: nodes that are busy on average.
  double offered(int workload, int option) const;

  long simulated_jobs() const { return simulated_jobs_; }

 private:
  using Key = std::pair<std::vector<int>, int>;  // workload, option, ...; nodes

  int first_guess(const std::vector<int>& group, const std::vector<int>& options, int least,
                  int most) const;

  const SizingMix& mix_;
  std::map<Key, bool> known_;
  std::map<std::vector<int>, std::pair<int, std::optional<int>>> needs_;  // asked up to, answer
  long simulated_jobs_ = 0;
};

}  // namespace kneepoint
