// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/analysis/queueing/use.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include "orchestrator/analysis/statistics/intervals.h"
#include "orchestrator/base/node_list.h"
#include "orchestrator/base/text.h"

namespace kneepoint {
namespace {

struct HeldRun {
  const Point* point = nullptr;
  const RunEvidence* run = nullptr;
};

using Allocations = std::map<std::string, std::vector<HeldRun>>;

bool has_queue(const std::string& backend) {
  return backend != "local" && backend != "import";
}

std::optional<double> wait_of(const std::vector<HeldRun>& steps) {
  return steps.front().run->queue_seconds;  // the store gives all of them the same
}

// Steps from small to large: each must be within the next.
std::optional<bool> is_nested(const std::vector<HeldRun>& steps) {
  std::vector<std::vector<std::string>> sets;
  for (const HeldRun& step : steps) {
    sets.push_back(nodes_of(*step.run));
    if (sets.back().size() != static_cast<std::size_t>(step.point->shape.nodes)) {
      return std::nullopt;
    }
  }
  std::ranges::sort(sets, [](const auto& a, const auto& b) { return a.size() < b.size(); });
  for (std::size_t i = 1; i < sets.size(); ++i) {
    const auto &small = sets[i - 1], &large = sets[i];
    if (!std::includes(large.begin(), large.end(), small.begin(), small.end())) return false;
  }
  return true;
}

// A set of nodes that is not nested is told even if others are not known.
std::optional<bool> all_nested(const Allocations& allocations) {
  std::optional<bool> all = true;
  for (const auto& [name, steps] : allocations) {
    if (steps.size() < 2) continue;
    const std::optional<bool> one = is_nested(steps);
    if (one == false) return false;
    if (!one) all.reset();
  }
  return all;
}

std::vector<QueueWait> waits_by_k(const Allocations& allocations) {
  std::map<std::pair<int, int>, QueueWait> by_k;
  std::map<std::pair<int, int>, std::vector<double>> seconds;
  for (const auto& [name, steps] : allocations) {
    std::set<std::pair<int, int>> seen;
    for (const HeldRun& step : steps) {
      const std::pair key(step.point->k, step.point->shape.nodes);
      ++by_k[key].runs;
      const bool first = seen.insert(key).second;
      if (const auto wait = wait_of(steps); wait && first) seconds[key].push_back(*wait);
    }
  }
  std::vector<QueueWait> waits;
  for (auto& [key, one] : by_k) {
    const std::vector<double>& of = seconds[key];
    if (of.empty()) continue;
    std::tie(one.k, one.nodes) = key;
    one.allocations = static_cast<int>(of.size());
    one.median_seconds = median(of);
    one.largest_seconds = *std::ranges::max_element(of);
    waits.push_back(one);
  }
  return waits;
}

}  // namespace

std::optional<QueueUse> queue_use(const StudyEvidence& evidence) {
  if (!has_queue(evidence.backend)) return std::nullopt;
  Allocations allocations;
  for (const PointEvidence& point : evidence.points) {
    for (const RunEvidence& run : point.runs) {
      if (!run.allocation.empty()) allocations[run.allocation].push_back({&point.point, &run});
    }
  }
  if (allocations.empty()) return std::nullopt;
  QueueUse use;
  std::vector<double> waits;
  for (const auto& [name, steps] : allocations) {
    const int runs = static_cast<int>(steps.size());
    use.runs += runs;
    use.most_runs = std::max(use.most_runs, runs);
    if (const auto wait = wait_of(steps)) waits.push_back(*wait);
  }
  use.allocations = static_cast<int>(allocations.size());
  use.packed = use.most_runs > 1;
  if (use.packed) use.nested = all_nested(allocations);
  use.waits_known = static_cast<int>(waits.size());
  if (!waits.empty()) {
    use.median_wait_seconds = median(waits);
    use.largest_wait_seconds = *std::ranges::max_element(waits);
  }
  use.waits = waits_by_k(allocations);
  return use;
}

std::vector<std::string> nodes_of(const RunEvidence& run) {
  std::vector<std::string> nodes =
      expand_node_list(run.nodes.empty() ? std::string_view(run.hosts) : run.nodes);
  std::erase(nodes, "...");  // a list that was cut
  std::ranges::sort(nodes);
  nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
  return nodes;
}

std::string way_of(const QueueUse& queue) {
  if (!queue.packed) return "one job per run (" + counted(queue.allocations, "job") + ")";
  return "packed: " + counted(queue.runs, "run") + " as steps of " +
         counted(queue.allocations, "allocation") +
         (queue.allocations > 1 ? ", at most " + std::to_string(queue.most_runs) + " in one" : "");
}

std::string held_fixed_by(const QueueUse& queue) {
  if (!queue.packed) return "each run got its own nodes";
  const std::string allocations = counted(queue.allocations, "allocation");
  if (!queue.nested) return "the first nodes of " + allocations + ", not all of them recorded";
  return (*queue.nested ? "nested nodes inside " : "node sets that were not nested inside ") +
         allocations;
}

}  // namespace kneepoint
