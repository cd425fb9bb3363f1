// SPDX-License-Identifier: Apache-2.0
//
// How far studies are: the status of one, all in a list, and the efficiencies so far for the
// progress view. There all cells are equally wide, so that curves stand below each other; a curve
// with more K than the width holds goes on in a further block of three lines.
#include <fmt/core.h>

#include <algorithm>

#include "orchestrator/answers/lookup.h"
#include "orchestrator/base/numbers.h"
#include "orchestrator/base/text.h"
#include "orchestrator/report/answers.h"
#include "orchestrator/report/table.h"
#include "orchestrator/report/terminal/operating.h"
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
  if (status.holder->alive) return fmt::format("{}, heartbeat {} ago", who, age);
  return fmt::format("nobody ({} is gone; last heartbeat {} ago)", who, age);
}

std::string event_line(const Event& event) {
  std::string about;
  if (event.run_number > 0) about = fmt::format("r{}", event.run_number);
  if (event.attempt_number > 0) about += fmt::format("-a{}", event.attempt_number);
  return fmt::format("{}  {}{}{}: {}", to_utc_text(event.wall_ns), about, about.empty() ? "" : " ",
                     event.kind, event.text);
}

std::string counts_text(const StudyStatus& status) {
  std::string text;
  for (const auto& [state, count] : status.runs) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, to_string(state));
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
           [](const P& p) { return p.median_seconds > 0 ? duration_text(p.median_seconds) : "-"; }},
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
  line(fmt::format("runs:        {} {} done: {}", bar(done, status.total, 22),
                   done_of(done, status.total), counts_text(status)));
  if (!status.waiting.empty()) line("waiting:     " + status.waiting);
  line("attempts:    " + std::to_string(status.attempts));
  if (status.allocations < status.placed) {
    line(fmt::format("packed:      {} in {}", counted(status.placed, "run"),
                     counted(status.allocations, "allocation")));
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
  return fmt::format("{} {}: {} of {}{}", status.row.id, status.row.state, counts_text(status),
                     counted(status.total, "run"),
                     status.waiting.empty() ? "" : "; waiting: " + status.waiting);
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

// ---- The efficiencies so far

namespace {

constexpr int kBlockLines = 3;

struct LiveCell {
  std::string k, efficiency, runs;
  std::size_t width() const {
    return std::max({display_width(k), display_width(efficiency), display_width(runs)});
  }
};

LiveCell cell_of(const PointSummary& p) {
  const int done = p.valid + p.failed;
  LiveCell cell{std::to_string(p.point.k), "-", done_of(done, done + p.pending)};
  if (p.failed > 0) cell.runs += "!";
  if (p.valid == 0) return cell;
  cell.efficiency = p.baseline ? "1 (K0)" : fixed_text(p.efficiency, 2);
  if (const auto& interval = p.efficiency_interval; interval && !p.baseline) {
    cell.efficiency += fmt::format("±{:.2f}", (interval->high - interval->low) / 2);
  }
  return cell;
}

std::string with_ellipsis(const std::string& text, std::size_t width) {
  return display_width(text) <= width ? text : cut_to_width(text, width - 1) + "…";
}

std::string live_label(const Curve& curve, const std::string& label) {
  const bool by_work = std::any_of(curve.points.begin(), curve.points.end(),
                                   [](const PointSummary& p) { return p.is_by_work(); });
  return (curve.stand_in ? "CPU stand-in: " : "") + label + (by_work ? ", E by work" : "");
}

}  // namespace

std::string to_live_table(const StudySummary& summary, const TerminalStyle& style, int max_lines) {
  std::vector<std::string> labels = curve_labels(summary);
  std::size_t label_width = 0, cell_width = 0;
  for (std::size_t c = 0; c < labels.size(); ++c) {
    labels[c] = live_label(summary.curves[c], labels[c]);
    label_width = std::max(label_width, display_width(labels[c]));
    for (const PointSummary& p : summary.curves[c].points) {
      cell_width = std::max(cell_width, cell_of(p).width());
    }
  }
  const auto width = static_cast<std::size_t>(std::max(style.width, 40));
  label_width = std::min(label_width, width / 3);
  const std::size_t in_block =
      std::max<std::size_t>(1, (width - std::min(width, label_width + 6)) / (2 + cell_width));

  std::vector<std::string> blocks;  // three lines each
  for (std::size_t c = 0; c < summary.curves.size(); ++c) {
    const std::vector<PointSummary>& points = summary.curves[c].points;
    for (std::size_t from = 0; from == 0 || from < points.size(); from += in_block) {
      const std::string label = from == 0 ? with_ellipsis(labels[c], label_width) : "";
      std::string k = pad(label, label_width, false) + "  K   ";
      std::string e = std::string(label_width, ' ') + "  E   ";
      std::string runs = std::string(label_width, ' ') + "  runs";
      for (std::size_t i = from; i < std::min(from + in_block, points.size()); ++i) {
        const LiveCell cell = cell_of(points[i]);
        k += "  " + pad(cell.k, cell_width, true);
        e += "  " + pad(cell.efficiency, cell_width, true);
        runs += "  " + pad(cell.runs, cell_width, true);
      }
      blocks.push_back(k + "\n" + e + "\n" + runs + "\n");
    }
  }

  const auto lines = static_cast<int>(blocks.size()) * kBlockLines;
  std::size_t shown = blocks.size();
  if (lines > max_lines) shown = static_cast<std::size_t>(std::max(0, max_lines - 1)) / kBlockLines;
  std::string out;
  for (std::size_t i = 0; i < shown; ++i) out += blocks[i];
  if (shown < blocks.size() && max_lines > 0) {
    out += "… more curves: `kneepoint report` shows all\n";
  }
  return out;
}

}  // namespace kneepoint
