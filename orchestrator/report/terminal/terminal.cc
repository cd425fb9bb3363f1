// SPDX-License-Identifier: Apache-2.0
//
// Tables for a terminal: aligned, a bar for E and the flags beside the numbers where the width
// allows, below the table where it doesn't. Colour only adds to what the text already says.
#include <algorithm>
#include <cmath>

#include "orchestrator/report/answers.h"
#include "orchestrator/report/terminal/table.h"
#include "orchestrator/report/text.h"

namespace kneepoint {
namespace {

constexpr int kLongestBar = 10;
constexpr int kShortestBar = 5;

struct Layout {
  std::size_t gap = 2;
  int bar = 0;        // cells
  bool flags = true;  // beside the row; else below the table
};

// All cells for E = 1, in eighths of a cell; more than ideal fills them all too.
std::string bar_of(double efficiency, int cells, bool unicode) {
  static constexpr const char* kEighths[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  const auto eighths = static_cast<int>(std::lround(std::clamp(efficiency, 0.0, 1.0) * 8 * cells));
  std::string bar;
  if (!unicode) return std::string(static_cast<std::size_t>((eighths + 4) / 8), '#');
  for (int i = 0; i < eighths / 8; ++i) bar += "█";
  return bar + kEighths[eighths % 8];
}

std::size_t total_width(const CurveTable& table, const std::vector<std::size_t>& widths,
                        const Layout& layout) {
  std::size_t total = 0, flags = 0;
  for (std::size_t c = 0; c < widths.size(); ++c) {
    total += gap_before(table, c, layout.gap) + widths[c];
  }
  if (layout.bar > 0) total += layout.gap + static_cast<std::size_t>(layout.bar);
  for (const std::string& flag : table.flags) flags = std::max(flags, display_width(flag));
  if (layout.flags && flags > 0) total += layout.gap + flags;
  return total;
}

// Room between columns first, then a bar, then flags beside the row. The bar takes what is left.
Layout layout_for(const CurveTable& table, const std::vector<std::size_t>& widths, int width) {
  static constexpr Layout kChoices[] = {
      {2, kShortestBar, true}, {2, kShortestBar, false}, {2, 0, true}, {2, 0, false}, {1, 0, true},
      {1, 0, false},
  };
  for (Layout layout : kChoices) {
    const int left = width - static_cast<int>(total_width(table, widths, layout));
    if (left < 0) continue;
    if (layout.bar > 0) layout.bar = std::min(kLongestBar, layout.bar + left);
    return layout;
  }
  return {1, 0, false};
}

// Leaves out columns that say the same in every row, or repeat K, until the rest fits; says so
// above the table.
void make_fit(CurveTable& table, int width) {
  const Layout narrowest{1, 0, false};
  for (std::size_t c = 0; c < table.columns.size();) {
    if (total_width(table, widths_of(table), narrowest) <= static_cast<std::size_t>(width)) return;
    const auto all_rows = [&](auto holds) {
      return std::all_of(table.rows.begin(), table.rows.end(), holds);
    };
    const bool same = all_rows([&](const auto& row) { return row[c] == table.rows[0][c]; });
    const bool as_k = all_rows([&](const auto& row) { return row[c] == row[0]; });
    if (!table.columns[c].may_go || table.rows.empty() || !(same || as_k)) {
      ++c;
      continue;
    }
    table.held_fixed += "; " + table.columns[c].title +
                        (same ? " " + table.rows[0][c] + " at every K" : std::string(" = K"));
    table.columns.erase(table.columns.begin() + static_cast<std::ptrdiff_t>(c));
    for (auto& row : table.rows) row.erase(row.begin() + static_cast<std::ptrdiff_t>(c));
  }
}

std::string drawn_rows(const CurveTable& table, double floor, const TerminalStyle& style) {
  const Paint paint(style.color);
  const std::vector<std::size_t> widths = widths_of(table);
  const Layout layout = layout_for(table, widths, style.width);
  std::string out;
  std::string header = drawn_header(table, widths, layout.gap);
  while (!header.empty()) {
    const std::size_t end = header.find('\n') + 1;
    out += paint.dim(header.substr(0, end));
    header.erase(0, end);
  }
  for (std::size_t r = 0; r < table.rows.size(); ++r) {
    out += drawn_row(table, widths, layout.gap, r);
    if (layout.bar > 0) {
      const std::string bar = bar_of(table.efficiency[r], layout.bar, style.unicode);
      out += std::string(layout.gap, ' ') + paint.by_efficiency(bar, table.efficiency[r], floor) +
             std::string(static_cast<std::size_t>(layout.bar) - display_width(bar), ' ');
    }
    if (layout.flags && !table.flags[r].empty()) {
      out += std::string(layout.gap, ' ') + paint.warning(table.flags[r]);
    }
    trim_and_end(out);
  }
  if (!layout.flags) {
    for (std::size_t r = 0; r < table.rows.size(); ++r) {
      if (table.flags[r].empty()) continue;
      out +=
          paint.warning(wrapped("K=" + table.rows[r][0] + ": " + table.flags[r], style.width, 2));
    }
  }
  return out;
}

std::string counts_of(const StudyEvidence& study) {
  int runs = 0, valid = 0, failed = 0;
  for (const PointEvidence& point : study.points) {
    for (const RunEvidence& run : point.runs) {
      ++runs;
      if (run.state == AttemptState::succeeded) {
        ++valid;
      } else if (run.finished) {
        ++failed;
      }
    }
  }
  std::string text = std::to_string(runs) + " runs: " + std::to_string(valid) + " valid, " +
                     std::to_string(failed) + " failed";
  if (runs > valid + failed) text += ", " + std::to_string(runs - valid - failed) + " to do";
  return text;
}

}  // namespace

std::string to_terminal(const Document& document, const TerminalStyle& style) {
  const Paint paint(style.color);
  const StudyEvidence& study = document.study;
  std::string out;
  if (document.red) {
    out += paint.alarm(wrapped("RED: " + plain(document.red_reason), style.width, 0)) + "\n";
  }
  out += paint.bold(plain(study.id)) + "  " + plain(study.state) + " on " + plain(study.site) +
         (study.site == study.backend ? "" : " (" + plain(study.backend) + ")") +
         ", worker: " + to_string(study.worker) + "\n";
  out += counts_of(study);
  if (study.created_ns > 0) out += "; created " + to_utc_text(study.created_ns);
  if (study.node_seconds > 0) {
    out += "; " + significant_text(study.node_seconds / 3600, 3) + " node-hours";
  }
  out += "\n";
  if (!document.queue.empty()) out += wrapped(plain(document.queue), style.width, 0);
  out += "\n" + paint.bold(wrapped(document.headline, style.width, 0));
  for (const std::string& finding : document.findings) {
    out += paint.warning(wrapped("! " + plain(finding), style.width, 0));
  }

  int number = 0;
  if (!document.questions.empty()) out += "\n";
  for (const Question& question : document.questions) {
    out += paint.bold(std::to_string(++number) + ". " + question.question) + "\n";
    for (const std::string& line : to_lines(question)) out += wrapped(line, style.width, 3);
  }
  out += "\n";
  for (const std::string& sentence : document.sentences) out += wrapped(sentence, style.width, 0);
  if (document.cost) {
    out += "\n" + paint.bold("What it costs") + "\n";
    for (const std::string& line : document.cost->sentences) out += wrapped(line, style.width, 0);
    out +=
        paint.dim(wrapped(prices_line(document.cost->book, document.cost->item), style.width, 0));
  }

  const std::vector<CurveView> views = curve_views(document.analysis);
  for (std::size_t i = 0; i < views.size(); ++i) {
    CurveTable table = document.curves[i].table;
    make_fit(table, style.width);
    out += "\n" + paint.bold(wrapped(table.title, style.width, 0));
    out += wrapped(table.held_fixed, style.width, 2);
    for (const std::string& finding : table.findings) {
      out += paint.warning(wrapped("! " + finding, style.width, 2));
    }
    out += drawn_rows(table, study.knee_floor, style);
    for (const std::string& line : table.below) out += paint.dim(wrapped(line, style.width, 2));
    if (style.brief) continue;
    if (const std::string sketch = drawn_curve(views[i], style); !sketch.empty())
      out += "\n" + sketch;
    for (const DetailTable& detail : document.curves[i].details) {
      out += "\n" + drawn_detail(detail, style);
    }
  }
  if (!style.brief) {
    for (const DetailTable& detail : document.cost_tables) {
      out += "\n" + drawn_detail(detail, style);
    }
    for (const DetailTable& detail : document.tables) {
      out += "\n" + drawn_detail(detail, style);
    }
  }
  if (!document.notes.empty()) {
    out += "\n" + paint.bold("Notes") + "\n";
    for (const std::string& note : document.notes) {
      out += wrapped("- " + plain(note), style.width, 2);
    }
  }
  return out;
}

}  // namespace kneepoint
