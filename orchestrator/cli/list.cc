// SPDX-License-Identifier: Apache-2.0
//
// kneepoint list: every study of the database, newest first.
#include <ostream>

#include "orchestrator/answers/study/status.h"
#include "orchestrator/base/json_put.h"
#include "orchestrator/cli/shell/commands.h"
#include "orchestrator/report/terminal/operating.h"

namespace kneepoint::cli {
namespace {

Result<int> list(Session& session, const Arguments& arguments) {
  TRY_ASSIGN(const StudyList found, list_studies(session));
  if (session.json) {
    session.out << json_text(found) << "\n";
  } else if (arguments.has("--quiet")) {
    for (const StudyRow& study : found.studies) session.out << study.id << "\n";
  } else if (found.studies.empty()) {
    session.err << "no studies yet in " << found.database << "; 'kneepoint run PLAN' makes one\n";
  } else {
    session.out << to_text(found, session.clock.wall());
  }
  return kExitDone;
}

}  // namespace

CommandSpec list_command() {
  return {"list",
          "List the studies",
          "Lists the studies of the database, newest first, with their state, how many of their "
          "runs are done, and how many failed.",
          {},
          {{"--quiet", "", "Print the ids only"}},
          {"kneepoint list", "kneepoint list --json"},
          list};
}

}  // namespace kneepoint::cli
