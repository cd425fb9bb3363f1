// SPDX-License-Identifier: Apache-2.0
//
// The search behind size_partitions; only cost/ includes this. cut_search.cc has what is exact (a
// partition for each workload) and the answer, shared_search.cc the partitions that are shared.
#pragma once

#include <limits>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "orchestrator/base/random.h"
#include "orchestrator/cost/sizing.h"

namespace kneepoint {

constexpr double kNever = std::numeric_limits<double>::infinity();
constexpr double kSame = 1 + 1e-9;

// ---- What a partition does for the workloads in it, by simulation, each question asked once. A
// class has the same arrivals in every partition, so that two cuts differ by the cut alone.

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

// ---- The search

using CutGroups = std::vector<std::vector<int>>;

// Smaller is better, from the first on.
struct CutScore {
  double over = 0;  // nodes too many
  double cost = 0;  // units an hour
  double nodes = 0;

  bool operator<(const CutScore& other) const {
    if (over != other.over) return over < other.over;
    if (cost * kSame < other.cost || other.cost * kSame < cost) return cost < other.cost;
    return nodes < other.nodes;
  }
};

struct CutState {
  CutGroups groups;
  std::vector<int> options;
  CutScore score;
};

class CutSearch {
 public:
  CutSearch(const SizingMix& mix, const SizingOptions& options);

  SizingAnswer answer();

 private:
  const SizingWorkload& at(int w) const { return mix_.workloads[w]; }
  int count() const { return static_cast<int>(mix_.workloads.size()); }
  int count_options(int w) const { return static_cast<int>(at(w).options.size()); }
  bool spent() const { return judge_.simulated_jobs() - before_ > options_.most_simulated_jobs; }

  void use_idle_nodes(SizingAnswer& answer) const;
  bool usable(int w, int option, int most) const;
  double cost_of(int w, int option, int nodes) const;
  double least_busy() const;
  double bound() const;
  std::string impossible() const;
  std::optional<CutState> alone(int most);
  std::optional<int> fewest_nodes(int most);
  CutScore score_of(const CutGroups& groups, const std::vector<int>& options);
  std::optional<CutState> every_way(const std::optional<CutState>& best);
  CutState step_by_step(CutState from);
  std::optional<CutState> from_several_starts(const std::optional<CutState>& best);
  CutState start() const;
  CutState random_start(Random& random) const;
  double ways() const;

  const SizingMix& mix_;
  const SizingOptions& options_;
  CutJudge judge_;
  std::vector<std::vector<double>> shares_;  // in time without any wait, by workload and option
  long before_ = 0;                          // simulated when sharing began
};

}  // namespace kneepoint
