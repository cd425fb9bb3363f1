// SPDX-License-Identifier: Apache-2.0
//
// What `workloads` answers: what `use:` in a plan can name.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "orchestrator/answers/context.h"
#include "orchestrator/base/fields.h"
#include "orchestrator/base/result.h"
#include "orchestrator/model/plan.h"

namespace kneepoint {

struct Workload {
  CatalogEntry entry;
  bool built = true;  // one that needs more than MPI may not have been, where kneepoint was
  std::vector<std::pair<std::string, std::string>> parameters() const;  // with their defaults

  static constexpr auto fields() {
    using T = Workload;
    using E = CatalogEntry;
    const auto of = [](std::string E::*text) {
      return [text](const T& workload) { return workload.entry.*text; };
    };
    return described(
        field("name", of(&E::name)), field("program", of(&E::program)),
        field("summary", of(&E::summary)), field("needs", of(&E::needs)), field("built", &T::built),
        field("size", of(&E::size_meaning)), field("held_fixed_strong", of(&E::held_fixed_strong)),
        field("held_fixed_weak", of(&E::held_fixed_weak)), field("work_unit", of(&E::work_unit)),
        field("default_size_strong", of(&E::default_size_strong)),
        field("default_size_weak", of(&E::default_size_weak)),
        field("model_strong", of(&E::model_strong)), field("model_weak", of(&E::model_weak)),
        field("flops", of(&E::flops)), field("bytes", of(&E::bytes)),
        field("parallelism", of(&E::parallelism)), field("parameters", &T::parameters));
  }
};

struct WorkloadList {
  std::vector<Workload> workloads;
  static constexpr auto fields() { return described(field("workloads", &WorkloadList::workloads)); }
};

// `name` "": all of them.
Result<WorkloadList> list_workloads(const Context& context, const std::string& name);

}  // namespace kneepoint
