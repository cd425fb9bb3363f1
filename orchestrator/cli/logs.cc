// SPDX-License-Identifier: Apache-2.0
//
// kneepoint logs: what a run printed; on a terminal without what would steer it.
#include <ostream>

#include "orchestrator/answers/study/explain.h"
#include "orchestrator/base/json_put.h"
#include "orchestrator/cli/shell/commands.h"
#include "orchestrator/report/text.h"

namespace kneepoint::cli {
namespace {

Result<int> logs(Session& session, const Arguments& arguments) {
  TRY_ASSIGN(const auto store, open_database(session, StudyStore::Access::read_only));
  TRY_ASSIGN(const FoundRun found, find_run(*store, arguments.text("RUN")));
  TRY_ASSIGN(const RunOutput output, read_output(*store, found, arguments.count("--attempt"),
                                                 arguments.has("--stderr") ? "stderr" : "stdout"));
  if (session.json) {
    session.out << json_text(output) << "\n";
    return kExitDone;
  }
  if (output.text) {
    session.out << (session.out_is_terminal ? plain_lines(*output.text) : *output.text);
  } else {
    const bool other = output.stream == "stdout" && output.folder_exists;
    session.err << "kneepoint: logs: " << output.missing_text()
                << (other ? "; see also --stderr" : "") << "\n";
  }
  if (!output.kept.empty()) {
    session.err << "kept of " << output.attempt_name() << ":\n";
    for (const std::string& one : output.kept) session.err << "  " << one << "\n";
  }
  return kExitDone;
}

}  // namespace

CommandSpec logs_command() {
  return {
      "logs",
      "Print what a run printed",
      "Prints the standard output of a run's newest attempt, or its standard error. Output "
      "beyond 2 MiB is cut in the middle by the agent, with a line that says so. Files that the "
      "plan keeps are listed on standard error.",
      {{"RUN",
        "STUDY/r17, or r17 for the newest study; r17-a2 picks an attempt",
        true,
        {},
        Completes::studies}},
      {count_flag("--attempt", "Which attempt (default: the newest)"),
       {"--stderr", "", "Print standard error instead"}},
      {"kneepoint logs r17", "kneepoint logs quickstart/r3 --attempt 1 --stderr"},
      logs};
}

}  // namespace kneepoint::cli
