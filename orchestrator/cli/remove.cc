// SPDX-License-Identifier: Apache-2.0
//
// kneepoint cancel, delete and prune: ends a study before its time, removes its rows and its own
// folder, or thins out old ones. Files go first: if that fails, the study is still there and can be
// deleted again.
#include <iostream>
#include <ostream>

#include "orchestrator/answers/cancel.h"
#include "orchestrator/answers/lookup.h"
#include "orchestrator/answers/night/prune.h"
#include "orchestrator/base/files.h"
#include "orchestrator/base/json_put.h"
#include "orchestrator/base/numbers.h"
#include "orchestrator/base/text.h"
#include "orchestrator/cli/running.h"
#include "orchestrator/cli/shell/command.h"
#include "orchestrator/cli/shell/flags.h"
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

bool has_jobs(const std::vector<RunRow>& runs) {
  for (const RunRow& run : runs) {
    if (!run.last || is_final(run.last->state)) continue;
    if (run.last->state != AttemptState::planned) return true;
  }
  return false;
}

// `advice`: what else to say than yes, where nobody can be asked.
Result<void> confirm(Session& session, const std::string& what, const std::string& advice = "") {
  if (!session.in_is_terminal) {
    return Error{ErrorCode::invalid, "this would delete " + what + "; say --yes to do it" + advice};
  }
  session.err << "Delete " << what << "? [y/N] " << std::flush;
  std::string reply;
  std::getline(std::cin, reply);
  if (reply == "y" || reply == "Y" || reply == "yes") return {};
  return Error{ErrorCode::invalid, "nothing was deleted"};
}

Result<int> delete_study(Session& session, const Arguments& arguments) {
  TRY_ASSIGN(const auto store, open_database(session, StudyStore::Access::read_write));
  TRY_ASSIGN(const StudyRow row, store->find_study(arguments.text("STUDY")));
  const bool files = !arguments.has("--keep-files");
  {
    TRY_ASSIGN(const HeldLease lease, HeldLease::take(*store, row, session.clock));
    TRY_ASSIGN(const std::vector<RunRow> runs, store->runs(row.row));
    if (has_jobs(runs)) {
      return Error{ErrorCode::conflict, row.id +
                                            " has jobs that may still run; end them first with "
                                            "'kneepoint cancel " +
                                            row.id + "'"};
    }
    const std::string what = row.id + " (" + counted(row.runs, "run") + ", " + row.state + ")" +
                             (files ? " and its folder " + row.work_dir : "");
    if (!arguments.has("--yes")) TRY(confirm(session, what));
    if (files) TRY(remove_study_folder(row.work_dir, row.id));
    TRY(store->delete_study(row.row));
    TRY_ASSIGN(const std::string database, database_of(session));
    forget_live_reports(database, row);
  }
  if (session.json) {
    JsonWriter json;
    json.begin_object().put("study", row.id).put("deleted", true).put("files_deleted", files);
    json.put("work_dir", row.work_dir).end_object();
    session.out << json.text() << "\n";
  } else {
    session.out << "deleted " << row.id << (files ? " and " : "; its files are still in ")
                << row.work_dir << "\n";
  }
  return kExitDone;
}

Result<int> prune(Session& session, const Arguments& arguments) {
  if (!arguments.has("--older-than")) {
    return Error{ErrorCode::invalid, "--older-than AGE is needed, as in --older-than 90d"};
  }
  TRY_ASSIGN(const Nanoseconds age, parse_age("--older-than", arguments.text("--older-than")));
  const bool dry = arguments.has("--dry-run");
  TRY_ASSIGN(const auto store, open_database(session, dry ? StudyStore::Access::read_only
                                                          : StudyStore::Access::read_write));
  TRY_ASSIGN(PruneAnswer old, find_old_studies(session, *store, arguments.text("NAME"), age));
  const std::string what = counted(static_cast<long>(old.samples()), "sample") + " of " +
                           counted(static_cast<long>(old.studies.size()), "study");
  if (!dry) {
    if (!old.studies.empty() && !arguments.has("--yes")) {
      TRY(confirm(session, what + " for good", ", or --dry-run to see it"));
    }
    TRY(thin_out(session, *store, old));
  }
  if (session.json) {
    session.out << json_text(old) << "\n";
    return kExitDone;
  }
  for (const OldStudy& one : old.studies) {
    session.out << one.row.id << ": " << counted(static_cast<long>(one.samples), "sample") << "\n";
  }
  session.out << (dry ? "would delete " : "deleted ") << what;
  if (!dry) {
    session.out << "; the database has "
                << number_text(static_cast<double>(old.database_bytes) / 1048576.0) << " MiB now";
  }
  session.out << "\n";
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

CommandSpec delete_command() {
  return {"delete",
          "Remove a study and its files",
          "Removes a study from the database and its folder from the disk. Refuses while a "
          "controller works on the study or jobs of it may still run.",
          {study_argument()},
          {{"--yes", "", "Don't ask"}, {"--keep-files", "", "Leave the study's folder alone"}},
          {"kneepoint delete quickstart-1a2b3c4d-2 --yes"},
          delete_study};
}

CommandSpec prune_command() {
  return {
      "prune",
      "Thin out old studies, and shrink the database",
      "Deletes the samples (single iterations) of studies that are over and older than AGE. T of "
      "every run, its parts, ranks, metrics, provenance and events stay: results, gate verdicts "
      "and the history of a series are the same before and after; only tables of single "
      "iterations are gone, and reports say so. Then gives the room back to the disk. To keep "
      "everything elsewhere, write it into a file first: 'kneepoint export --series'.",
      {{"NAME", "Only studies of this name or series (default: all)", false}},
      {{"--older-than", "AGE", "How long ago a study last changed: 36h, 90d, 12w"},
       {"--dry-run", "", "Say what would go; delete nothing"},
       {"--yes", "", "Don't ask"}},
      {"kneepoint prune --older-than 90d --dry-run",
       "kneepoint prune nightly --older-than 12w --yes"},
      prune};
}

}  // namespace kneepoint::cli
