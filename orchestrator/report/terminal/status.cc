// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/report/terminal/operating.h"

#include <algorithm>

#include "orchestrator/answers/lookup.h"
#include "orchestrator/base/numbers.h"
#include "orchestrator/base/text.h"
#include "orchestrator/report/table.h"
#include "orchestrator/report/text.h"

namespace kneepoint {
namespace {

std::string done_of(int done, int total) {
  return std::to_string(done) + "/" + std::to_string(total);
}

std::string holder_sentence(const StudyStatus& status) {
  if (!status.holder) return "nobody";
  const Lease& lease = status.holder->lease;
  const std::string who = holder_text(lease);
  const std::string age = age_text(status.now - lease.heartbeat_ns);
  return status.holder->alive ? who + ", heartbeat " + age + " ago"
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

std::string money_line(const StudyStatus& status) {
  std::string text = rounded_text(status.spent->money);
  if (status.budget) text += " of " + rounded_text(*status.budget);
  return text + " (" + status.spent->price + ")";
}

std::vector<ColumnOf<PointStatus>> point_columns() {
  using P = PointStatus;
  return {{"POINT", [](const P& p) { return p.label; }, Align::left},
          {"RUNS", [](const P& p) { return done_of(p.succeeded + p.failed, p.total); }},
          {"FAILED", [](const P& p) { return std::to_string(p.failed); }},
          {"MEDIAN T",
           [](const P& p) {
             const bool known = p.median_seconds > 0;
             return known ? to_duration_text(from_seconds(p.median_seconds)) : std::string("-");
           }},
          {"FIRST TROUBLE", [](const P& p) { return p.trouble; }, Align::left}};
}

}  // namespace

std::string bar(int done, int total, int width) {
  const int inner = std::max(1, width - 2);
  const int filled =
      total <= 0 ? 0 : static_cast<int>(static_cast<long>(inner) * std::min(done, total) / total);
  return "[" + std::string(static_cast<std::size_t>(filled), '#') +
         std::string(static_cast<std::size_t>(inner - filled), '-') + "]";
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
  line("runs:        " + bar(done, status.total, 22) + " " + done_of(done, status.total) +
       " done: " + counts_text(status));
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
    out += "\n";
    const std::string table = to_table(point_columns(), status.points);
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

std::string to_line(const StudyStatus& status) {
  return status.row.id + " " + status.row.state + ": " + counts_text(status) + " of " +
         counted(status.total, "run") +
         (status.waiting.empty() ? "" : "; waiting: " + status.waiting);
}

std::string to_text(const StudyList& list, Nanoseconds now) {
  using R = StudyRow;
  const std::vector<ColumnOf<R>> columns = {
      {"STUDY", [](const R& r) { return r.id; }, Align::left},
      {"STATE", [](const R& r) { return r.state; }, Align::left},
      {"RUNS", [](const R& r) { return done_of(r.succeeded + r.failed, r.runs); }},
      {"FAILED", [](const R& r) { return std::to_string(r.failed); }},
      {"BACKEND", [](const R& r) { return r.backend; }, Align::left},
      {"SITE", [](const R& r) { return r.site; }, Align::left},
      {"AGE", [now](const R& r) { return age_text(now - r.created_ns); }}};
  return to_table(columns, list.studies);
}

}  // namespace kneepoint
