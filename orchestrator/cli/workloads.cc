// SPDX-License-Identifier: Apache-2.0
//
// kneepoint workloads: what `use:` in a plan can name.
#include "orchestrator/answers/site/workloads.h"

#include <ostream>

#include "orchestrator/base/json_put.h"
#include "orchestrator/cli/shell/command.h"
#include "orchestrator/report/terminal/operating.h"

namespace kneepoint::cli {
namespace {

Result<int> workloads(Session& session, const Arguments& arguments) {
  TRY_ASSIGN(const WorkloadList list, list_workloads(session, arguments.text("NAME")));
  if (session.json) {
    session.out << json_text(list) << "\n";
  } else {
    session.out << (arguments.text("NAME").empty() ? to_text(list)
                                                   : to_text(list.workloads.front()));
  }
  return kExitDone;
}

}  // namespace

CommandSpec workloads_command() {
  return {"workloads",
          "List the workloads that come with kneepoint",
          "Lists the workloads that a plan can name with `use:`, or shows one in detail: what its "
          "size means, what each mode holds fixed, and its parameters.",
          {{"NAME", "One workload, in detail", false, {}, Completes::workloads}},
          {},
          {"kneepoint workloads", "kneepoint workloads jacobi3d"},
          workloads};
}

}  // namespace kneepoint::cli
