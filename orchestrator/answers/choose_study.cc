// SPDX-License-Identifier: Apache-2.0
//
// Running twice is resuming; only --new makes a second study of a series. A new study takes a
// folder that was not there before: runs left in one by another database would pass for its own.
#include "orchestrator/answers/choose_study.h"

#include <filesystem>
#include <map>

#include "orchestrator/answers/builds.h"
#include "orchestrator/answers/loading.h"
#include "orchestrator/answers/lookup.h"
#include "orchestrator/base/files.h"
#include "orchestrator/base/text.h"

namespace kneepoint {
namespace {

Result<StudyRow> begin_study(StudyStore& store, const Study& study, const Site& site,
                             const std::string& root, int n) {
  for (;; ++n) {
    const std::string folder =
        root + "/" + study.plan.study + "-" + study.hash8 + "-" + std::to_string(n);
    TRY_ASSIGN(const bool ours, claim_folder(folder));
    if (ours) return store.create_study(study, site, n, folder);
  }
}

// One that somebody cancelled stays cancelled.
bool is_of_tonight(const StudyRow& row, Nanoseconds night_began) {
  return night_began > 0 && row.created_ns >= night_began &&
         (row.state == "interrupted" || row.state == "running");
}

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

bool asks_for_more(const Study& study, const StudyEvidence& evidence) {
  std::map<std::string, int> known;
  for (const PointEvidence& point : evidence.points) {
    known[point.point.key()] = static_cast<int>(point.runs.size());
  }
  for (const Point& point : study.points) {
    const auto found = known.find(point.key());
    const int wanted = point.repeats > 0 ? point.repeats : study.plan.repeat.min;
    if (found == known.end() || found->second < wanted) return true;
  }
  return false;
}

Result<ChosenStudy> choose_study(StudyStore& store, const Study& study, const Site& site,
                                 const std::string& root, const ChoiceRequest& choice) {
  // One at a time: two that start at once must find each other's study, not make one each.
  TRY_ASSIGN(auto transaction, store.begin());
  TRY_ASSIGN(const auto newest, store.newest_of_series(study.plan.study, study.hash8));
  const bool goes_on = newest && is_of_tonight(*newest, choice.night_began);
  if (!newest || (choice.make_new && !goes_on)) {
    if (choice.retry_failed && !newest) {
      return Error{ErrorCode::not_found, "--retry-failed: there is no study of series " +
                                             study.plan.study + "-" + study.hash8 +
                                             " yet; run without it"};
    }
    TRY_ASSIGN(StudyRow row, begin_study(store, study, site, root, newest ? newest->n + 1 : 1));
    TRY(transaction->commit());
    return ChosenStudy{Continuation::begin, std::move(row)};
  }
  ChosenStudy chosen{Continuation::resume, *newest};
  if (choice.retry_failed) {
    chosen.choice = Continuation::reopen;
  } else if (newest->state == "finished") {
    TRY_ASSIGN(const StudyEvidence evidence, store.evidence(newest->row));
    // With `until` and adaptive search, how much more is wanted is for the engine to find out from
    // a changed plan.
    const bool changed = newest->plan_text != study.plan.text;
    const bool adaptive = study.plan.search.adaptive;
    const bool open_ended = adaptive || study.plan.repeat.until_efficiency_ci > 0;
    const bool more = (!adaptive && asks_for_more(study, evidence)) || (changed && open_ended);
    chosen.choice = more ? Continuation::extend : Continuation::nothing;
  }
  return chosen;
}

std::string sentence_of(const ChosenStudy& chosen) {
  const StudyRow& row = chosen.row;
  switch (chosen.choice) {
    case Continuation::begin:
      return "study " + row.id;
    case Continuation::resume:
      return "resuming study " + row.id + (row.state == "cancelled" ? ", which was cancelled" : "");
    case Continuation::extend:
      return "extending study " + row.id + ", which was finished, to what the plan asks for now";
    case Continuation::reopen:
      return "trying the failed runs of study " + row.id + " again";
    case Continuation::nothing:
      return "study " + row.id + " is finished: " + counted(row.runs, "run") + ", " +
             std::to_string(row.failed) + " failed. The plan asks for nothing more";
  }
  return "";
}

Result<PlanOnSite> plan_to_resume(const Context& context, const std::string& study) {
  TRY_ASSIGN(const auto store, open_database(context, StudyStore::Access::read_only));
  TRY_ASSIGN(const StudyRow row, store->find_study(study));
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

Result<void> check_resumed(StudyStore& store, const std::string& study,
                           const std::optional<StudyRow>& newest) {
  TRY_ASSIGN(const StudyRow meant, store.find_study(study));
  if (newest && newest->id == meant.id) return {};
  return Error{
      ErrorCode::conflict,
      "the stored plan of " + meant.id +
          " does not come to that study any more: its programs or inputs have changed, or it "
          "was started by another command (gate --confirm, doctor --noise), which goes on "
          "with it"};
}

}  // namespace kneepoint
