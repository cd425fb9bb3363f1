// SPDX-License-Identifier: Apache-2.0
//
// kneepoint cancel: ends a study before its time.
#include "orchestrator/answers/cancel.h"

#include <ostream>

#include "orchestrator/answers/lookup.h"
#include "orchestrator/base/json_put.h"
#include "orchestrator/cli/shell/commands.h"
#include "orchestrator/report/text.h"

namespace kneepoint::cli {
namespace {

std::string sentence_of(const CancelAnswer& answer) {
  switch (answer.result) {
    case Cancellation::requested:
      return "asked " + answer.holder + " to cancel " + answer.study +
             "; follow it with 'kneepoint watch " + answer.study + "'";
    case Cancellation::already_finished:
      return answer.study + " is finished already";
    case Cancellation::already_cancelled:
      return answer.study + " is cancelled already";
    case Cancellation::cancelled:
      return answer.study + " is cancelled";
    case Cancellation::finished:
      return answer.study + " had finished before it could be cancelled";
  }
  return "";
}

Result<int> cancel(Session& session, const Arguments& arguments) {
  TRY_ASSIGN(const auto store, open_database(session, StudyStore::Access::read_write));
  TRY_ASSIGN(const StudyRow row, store->find_study(arguments.text("STUDY")));
  const auto say = [&](const std::string& line) { session.err << plain(line) << std::endl; };
  TRY_ASSIGN(const CancelAnswer answer, cancel_study(session, *store, row, say));
  session.out << (session.json ? json_text(answer) : sentence_of(answer)) << "\n";
  return kExitDone;
}

}  // namespace

CommandSpec cancel_command() {
  return {"cancel",
          "Stop a study and its jobs",
          "Cancels the jobs of a study and marks it cancelled. If a controller works on it, it is "
          "asked to, and this command returns at once. What was measured stays; running the plan "
          "again goes on with it.",
          {study_argument()},
          {},
          {"kneepoint cancel jacobi-nightly"},
          cancel};
}

}  // namespace kneepoint::cli
