// SPDX-License-Identifier: Apache-2.0
//
// A report for a terminal: aligned tables, a bar for E and the flags beside the numbers where the
// width allows, below the table where it doesn't. Colour only adds to what the text already says.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "orchestrator/report/terminal/table.h"
#include "orchestrator/report/text.h"

namespace kneepoint {

std::string Paint::by_efficiency(const std::string& text, double e, double floor) const {
  return in(e >= floor * (1 - 1e-12) ? "32" : e < 0.5 ? "31" : "33", text);
}

std::string Paint::in(const char* code, const std::string& text) const {
  if (!on_ || text.empty()) return text;
  const bool line = text.back() == '\n';  // the colour ends before the line does
  return fmt::format("\x1b[{}m{}\x1b[0m{}", code, text.substr(0, text.size() - (line ? 1 : 0)),
                     line ? "\n" : "");
}

namespace {

TextTable some_columns(const TextTable& table, const std::vector<std::size_t>& columns) {
  TextTable part;
  for (const std::size_t c : columns) part.columns.push_back(table.columns[c]);
  for (const auto& row : table.rows) {
    part.rows.emplace_back();
    for (const std::size_t c : columns) part.rows.back().push_back(row[c]);
  }
  return part;
}

// Each block begins with the first column; an interval stays with its value.
std::vector<TextTable> blocks_of(const TextTable& table, std::size_t width) {
  std::vector<TextTable> blocks;
  std::vector<std::size_t> columns = {0};
  for (std::size_t c = 1; c < table.columns.size();) {
    std::size_t end = c + 1;
    while (end < table.columns.size() && table.columns[end].belongs_left) ++end;
    std::vector<std::size_t> more = columns;
    for (; c < end; ++c) more.push_back(c);
    if (columns.size() > 1 && total_width(some_columns(table, more), {}) > width) {
      blocks.push_back(some_columns(table, columns));
      more.erase(more.begin() + 1, more.begin() + static_cast<std::ptrdiff_t>(columns.size()));
    }
    columns = std::move(more);
  }
  blocks.push_back(some_columns(table, columns));
  return blocks;
}

// A line that begins with spaces is set in further.
std::string drawn_line(const std::string& line, int width) {
  const std::size_t indent = std::min(line.find_first_not_of(' '), line.size());
  return wrapped(line.substr(indent), width, 4 + static_cast<int>(indent));
}

// ---- The table of a curve

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

std::size_t width_with(const CurveTable& table, const Layout& layout) {
  std::size_t total = total_width(table, {2, layout.gap}), flags = 0;
  if (layout.bar > 0) total += layout.gap + static_cast<std::size_t>(layout.bar);
  for (const std::string& flag : table.flags) flags = std::max(flags, display_width(flag));
  return total + (layout.flags && flags > 0 ? layout.gap + flags : 0);
}

// Room between columns first, then a bar, then flags beside the row. The bar takes what is left.
Layout layout_for(const CurveTable& table, int width) {
  static constexpr Layout kChoices[] = {
      {2, kShortestBar, true}, {2, kShortestBar, false}, {2, 0, true}, {2, 0, false}, {1, 0, true},
      {1, 0, false},
  };
  for (Layout layout : kChoices) {
    const int left = width - static_cast<int>(width_with(table, layout));
    if (left < 0) continue;
    if (layout.bar > 0) layout.bar = std::min(kLongestBar, layout.bar + left);
    return layout;
  }
  return {1, 0, false};
}

// Leaves out columns that say the same in every row, or repeat K, until the rest fits; says so
// above the table.
void make_fit(CurveTable& table, int width) {
  for (std::size_t c = 0; c < table.columns.size();) {
    if (width_with(table, {1, 0, false}) <= static_cast<std::size_t>(width)) return;
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
    drop_column(table, c);
  }
}

std::string drawn_rows(const CurveTable& table, double floor, const TerminalStyle& style) {
  const Paint paint(style.color);
  const std::vector<std::size_t> widths = widths_of(table);
  const Layout layout = layout_for(table, style.width);
  const std::string gap(layout.gap, ' ');
  std::string out;
  for (const auto& line : drawn_header(table, widths, {2, layout.gap})) out += paint.dim(line);
  for (std::size_t r = 0; r < table.rows.size(); ++r) {
    out += drawn_row(table, widths, {2, layout.gap}, r);
    if (layout.bar > 0) {
      const std::string bar = bar_of(table.efficiency[r], layout.bar, style.unicode);
      out += gap + paint.by_efficiency(bar, table.efficiency[r], floor) +
             std::string(static_cast<std::size_t>(layout.bar) - display_width(bar), ' ');
    }
    if (layout.flags && !table.flags[r].empty()) out += gap + paint.warning(table.flags[r]);
    trim_and_end(out);
  }
  for (std::size_t r = 0; r < table.rows.size(); ++r) {
    if (layout.flags || table.flags[r].empty()) continue;
    out += paint.warning(wrapped("K=" + table.rows[r][0] + ": " + table.flags[r], style.width, 2));
  }
  return out;
}

std::string counts_of(const StudyEvidence& study) {
  int runs = 0, valid = 0, failed = 0;
  for (const PointEvidence& point : study.points) {
    for (const RunEvidence& run : point.runs) {
      ++runs;
      const bool good = run.state == AttemptState::succeeded;
      valid += good;
      failed += run.finished && !good;
    }
  }
  std::string text = fmt::format("{} runs: {} valid, {} failed", runs, valid, failed);
  if (runs > valid + failed) text += fmt::format(", {} to do", runs - valid - failed);
  return text;
}

}  // namespace

std::string drawn_table(const TextTable& table, const TerminalStyle& style) {
  const Paint paint(style.color);
  constexpr Spacing kSpacing{4, 2};
  std::string out = wrapped(table.title, style.width, 2);
  if (!table.columns.empty()) {
    const auto width = static_cast<std::size_t>(std::max(style.width - 2, 20));
    for (const TextTable& block : blocks_of(table, width)) {
      const std::vector<std::size_t> widths = widths_of(block);
      for (const auto& line : drawn_header(block, widths, kSpacing)) out += paint.dim(line);
      for (std::size_t r = 0; r < block.rows.size(); ++r) {
        out += drawn_row(block, widths, kSpacing, r);
        trim_and_end(out);
      }
    }
  }
  for (const std::string& line : table.lines) out += drawn_line(line, style.width);
  return out;
}

std::string to_terminal(const Document& document, const TerminalStyle& style) {
  const Paint paint(style.color);
  const StudyEvidence& study = document.study;
  const auto lines = [&](const std::vector<std::string>& texts, const char* sign, int indent) {
    std::string out;
    for (const std::string& text : texts) out += wrapped(sign + plain(text), style.width, indent);
    return out;
  };
  const auto findings = [&](const std::vector<std::string>& texts, int indent) {
    std::string out;
    for (const std::string& one : texts) out += paint.warning(lines({one}, "! ", indent));
    return out;
  };
  const auto drawn_tables = [&](const std::vector<TextTable>& tables) {
    std::string out;
    for (const TextTable& table : tables) out += "\n" + drawn_table(table, style);
    return style.brief ? "" : out;
  };
  std::string out;
  if (document.red) out += paint.alarm(lines({document.red_reason}, "RED: ", 0)) + "\n";
  out += fmt::format("{}  {} on {}{}, worker: {}\n", paint.bold(plain(study.id)),
                     plain(study.state), plain(study.site),
                     study.site == study.backend ? "" : " (" + plain(study.backend) + ")",
                     to_string(study.worker));
  out += counts_of(study);
  if (study.created_ns > 0) out += "; created " + to_utc_text(study.created_ns);
  if (study.node_seconds > 0) {
    out += "; " + significant_text(study.node_seconds / 3600, 3) + " node-hours";
  }
  out += "\n";
  if (!document.queue.empty()) out += lines({document.queue}, "", 0);
  out += "\n" + paint.bold(wrapped(document.headline, style.width, 0)) +
         findings(document.findings, 0);

  int number = 0;
  if (!document.questions.empty()) out += "\n";
  for (const Question& question : document.questions) {
    out += paint.bold(fmt::format("{}. {}", ++number, question.question)) + "\n";
    for (const std::string& line : to_lines(question)) out += wrapped(line, style.width, 3);
  }
  out += "\n" + lines(document.sentences, "", 0);
  if (document.cost) {
    out += "\n" + paint.bold("What it costs") + "\n" + lines(document.cost->sentences, "", 0) +
           paint.dim(lines({prices_line(*document.cost)}, "", 0));
  }

  const std::vector<CurveView> views = curve_views(document.analysis);
  for (std::size_t i = 0; i < views.size(); ++i) {
    CurveTable table = document.curves[i].table;
    make_fit(table, style.width);
    out += "\n" + paint.bold(wrapped(table.title, style.width, 0)) +
           wrapped(table.held_fixed, style.width, 2) + findings(table.findings, 2) +
           drawn_rows(table, study.knee_floor, style);
    for (const std::string& line : table.lines) out += paint.dim(wrapped(line, style.width, 2));
    const std::string sketch = style.brief ? "" : drawn_curve(views[i], style);
    if (!sketch.empty()) out += "\n" + sketch;
    out += drawn_tables(document.curves[i].details);
  }
  out += drawn_tables(document.cost_tables) + drawn_tables(document.tables);
  if (!document.notes.empty()) {
    out += "\n" + paint.bold("Notes") + "\n" + lines(document.notes, "- ", 2);
  }
  return out;
}

}  // namespace kneepoint
