// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/cli/plan_to_run.h"

#include <filesystem>

#include "orchestrator/answers/builds.h"
#include "orchestrator/answers/input_files.h"
#include "orchestrator/answers/lookup.h"

namespace kneepoint::cli {
namespace {

// A study of --ab goes on with the builds it has stored, looked at again: a program that was
// replaced has another hash, and so comes to another study.
Result<void> take_stored_builds(StudyStore& store, const StudyRow& row, PlanOnSite& both) {
  TRY_ASSIGN(const std::vector<Build> builds, store.builds(row.row));
  if (builds.empty() || row.name != both.plan.study + kTurnsSuffix) return {};
  std::vector<std::string> given;
  for (const Build& build : builds) given.push_back(build.label + "=" + build.place);
  TRY_ASSIGN(std::vector<Build> now,
             read_builds(given, both.plan, *both.site, std::filesystem::current_path().string()));
  put_in_turns(both, std::move(now), kTurnsSuffix);
  return {};
}

}  // namespace

Result<PlanOnSite> plan_to_run(const Session& session, const Arguments& arguments) {
  if (!arguments.has("--resume")) {
    if (!arguments.has("PLAN")) {
      return Error{ErrorCode::invalid, "PLAN is missing; see 'kneepoint run --help'"};
    }
    return read_plan_on_site(session, arguments.text("PLAN"), arguments.text("--site"));
  }
  for (const char* other : {"PLAN", "--site", "--new", "--ab"}) {
    if (!arguments.has(other)) continue;
    return Error{ErrorCode::invalid,
                 std::string("--resume takes all from the study; leave ") + other + " out"};
  }
  TRY_ASSIGN(const auto store, open_database(session, StudyStore::Access::read_only));
  TRY_ASSIGN(const StudyRow row, store->find_study(arguments.text("--resume")));
  if (row.backend == "import") {
    return Error{ErrorCode::invalid, row.id + " was imported; there is nothing to run"};
  }
  TRY_ASSIGN(const auto newest, store->newest_of_series(row.name, row.hash8));
  if (newest && newest->id != row.id) {
    return Error{ErrorCode::conflict, row.id + " is not the newest of its series, " + newest->id +
                                          " is; only that one can go on"};
  }
  TRY_ASSIGN(PlanOnSite both, read_stored_plan(row.plan_text, row.plan_path, row.site_text));
  both.problems = find_inputs(both.plan, *both.site);
  locate(both.problems, both.origins);
  if (both.problems.empty()) TRY(take_stored_builds(*store, row, both));
  return both;
}

Result<void> check_resumed(StudyStore& store, const Arguments& arguments,
                           const std::optional<StudyRow>& newest) {
  if (!arguments.has("--resume")) return {};
  TRY_ASSIGN(const StudyRow meant, store.find_study(arguments.text("--resume")));
  if (newest && newest->id == meant.id) return {};
  return Error{
      ErrorCode::conflict,
      "the stored plan of " + meant.id +
          " does not come to that study any more: its programs or inputs have changed, or it "
          "was started by another command (gate --confirm, doctor --noise), which goes on "
          "with it"};
}

}  // namespace kneepoint::cli
