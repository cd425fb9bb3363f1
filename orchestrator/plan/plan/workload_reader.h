// SPDX-License-Identifier: Apache-2.0
//
// Reads one entry of a plan's `workloads:`. Part of plan_reader.
#pragma once

#include <vector>

#include "orchestrator/model/plan.h"
#include "orchestrator/plan/yaml/view.h"

namespace kneepoint {

WorkloadSpec read_workload(const YamlView& view, const std::vector<Mode>& modes,
                           const std::vector<CatalogEntry>& catalog);

// Names that formulas of this workload can use: K, ranks, nodes, threads, and the parameters whose
// values are all numbers, catalog defaults included. `size` only where there is one by then.
std::vector<std::string> formula_names(const WorkloadSpec& workload, bool with_size);

}  // namespace kneepoint
