// SPDX-License-Identifier: Apache-2.0
//
// kneepoint list: every study of the database, newest first.
#include <ostream>

#include "orchestrator/answers/lookup.h"
#include "orchestrator/base/json_put.h"
#include "orchestrator/base/numbers.h"
#include "orchestrator/cli/commands.h"
#include "orchestrator/report/table.h"

namespace kneepoint::cli {
namespace {

std::string to_json(const std::vector<StudyRow>& studies) {
  JsonWriter json;
  json.begin_object().key("studies").begin_array();
  for (const StudyRow& study : studies) {
    json.begin_object().put("id", study.id).put("name", study.name).put("hash8", study.hash8);
    json.put("n", study.n).put("state", study.state).put("runs", study.runs);
    json.put("succeeded", study.succeeded).put("failed", study.failed);
    json.put("backend", study.backend).put("site", study.site).put("plan", study.plan_path);
    json.put("work_dir", study.work_dir).put("created", to_utc_text(study.created_ns));
    json.put("updated", to_utc_text(study.updated_ns)).end_object();
  }
  return json.end_array().end_object().text() + "\n";
}

std::string to_table_text(const std::vector<StudyRow>& studies, Nanoseconds now) {
  std::vector<std::vector<std::string>> rows;
  for (const StudyRow& study : studies) {
    rows.push_back(
        {study.id, study.state,
         std::to_string(study.succeeded + study.failed) + "/" + std::to_string(study.runs),
         std::to_string(study.failed), study.backend, study.site,
         age_text(now - study.created_ns)});
  }
  return to_table({{"STUDY"},
                   {"STATE"},
                   {"RUNS", Align::right},
                   {"FAILED", Align::right},
                   {"BACKEND"},
                   {"SITE"},
                   {"AGE", Align::right}},
                  rows);
}

Result<int> list(Session& session, const Arguments& arguments) {
  TRY_ASSIGN(const std::string path, database_of(session));
  std::vector<StudyRow> studies;
  if (database_exists(session)) {
    TRY_ASSIGN(const auto store, open_database(session, StudyStore::Access::read_only));
    TRY_ASSIGN(studies, store->studies());
  }
  if (session.json) {
    session.out << to_json(studies);
  } else if (arguments.has("--quiet")) {
    for (const StudyRow& study : studies) session.out << study.id << "\n";
  } else if (studies.empty()) {
    session.err << "no studies yet in " << path << "; 'kneepoint run PLAN' makes one\n";
  } else {
    session.out << to_table_text(studies, session.clock.wall());
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
