// SPDX-License-Identifier: Apache-2.0
//
// A run counts by its newest attempt; a run that waits for another attempt counts as planned.
#include "orchestrator/cli/status_text.h"

#include <algorithm>
#include <set>

#include "orchestrator/answers/explain.h"
#include "orchestrator/answers/lookup.h"
#include "orchestrator/answers/prices.h"
#include "orchestrator/base/json_put.h"
#include "orchestrator/base/numbers.h"
#include "orchestrator/base/text.h"
#include "orchestrator/cli/progress_text.h"
#include "orchestrator/cost/spend.h"
#include "orchestrator/model/provenance.h"
#include "orchestrator/plan/plan/catalog.h"
#include "orchestrator/plan/plan/reader.h"
#include "orchestrator/report/table.h"
#include "orchestrator/report/text.h"

namespace kneepoint::cli {
namespace {

constexpr std::size_t kEventsShown = 8;

AttemptState state_of(const RunRow& run) {
  if (!run.last) return AttemptState::planned;
  if (!run.finished && is_final(run.last->state)) return AttemptState::planned;
  return run.last->state;
}

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
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
  status.median_seconds = median(std::move(seconds));
  return status;
}

std::string holder_sentence(const StudyStatus& status) {
  if (!status.holder) return "nobody";
  const std::string who = holder_text(*status.holder);
  const std::string age = age_text(status.now - status.holder->heartbeat_ns);
  return status.holder_is_live ? who + ", heartbeat " + age + " ago"
                               : "nobody (" + who + " is gone; last heartbeat " + age + " ago)";
}

std::string event_line(const Event& event) {
  std::string about;
  if (event.run_number > 0) about = "r" + std::to_string(event.run_number);
  if (event.attempt_number > 0) about += "-a" + std::to_string(event.attempt_number);
  return to_utc_text(event.wall_ns) + "  " + (about.empty() ? "" : about + " ") + event.kind +
         ": " + event.text;
}

std::string counts_text(const StudyStatus& status) {
  std::string text;
  for (const auto& [state, count] : status.runs) {
    text += (text.empty() ? "" : ", ") + std::to_string(count) + " " + to_string(state);
  }
  return text.empty() ? "none yet" : text;
}

Result<void> read_money(StudyStore& store, const StudyEvidence& evidence, StudyStatus& status) {
  const StudyRow& row = status.row;
  if (const auto price = stored_price(row)) {
    TRY_ASSIGN(const std::vector<StudyPrice> earlier, stored_earlier_prices(store, row.row));
    status.spent = spend_of(evidence, *price, earlier);
    status.price = "item " + price->item.name + " of " + price->path;
  }
  const PlanRead plan = read_plan(row.plan_text, row.plan_path, built_in_catalog());
  if (!plan.problems.empty()) return {};
  const Limits& limits = plan.plan.limits;
  status.budget_node_hours = limits.node_hours;
  if (limits.amount_micros > 0) status.budget = Money{limits.amount_micros, limits.currency};
  return {};
}

std::string money_line(const StudyStatus& status) {
  std::string text = rounded_text(*status.spent);
  if (status.budget) text += " of " + rounded_text(*status.budget);
  return text + " (" + status.price + ")";
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
  TRY_ASSIGN(status.holder, store.lease(row.row));
  status.holder_is_live = status.holder && is_live(*status.holder, status.now);
  TRY_ASSIGN(status.events, store.events(row.row, 0));
  if (status.events.size() > kEventsShown) {
    status.events.erase(status.events.begin(),
                        status.events.end() - static_cast<std::ptrdiff_t>(kEventsShown));
  }
  return status;
}

std::string to_text(const StudyStatus& status, int width) {
  const StudyRow& row = status.row;
  const int done = status.in(AttemptState::succeeded) + status.failed();
  std::string out;
  const auto line = [&](const std::string& text) { out += cut_to_width(text, width) + "\n"; };
  line("study:       " + row.id);
  line("state:       " + row.state);
  line("site:        " + row.site + " (" + row.backend + ")");
  line("controller:  " + holder_sentence(status));
  line("runs:        " + bar(done, status.total, 22) + " " + std::to_string(done) + "/" +
       std::to_string(status.total) + " done: " + counts_text(status));
  if (!status.waiting.empty()) line("waiting:     " + status.waiting);
  line("attempts:    " + std::to_string(status.attempts));
  if (status.allocations < status.placed) {
    line("packed:      " + counted(status.placed, "run") + " in " +
         counted(status.allocations, "allocation"));
  }
  if (!status.caveat.empty()) line("caveat:      " + status.caveat);
  line("node-hours:  " + number_text(status.node_seconds / 3600) +
       (status.budget_node_hours > 0
            ? " of " + number_text(status.budget_node_hours) + " in the budget"
            : ""));
  if (status.spent) line("spent:       " + money_line(status));
  line("created:     " + to_utc_text(row.created_ns));
  line("files:       " + row.work_dir);
  if (!status.points.empty()) {
    std::vector<std::vector<std::string>> rows;
    for (const PointStatus& point : status.points) {
      rows.push_back(
          {point.label,
           std::to_string(point.succeeded + point.failed) + "/" + std::to_string(point.total),
           std::to_string(point.failed),
           point.median_seconds > 0 ? to_duration_text(from_seconds(point.median_seconds)) : "-",
           point.trouble});
    }
    out += "\n";
    const std::string table = to_table({{"POINT"},
                                        {"RUNS", Align::right},
                                        {"FAILED", Align::right},
                                        {"MEDIAN T", Align::right},
                                        {"FIRST TROUBLE"}},
                                       rows);
    for (std::size_t i = 0; i < table.size();) {
      const std::size_t end = table.find('\n', i);
      line(table.substr(i, end - i));
      i = end + 1;
    }
  }
  if (!status.events.empty()) out += "\nlast events:\n";
  for (const Event& event : status.events) line("  " + event_line(event));
  return out;
}

std::string to_json(const StudyStatus& status) {
  const StudyRow& row = status.row;
  JsonWriter json;
  json.begin_object().put("study", row.id).put("state", row.state).put("site", row.site);
  json.put("backend", row.backend).put("created", to_utc_text(row.created_ns));
  json.put("work_dir", row.work_dir).key("runs").begin_object().put("total", status.total);
  for (const auto& [state, count] : status.runs) json.put(to_string(state), count);
  json.end_object().put("attempts", status.attempts).put_if_any("waiting", status.waiting);
  json.put("allocations", status.allocations).put_if_any("caveat", status.caveat);
  json.put("node_hours", status.node_seconds / 3600);
  json.put_if_any("budget_node_hours", status.budget_node_hours);
  if (status.spent) {
    json.key("spent").begin_object().put("amount", micros_text(status.spent->micros));
    json.put("currency", status.spent->currency).put("price", status.price).end_object();
  }
  if (status.budget) json.put("budget_amount", micros_text(status.budget->micros));
  json.key("controller");
  if (status.holder) {
    json.begin_object().put("host", status.holder->host).put("pid", status.holder->pid);
    json.put("heartbeat", to_utc_text(status.holder->heartbeat_ns));
    json.put("alive", status.holder_is_live).end_object();
  } else {
    json.null();
  }
  json.put("points", status.points);
  json.put("events", event_stories(status.events));
  return json.end_object().text() + "\n";
}

std::string to_line(const StudyStatus& status) {
  return status.row.id + " " + status.row.state + ": " + counts_text(status) + " of " +
         counted(status.total, "run") +
         (status.waiting.empty() ? "" : "; waiting: " + status.waiting);
}

}  // namespace kneepoint::cli
