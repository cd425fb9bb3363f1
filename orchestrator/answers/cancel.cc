// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/answers/cancel.h"

#include <array>
#include <map>

#include "orchestrator/answers/builds.h"
#include "orchestrator/answers/loading.h"
#include "orchestrator/answers/lookup.h"
#include "orchestrator/engine/engine.h"

namespace kneepoint {
namespace {

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

Result<EngineEnd> carry_out_cancel(const Context& context, StudyStore& store, const StudyRow& row,
                                   const std::function<void(const std::string&)>& say) {
  TRY_ASSIGN(const HeldLease lease, HeldLease::take(store, row, context.clock));
  TRY(store.put_request(row.row, RequestKind::cancel));
  TRY_ASSIGN(PlanOnSite both, read_stored_plan(row.plan_text, row.plan_path, row.site_text));
  TRY(restore_builds(store, row, both));
  const Site& site = *both.site;
  TRY_ASSIGN(const SiteAccess access, reach_site(context, site));
  Expanded expanded = expand_plan(context, both, access.capabilities);
  if (!expanded.problems.empty()) {
    return Error{ErrorCode::corrupt,
                 "the stored plan can't be expanded:\n" + to_string(expanded.problems)};
  }
  if (!both.plan.builds.empty()) TRY(keep_known_points(store, row, expanded.study));
  EngineOptions options;
  options.lease = lease.lease();
  options.on_line = say;
  TRY_ASSIGN(const EngineOutcome outcome,
             run_study(store, row, expanded.study, site, *access.launcher, *access.poller,
                       context.clock, options));
  return outcome.end;
}

}  // namespace

const char* to_string(Cancellation result) {
  return std::array{"requested", "already_finished", "already_cancelled", "cancelled",
                    "finished"}[static_cast<std::size_t>(result)];
}

Result<std::optional<CancelAnswer>> ask_to_cancel(StudyStore& store, const StudyRow& study,
                                                  const Clock& clock) {
  TRY_ASSIGN(const auto holder, store.lease(study.row));
  CancelAnswer answer;
  answer.study = study.id;
  if (holder && is_live(*holder, clock.wall())) {
    TRY(store.put_request(study.row, RequestKind::cancel));
    answer.holder = holder_text(*holder);
    return std::optional(std::move(answer));
  }
  if (study.state != "finished" && study.state != "cancelled") return std::optional<CancelAnswer>();
  answer.result =
      study.state == "finished" ? Cancellation::already_finished : Cancellation::already_cancelled;
  return std::optional(std::move(answer));
}

Result<CancelAnswer> cancel_study(const Context& context, StudyStore& store, const StudyRow& study,
                                  const std::function<void(const std::string&)>& say) {
  TRY_ASSIGN(const auto asked, ask_to_cancel(store, study, context.clock));
  if (asked) return *asked;
  TRY_ASSIGN(const EngineEnd end, carry_out_cancel(context, store, study, say));
  return CancelAnswer{
      study.id, end == EngineEnd::cancelled ? Cancellation::cancelled : Cancellation::finished, ""};
}

}  // namespace kneepoint
