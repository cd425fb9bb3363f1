// SPDX-License-Identifier: Apache-2.0
//
// kneepoint explain: a run's whole story.
#include <ostream>

#include "orchestrator/answers/lookup.h"
#include "orchestrator/cli/commands.h"
#include "orchestrator/cli/explain_text.h"
#include "orchestrator/report/text.h"

namespace kneepoint::cli {
namespace {

Result<int> explain(Session& session, const Arguments& arguments) {
  TRY_ASSIGN(const auto store, open_database(session, StudyStore::Access::read_only));
  TRY_ASSIGN(const FoundRun found, find_run(*store, arguments.text("RUN")));
  TRY_ASSIGN(const RunStory story, read_story(*store, found));
  session.out << (session.json ? to_json(story) : plain_lines(to_text(story)));
  return kExitDone;
}

}  // namespace

CommandSpec explain_command() {
  return {"explain",
          "Tell the whole story of a run",
          "Tells what a run was to do, each attempt at it and why it ended as it did, on which "
          "machine, with which samples, and where its files lie.",
          {{"RUN",
            "STUDY/r17, or r17 for the newest study; r17-a2 picks an attempt",
            true,
            {},
            Completes::studies}},
          {},
          {"kneepoint explain r17", "kneepoint explain quickstart/r3 --json"},
          explain};
}

}  // namespace kneepoint::cli
