// SPDX-License-Identifier: Apache-2.0
//
// Sums over points.
#include "orchestrator/answers/estimate.h"

#include "orchestrator/answers/budget.h"
#include "orchestrator/base/numbers.h"
#include "orchestrator/base/text.h"
#include "orchestrator/engine/requests.h"
#include "orchestrator/engine/rounds.h"

namespace kneepoint {

namespace {

void add(const Study& study, const Point& point, int repeats,
         const std::optional<StudyPrice>& price, CostEstimate& sum) {
  const bool modelled = point.modelled_seconds > 0;
  const double seconds = modelled ? point.modelled_seconds : to_seconds(study.plan.limits.timeout);
  const double hours = seconds * repeats * point.shape.nodes / 3600;
  (modelled ? sum.modelled_runs : sum.bounded_runs) += repeats;
  (modelled ? sum.modelled_node_hours : sum.bounded_node_hours) += hours;
  if (modelled) sum.seconds_in_turn += seconds * repeats;
  if (!price) return;
  (modelled ? sum.modelled_money : sum.bounded_money)->micros +=
      run_micros(*price, point, seconds) * repeats;
}

CostEstimate nothing_yet(const std::optional<StudyPrice>& price) {
  CostEstimate sum;
  if (price) sum.modelled_money = sum.bounded_money = Money{0, price->currency};
  return sum;
}

void note_largest(const Study& study, Submission& sum) {
  for (const Point& point : study.points) {
    const Shape& shape = point.shape;
    if (shape.nodes > sum.largest.nodes ||
        (shape.nodes == sum.largest.nodes && shape.cpus() > sum.largest.cpus())) {
      sum.largest = shape;
      sum.largest_is_emulated = point.emulated;
    }
  }
}

std::string hours_text(double node_hours, const std::optional<Money>& money) {
  return number_text(node_hours, 3) + " node-hours" +
         (money ? ", " + rounded_text(*money) + "," : "");
}

}  // namespace

CostEstimate estimate_cost(const Study& study, int repeats,
                           const std::optional<StudyPrice>& price) {
  CostEstimate sum = nothing_yet(price);
  for (const Point& point : study.points) add(study, point, repeats, price, sum);
  return sum;
}

CostEstimate estimate_runs(const Study& study, const std::vector<Run>& runs,
                           const std::optional<StudyPrice>& price) {
  CostEstimate sum = nothing_yet(price);
  for (const Run& run : runs) add(study, study.points[run.point], 1, price, sum);
  return sum;
}

std::string to_text(const CostEstimate& estimate, Nanoseconds timeout) {
  const Nanoseconds in_turn = from_seconds(estimate.seconds_in_turn);
  const std::string modelled = hours_text(estimate.modelled_node_hours, estimate.modelled_money) +
                               " by the workloads' models (" +
                               counted(estimate.modelled_runs, "run") + ", one after the other " +
                               to_duration_text(in_turn) + "; start-up not counted)";
  const std::string bounded =
      "at most " + hours_text(estimate.bounded_node_hours, estimate.bounded_money) + " (" +
      counted(estimate.bounded_runs, "run") + " without a model, each taken at its time limit of " +
      to_duration_text(timeout) + ")";
  if (estimate.bounded_runs == 0) return modelled;
  if (estimate.modelled_runs == 0) return bounded;
  return modelled + ", and " + bounded;
}

Submission submission_of(const Study& study, const Packing& packing, int places, int most_nodes) {
  const auto item_of = [&](const Point& point) {
    return PackItem{point.shape.nodes, study.plan.limits.timeout};
  };
  const auto allocations_of = [&](const std::vector<PackItem>& runs) {
    return static_cast<int>(pack(runs, packing, places, most_nodes).size());
  };
  Submission sum;
  note_largest(study, sum);
  if (study.plan.search.adaptive) {
    std::vector<PackItem> first;
    for (const Run& run : first_of(study).runs) first.push_back(item_of(study.points[run.point]));
    sum.runs = static_cast<int>(first.size());
    sum.allocations = sum.allocations_at_most = allocations_of(first);
    return sum;
  }
  const auto allocations_for = [&](int repeats) {
    std::vector<PackItem> runs;
    for (int repeat = 0; repeat < repeats; ++repeat) {
      for (const Point& point : study.points) runs.push_back(item_of(point));
    }
    return allocations_of(runs);
  };
  sum.runs = static_cast<int>(study.points.size()) * study.plan.repeat.min;
  sum.allocations = allocations_for(study.plan.repeat.min);
  sum.allocations_at_most = allocations_for(study.plan.repeat.max);
  return sum;
}

}  // namespace kneepoint
