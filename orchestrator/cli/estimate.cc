// SPDX-License-Identifier: Apache-2.0
//
// Sums over points.
#include "orchestrator/cli/estimate.h"

#include "orchestrator/cli/table.h"
#include "orchestrator/engine/packing.h"

namespace kneepoint::cli {

Estimate estimate_cost(const Study& study, int repeats) {
  Estimate sum;
  for (const Point& point : study.points) {
    if (point.modelled_seconds > 0) {
      const double seconds = point.modelled_seconds * repeats;
      sum.modelled_runs += repeats;
      sum.seconds_in_turn += seconds;
      sum.modelled_node_hours += seconds * point.shape.nodes / 3600;
    } else {
      sum.bounded_runs += repeats;
      sum.bounded_node_hours +=
          to_seconds(study.plan.limits.timeout) * repeats * point.shape.nodes / 3600;
    }
  }
  return sum;
}

std::string to_text(const Estimate& estimate, Nanoseconds timeout) {
  const Nanoseconds in_turn = from_seconds(estimate.seconds_in_turn);
  const std::string modelled = number_text(estimate.modelled_node_hours) +
                               " node-hours by the workloads' models (" +
                               counted(estimate.modelled_runs, "run") + ", one after the other " +
                               to_duration_text(in_turn) + "; start-up not counted)";
  const std::string bounded = "at most " + number_text(estimate.bounded_node_hours) +
                              " node-hours (" + counted(estimate.bounded_runs, "run") +
                              " without a model, each taken at its time limit of " +
                              to_duration_text(timeout) + ")";
  if (estimate.bounded_runs == 0) return modelled;
  if (estimate.modelled_runs == 0) return bounded;
  return modelled + ", and " + bounded;
}

Submission submission_of(const Study& study, const Packing& packing, int places, int most_nodes) {
  Submission sum;
  const auto allocations_for = [&](int repeats) {
    std::vector<PackItem> runs;
    for (int repeat = 0; repeat < repeats; ++repeat) {
      for (const Point& point : study.points) {
        runs.push_back({point.shape.nodes, study.plan.limits.timeout});
      }
    }
    return static_cast<int>(pack(runs, packing, places, most_nodes).size());
  };
  sum.runs = static_cast<int>(study.points.size()) * study.plan.repeat.min;
  sum.allocations = allocations_for(study.plan.repeat.min);
  sum.allocations_at_most = allocations_for(study.plan.repeat.max);
  for (const Point& point : study.points) {
    const Shape& shape = point.shape;
    if (shape.nodes > sum.largest.nodes ||
        (shape.nodes == sum.largest.nodes && shape.cpus() > sum.largest.cpus())) {
      sum.largest = shape;
      sum.largest_is_emulated = point.emulated;
    }
  }
  return sum;
}

}  // namespace kneepoint::cli
