// SPDX-License-Identifier: Apache-2.0
//
// kneepoint explain: a run's whole story.
#include "orchestrator/answers/study/explain.h"

#include <ostream>

#include "orchestrator/cli/shell/commands.h"
#include "orchestrator/cli/shell/flags.h"
#include "orchestrator/report/terminal/answers.h"

namespace kneepoint::cli {
namespace {

Result<int> run_explain(Session& session, const Arguments& arguments) {
  TRY_ASSIGN(const RunStory story, explain(session, arguments.text("RUN")));
  session.out << (session.json ? json_text(story) + "\n" : to_text(story));
  return kExitDone;
}

}  // namespace

CommandSpec explain_command() {
  return {"explain",
          "Tell the whole story of a run",
          "Tells what a run was to do, each attempt at it and why it ended as it did, on which "
          "machine, with which samples, and where its files lie.",
          {study_argument("RUN", "STUDY/r17, or r17 for the newest study; r17-a2 picks an attempt",
                          true)},
          {},
          {"kneepoint explain r17", "kneepoint explain quickstart/r3 --json"},
          run_explain};
}

}  // namespace kneepoint::cli
