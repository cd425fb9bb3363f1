// SPDX-License-Identifier: Apache-2.0
//
// A run counts by its newest attempt; a run that waits for another attempt counts as planned.
#include "orchestrator/answers/study/status.h"

#include <algorithm>
#include <set>

#include "orchestrator/analysis/statistics/intervals.h"
#include "orchestrator/answers/lookup.h"
#include "orchestrator/answers/prices.h"
#include "orchestrator/cost/billing.h"
#include "orchestrator/model/provenance.h"
#include "orchestrator/plan/readers.h"

namespace kneepoint {
namespace {

constexpr std::size_t kEventsShown = 8;

AttemptState state_of(const RunRow& run) {
  if (!run.last) return AttemptState::planned;
  if (!run.finished && is_final(run.last->state)) return AttemptState::planned;
  return run.last->state;
}

PointStatus status_of(const PointEvidence& evidence) {
  const Point& point = evidence.point;
  PointStatus status;
  status.label = (point.build == "default" ? "" : point.build + " ") + point.case_name + " " +
                 to_string(point.mode) + " K=" + std::to_string(point.k);
  std::vector<double> seconds;
  for (const RunEvidence& run : evidence.runs) {
    ++status.total;
    if (!run.finished) continue;
    if (run.state == AttemptState::succeeded) {
      ++status.succeeded;
      seconds.push_back(run.seconds);
      continue;
    }
    ++status.failed;
    if (status.trouble.empty()) {
      status.trouble =
          "r" + std::to_string(run.number) + " " + to_string(run.state) +
          (run.reason == Reason::none ? "" : " (" + std::string(to_string(run.reason)) + ")");
    }
  }
  if (!seconds.empty()) status.median_seconds = median(std::move(seconds));
  return status;
}

Result<void> read_money(StudyStore& store, const StudyEvidence& evidence, StudyStatus& status) {
  const StudyRow& row = status.row;
  if (const auto price = stored_price(row)) {
    TRY_ASSIGN(const std::vector<StudyPrice> earlier, stored_earlier_prices(store, row.row));
    status.spent = Spent{spend_of(evidence, *price, earlier),
                         "item " + price->item.name + " of " + price->path};
  }
  const PlanRead plan = read_plan(row.plan_text, row.plan_path, built_in_catalog());
  if (!plan.problems.empty()) return {};
  const Limits& limits = plan.plan.limits;
  status.budget_node_hours = limits.node_hours;
  if (limits.amount_micros > 0) status.budget = Money{limits.amount_micros, limits.currency};
  return {};
}

}  // namespace

int StudyStatus::in(AttemptState state) const {
  const auto found = runs.find(state);
  return found == runs.end() ? 0 : found->second;
}

int StudyStatus::failed() const {
  int sum = 0;
  for (const auto& [state, count] : runs) {
    if (is_final(state) && state != AttemptState::succeeded) sum += count;
  }
  return sum;
}

std::vector<std::pair<std::string, int>> StudyStatus::counts() const {
  std::vector<std::pair<std::string, int>> all = {{"total", total}};
  for (const auto& [state, count] : runs) all.emplace_back(to_string(state), count);
  return all;
}

Result<StudyStatus> read_status(StudyStore& store, const StudyRow& row, const Clock& clock) {
  StudyStatus status;
  status.now = clock.wall();
  TRY_ASSIGN(status.row, store.find_study(row.id));  // it may have changed meanwhile
  TRY_ASSIGN(const std::vector<RunRow> runs, store.runs(row.row));
  std::set<std::string> allocations;
  for (const RunRow& run : runs) {
    ++status.runs[state_of(run)];
    status.attempts += run.attempts;
    if (status.waiting.empty() && run.last && !is_final(run.last->state)) {
      status.waiting = run.last->waiting;
    }
    if (!run.last || run.last->submissions == 0) continue;
    ++status.placed;
    allocations.insert(run.last->allocation);
  }
  status.allocations = static_cast<int>(allocations.size());
  status.total = static_cast<int>(runs.size());
  TRY_ASSIGN(const StudyEvidence evidence, store.evidence(row.row));
  status.node_seconds = evidence.node_seconds;
  TRY(read_money(store, evidence, status));
  for (const PointEvidence& point : evidence.points) {
    status.points.push_back(status_of(point));
    for (const RunEvidence& run : point.runs) {
      if (is_stand_in(run.provenance)) status.caveat = kStandInCaveat;
    }
  }
  TRY_ASSIGN(const auto lease, store.lease(row.row));
  if (lease) status.holder = StudyHolder{*lease, is_live(*lease, status.now)};
  TRY_ASSIGN(status.events, store.events(row.row, 0));
  const auto shown = std::min(status.events.size(), kEventsShown);
  status.events.erase(status.events.begin(), status.events.end() - shown);
  return status;
}

Result<StudyList> list_studies(const Context& context) {
  StudyList list;
  TRY_ASSIGN(list.database, database_of(context));
  if (!database_exists(context)) return list;
  TRY_ASSIGN(const auto store, open_database(context, StudyStore::Access::read_only));
  TRY_ASSIGN(list.studies, store->studies());
  return list;
}

}  // namespace kneepoint
