// SPDX-License-Identifier: Apache-2.0
//
// How long a run takes: as its point did before, else as the model says, else its time limit.
#include "orchestrator/engine/needs.h"

#include <algorithm>

namespace kneepoint {

Need need_of_all(const std::vector<int>& runs, RunTable& table, const Study& study,
                 const Capabilities& backend, const Spending& spending,
                 const std::string& allocation) {
  Need all;
  double seconds = 0;
  std::vector<const Point*> points;
  for (const int index : runs) {
    const Point& point = study.points[table.at(index).point];
    double expected = table.expected_seconds(table.at(index).point);
    if (expected <= 0) expected = point.modelled_seconds;
    if (expected <= 0) expected = to_seconds(study.plan.limits.timeout);
    const Need one = need_of(point, backend, expected);
    all.nodes = std::max(all.nodes, one.nodes);
    all.cpus = std::max(all.cpus, one.cpus);
    seconds += expected;
    points.push_back(&point);
  }
  all.node_seconds = seconds * all.nodes;
  all.micros = spending.added_by(allocation, points, seconds);
  return all;
}

Usage usage_of(RunTable& table, const Study& study, const Capabilities& backend,
               const Spending& spending) {
  Usage usage;
  usage.node_seconds = spending.node_seconds();
  usage.micros = spending.micros();
  for (const auto& [id, allocation] : table.allocations()) {
    const Need need =
        need_of_all(allocation.members, table, study, backend, spending, allocation.job.name);
    ++usage.runs;
    usage.nodes += allocation.nodes;
    usage.cpus += need.cpus;
    usage.node_seconds += need.node_seconds;
    usage.micros += need.micros;
  }
  return usage;
}

}  // namespace kneepoint
