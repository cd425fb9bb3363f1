// SPDX-License-Identifier: Apache-2.0
//
// kneepoint delete: removes a study's rows and its own folder, nothing else. Files go first: if
// that fails, the study is still there and can be deleted again.
#include <iostream>

#include "orchestrator/answers/lookup.h"
#include "orchestrator/base/files.h"
#include "orchestrator/base/json_put.h"
#include "orchestrator/base/text.h"
#include "orchestrator/cli/live_reports.h"
#include "orchestrator/cli/shell/commands.h"

namespace kneepoint::cli {
namespace {

bool has_jobs(const std::vector<RunRow>& runs) {
  for (const RunRow& run : runs) {
    if (!run.last || is_final(run.last->state)) continue;
    if (run.last->state != AttemptState::planned) return true;
  }
  return false;
}

Result<void> confirm(Session& session, const StudyRow& row, bool files) {
  const std::string what = row.id + " (" + counted(row.runs, "run") + ", " + row.state + ")" +
                           (files ? " and its folder " + row.work_dir : "");
  if (!session.in_is_terminal) {
    return Error{ErrorCode::invalid, "this would delete " + what + "; say --yes to do it"};
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
    if (!arguments.has("--yes")) TRY(confirm(session, row, files));
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

}  // namespace

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

}  // namespace kneepoint::cli
