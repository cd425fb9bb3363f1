// SPDX-License-Identifier: Apache-2.0
//
// How long a run takes: as its point did before, else as the model says.
#include "orchestrator/engine/needs.h"

#include <algorithm>

namespace kneepoint {

Need need_of_all(const std::vector<int>& runs, RunTable& table, const Study& study,
                 const Capabilities& backend) {
  Need all;
  double seconds = 0;
  for (const int index : runs) {
    const Point& point = study.points[table.at(index).point];
    double expected = table.expected_seconds(table.at(index).point);
    if (expected <= 0) expected = point.modelled_seconds;
    const Need one = need_of(point, backend, expected);
    all.nodes = std::max(all.nodes, one.nodes);
    all.cpus = std::max(all.cpus, one.cpus);
    seconds += expected;
  }
  all.node_seconds = seconds * all.nodes;
  return all;
}

Usage usage_of(RunTable& table, const Study& study, const Capabilities& backend,
               double node_seconds) {
  Usage usage;
  usage.node_seconds = node_seconds;
  for (const auto& [id, allocation] : table.allocations()) {
    const Need need = need_of_all(allocation.members, table, study, backend);
    ++usage.runs;
    usage.nodes += allocation.nodes;
    usage.cpus += need.cpus;
    usage.node_seconds += need.node_seconds;
  }
  return usage;
}

}  // namespace kneepoint
