// SPDX-License-Identifier: Apache-2.0
//
// Reads a plan file, and the catalog of our own workloads that plans name. Every problem of a file
// is reported at once, each with its place, what was expected, and "did you mean" for keys.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "orchestrator/model/plan.h"
#include "orchestrator/plan/yaml/problem.h"

namespace kneepoint {

struct KeySet;

struct PlanRead {
  Plan plan;  // meaningful only if problems is empty
  std::vector<Problem> problems;
  std::vector<Origin> origins;  // of every value that the file gives
};

// `path` is only for messages. `catalog` gives our own workloads.
PlanRead read_plan(std::string_view text, const std::string& path,
                   const std::vector<CatalogEntry>& catalog);

const KeySet& plan_keys();

// The catalog built into the program (workloads/catalog.yaml); ENSUREs that it is well-formed.
const std::vector<CatalogEntry>& built_in_catalog();

}  // namespace kneepoint
