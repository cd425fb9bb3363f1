// SPDX-License-Identifier: Apache-2.0
//
// Reads workloads/catalog.yaml. Users never write one: the program carries its own (see
// built_in_catalog in reader.h), tests bring theirs.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "orchestrator/model/plan.h"
#include "orchestrator/plan/yaml/problem.h"

namespace kneepoint {

struct CatalogRead {
  std::vector<CatalogEntry> entries;
  std::vector<Problem> problems;
};

CatalogRead read_catalog(std::string_view text, const std::string& path);

// The text of workloads/catalog.yaml, embedded at build time.
extern const char* const kCatalogText;

}  // namespace kneepoint
