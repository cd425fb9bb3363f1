// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/answers/site/workloads.h"

#include <filesystem>

#include "orchestrator/answers/places.h"
#include "orchestrator/base/text.h"
#include "orchestrator/plan/readers.h"

namespace kneepoint {

std::vector<std::pair<std::string, std::string>> Workload::parameters() const {
  std::vector<std::pair<std::string, std::string>> all;
  for (const Parameter& one : entry.parameters) all.emplace_back(one.name, one.value);
  return all;
}

Result<WorkloadList> list_workloads(const Context& context, const std::string& name) {
  const std::filesystem::path folder = programs_folder(Site{}, context.executable, "/");
  WorkloadList list;
  std::vector<std::string> names;
  for (const CatalogEntry& entry : built_in_catalog()) {
    names.push_back(entry.name);
    if (!name.empty() && name != entry.name) continue;
    std::error_code ignored;
    const bool built =
        entry.needs.empty() || std::filesystem::exists(folder / entry.program, ignored);
    list.workloads.push_back({entry, built});
  }
  if (!list.workloads.empty()) return list;
  const std::string near = nearest_word(name, names);
  return Error{ErrorCode::not_found, "no workload '" + name + "'" +
                                         (near.empty() ? "; 'kneepoint workloads' lists them"
                                                       : "; did you mean '" + near + "'?")};
}

}  // namespace kneepoint
