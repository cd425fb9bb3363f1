// SPDX-License-Identifier: Apache-2.0
//
// kneepoint explain and logs: a run's whole story, and what it printed; on a terminal without what
// would steer it.
#include <ostream>

#include "orchestrator/answers/study/explain.h"
#include "orchestrator/base/json_put.h"
#include "orchestrator/cli/shell/command.h"
#include "orchestrator/cli/shell/flags.h"
#include "orchestrator/report/terminal/answers.h"
#include "orchestrator/report/text.h"

namespace kneepoint::cli {
namespace {

Result<int> run_explain(Session& session, const Arguments& arguments) {
  TRY_ASSIGN(const RunStory story, explain(session, arguments.text("RUN")));
  session.out << (session.json ? json_text(story) + "\n" : to_text(story));
  return kExitDone;
}

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

CommandSpec explain_command() {
  return {"explain",
          "Tell the whole story of a run",
          "Tells what a run was to do, each attempt at it and why it ended as it did, on which "
          "machine, with which samples, and where its files lie.",
          {run_argument()},
          {},
          {"kneepoint explain r17", "kneepoint explain quickstart/r3 --json"},
          run_explain};
}

CommandSpec logs_command() {
  return {
      "logs",
      "Print what a run printed",
      "Prints the standard output of a run's newest attempt, or its standard error. Output "
      "beyond 2 MiB is cut in the middle by the agent, with a line that says so. Files that the "
      "plan keeps are listed on standard error.",
      {run_argument()},
      {count_flag("--attempt", "Which attempt (default: the newest)"),
       {"--stderr", "", "Print standard error instead"}},
      {"kneepoint logs r17", "kneepoint logs quickstart/r3 --attempt 1 --stderr"},
      logs};
}

}  // namespace kneepoint::cli
