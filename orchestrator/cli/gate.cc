// SPDX-License-Identifier: Apache-2.0
//
// kneepoint gate: did this night make it worse? Reads the database, keeps the verdict in it, and
// submits nothing unless told to confirm.
#include <ostream>

#include "orchestrator/answers/gate.h"
#include "orchestrator/answers/lookup.h"
#include "orchestrator/cli/commands.h"
#include "orchestrator/cli/confirm.h"
#include "orchestrator/cli/flags.h"
#include "orchestrator/cli/gate_delivery.h"
#include "orchestrator/cli/gate_text.h"

namespace kneepoint::cli {
namespace {

// A study of two builds in turns is no night; without words the newest that is one is meant.
Result<StudyRow> find_night(StudyStore& store, const std::string& words) {
  TRY_ASSIGN(StudyRow found, find_study(store, words));
  TRY_ASSIGN(std::vector<Build> builds, store.builds(found.row));
  if (builds.empty()) return found;
  if (!words.empty()) return check_night(found.id, found.backend, true).error();
  TRY_ASSIGN(const std::vector<StudyRow> all, store.studies());
  for (const StudyRow& row : all) {
    TRY_ASSIGN(builds, store.builds(row.row));
    if (builds.empty()) return row;
  }
  return Error{ErrorCode::not_found, "there is no night yet: all studies compare two builds"};
}

Result<int> run_gate(Session& session, const Arguments& arguments) {
  const GateOutputs outputs = gate_outputs(arguments);
  TRY_ASSIGN(const auto store, open_database(session, StudyStore::Access::read_write));
  TRY_ASSIGN(const StudyRow tonight, find_night(*store, arguments.text("STUDY")));
  TRY_ASSIGN(GateReport report, gate_study(*store, tonight));
  if (arguments.has("--confirm")) {
    TRY_ASSIGN(const Confirmed confirmed, confirm_gate(session, *store, tonight, report));
    if (!confirmed.note.empty()) {
      session.err << "kneepoint: gate --confirm: " << confirmed.note << "\n";
    }
    if (confirmed.interrupted) {
      session.err << "kneepoint: gate --confirm: " << confirmed.study
                  << " is not complete; the same command goes on with it\n";
      return kExitInterrupted;
    }
  }
  TRY(remember_verdict(session, *store, report));
  const int width = predict_width(session);
  if (session.json) {
    session.out << gate_json(report) << "\n" << std::flush;
  } else if (arguments.has("--since")) {
    session.out << since_text(report, width) << "\n" << verdict_line(report) << "\n" << std::flush;
  } else {
    session.out << gate_text(report, width) << std::flush;
  }
  session.out << std::flush;
  const bool delivered = deliver(session, outputs, report);
  return exit_code_after(delivered,
                         gate_exit_code(report.answer.verdict, arguments.has("--strict")));
}

}  // namespace

CommandSpec gate_command() {
  return {
      "gate",
      "Say whether a night made scaling worse",
      "Tests a study against the nights before it: the finished studies of the same series (name "
      "and hash). PASS, IMPROVED, SUSPECT (watch it), REGRESSED (twice in a row), INCONCLUSIVE "
      "(these "
      "nights can't show what matters), ENV_CHANGE, NO_BASELINE (fewer than 8 nights) or FAILED. "
      "Exit code 1 for REGRESSED and 4 for FAILED; with --strict also 1 for all but PASS and "
      "IMPROVED. The verdict is kept in the database; nothing is submitted without --confirm.",
      {{"STUDY",
        "Id, unique prefix or name (default: the newest study)",
        false,
        {},
        Completes::studies}},
      with_gate_outputs(
          {{"--confirm", "", "Measure what is suspect at once, in turns with the pinned build"},
           {"--strict", "", "Exit code 1 unless the verdict is PASS or IMPROVED"},
           {"--since", "", "Show when the level of each curve changed, and between which builds"}}),
      {"kneepoint gate", "kneepoint gate nightly --strict --junit gate.xml",
       "kneepoint gate nightly --since"},
      run_gate};
}

}  // namespace kneepoint::cli
