// SPDX-License-Identifier: Apache-2.0
//
// kneepoint status: where a study stands. Only reads, so it works while the study runs.
#include <limits>
#include <ostream>

#include "orchestrator/answers/lookup.h"
#include "orchestrator/answers/study/status.h"
#include "orchestrator/base/json_put.h"
#include "orchestrator/cli/shell/commands.h"
#include "orchestrator/report/terminal/operating.h"
#include "orchestrator/report/text.h"

namespace kneepoint::cli {
namespace {

Result<int> status(Session& session, const Arguments& arguments) {
  TRY_ASSIGN(const auto store, open_database(session, StudyStore::Access::read_only));
  TRY_ASSIGN(const StudyRow row, find_study(*store, arguments.text("STUDY")));
  TRY_ASSIGN(const StudyStatus found, read_status(*store, row, session.clock));
  // A pipe has no width: nothing is cut.
  const int width = session.out_is_terminal ? session.width() : std::numeric_limits<int>::max();
  session.out << (session.json ? json_text(found) + "\n" : plain_lines(to_text(found, width)));
  return kExitDone;
}

}  // namespace

CommandSpec status_command() {
  return {"status",
          "Show where a study stands",
          "Shows the runs of a study by state, its points, who works on it, and what happened "
          "last.",
          {study_or_newest()},
          {},
          {"kneepoint status", "kneepoint status quickstart --json"},
          status};
}

}  // namespace kneepoint::cli
