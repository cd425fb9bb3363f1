// SPDX-License-Identifier: Apache-2.0
//
// kneepoint cancel: ends a study before its time. A study's rows are written by the holder of its
// lease alone: a living holder is asked by a row in `requests`; without one this process takes the
// lease and lets the engine carry the request out, which starts nothing new.
#include <map>
#include <ostream>

#include "orchestrator/answers/builds.h"
#include "orchestrator/answers/lease.h"
#include "orchestrator/answers/loading.h"
#include "orchestrator/answers/lookup.h"
#include "orchestrator/base/json_put.h"
#include "orchestrator/cli/commands.h"
#include "orchestrator/engine/engine.h"
#include "orchestrator/report/text.h"

namespace kneepoint::cli {
namespace {

void answer(Session& session, const StudyRow& study, const std::string& done,
            const std::string& sentence) {
  if (session.json) {
    JsonWriter json;
    json.begin_object().put("study", study.id).put("result", done).end_object();
    session.out << json.text() << "\n";
  } else {
    session.out << sentence << "\n";
  }
}

// A study with builds may have been of some points only: stopping it must not add the others.
Result<void> keep_known_points(StudyStore& store, const StudyRow& row, Study& study) {
  TRY_ASSIGN(const StudyEvidence evidence, store.evidence(row.row));
  std::map<std::string, int> runs;
  for (const PointEvidence& point : evidence.points) {
    runs[point.point.key()] = static_cast<int>(point.runs.size());
  }
  std::erase_if(study.points, [&](const Point& point) { return !runs.contains(point.key()); });
  for (Point& point : study.points) point.repeats = runs.at(point.key());
  return {};
}

Result<EngineEnd> carry_out(Session& session, StudyStore& store, const StudyRow& row) {
  TRY_ASSIGN(const HeldLease lease, HeldLease::take(store, row, session.clock));
  TRY(store.put_request(row.row, RequestKind::cancel));
  TRY_ASSIGN(PlanOnSite both, read_stored_plan(row.plan_text, row.plan_path, row.site_text));
  TRY(restore_builds(store, row, both));
  const Site& site = *both.site;
  TRY_ASSIGN(const SiteAccess access, reach_site(session, site, row.work_dir));
  Expanded expanded = expand_plan(session, both, access.capabilities);
  if (!expanded.problems.empty()) {
    return Error{ErrorCode::corrupt,
                 "the stored plan can't be expanded:\n" + to_string(expanded.problems)};
  }
  if (!both.plan.builds.empty()) TRY(keep_known_points(store, row, expanded.study));
  EngineOptions options;
  options.lease = lease.lease();
  options.on_line = [&](const std::string& line) { session.err << plain(line) << std::endl; };
  TRY_ASSIGN(const EngineOutcome outcome,
             run_study(store, row, expanded.study, site, *access.launcher, *access.poller,
                       session.clock, options));
  return outcome.end;
}

Result<int> cancel(Session& session, const Arguments& arguments) {
  TRY_ASSIGN(const auto store, open_database(session, StudyStore::Access::read_write));
  TRY_ASSIGN(const StudyRow row, store->find_study(arguments.text("STUDY")));
  TRY_ASSIGN(const auto holder, store->lease(row.row));
  const bool live = holder && is_live(*holder, session.clock.wall());
  if (live) {
    TRY(store->put_request(row.row, RequestKind::cancel));
    answer(session, row, "requested",
           "asked " + holder_text(*holder) + " to cancel " + row.id +
               "; follow it with 'kneepoint watch " + row.id + "'");
    return kExitDone;
  }
  if (row.state == "finished" || row.state == "cancelled") {
    answer(session, row, "already_" + row.state, row.id + " is " + row.state + " already");
    return kExitDone;
  }
  TRY_ASSIGN(const EngineEnd end, carry_out(session, *store, row));
  const bool cancelled = end == EngineEnd::cancelled;
  answer(session, row, cancelled ? "cancelled" : "finished",
         row.id + (cancelled ? " is cancelled" : " had finished before it could be cancelled"));
  return kExitDone;
}

}  // namespace

CommandSpec cancel_command() {
  return {"cancel",
          "Stop a study and its jobs",
          "Cancels the jobs of a study and marks it cancelled. If a controller works on it, it is "
          "asked to, and this command returns at once. What was measured stays; running the plan "
          "again goes on with it.",
          {{"STUDY", "Id, unique prefix or name", true, {}, Completes::studies}},
          {},
          {"kneepoint cancel jacobi-nightly"},
          cancel};
}

}  // namespace kneepoint::cli
