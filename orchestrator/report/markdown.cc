// SPDX-License-Identifier: Apache-2.0
//
// The same tables for a pull request or a wiki page. Names are escaped: no plan adds a column.
#include <algorithm>

#include "orchestrator/report/answers.h"
#include "orchestrator/report/curve_table.h"
#include "orchestrator/report/detail_tables.h"
#include "orchestrator/report/document.h"
#include "orchestrator/report/text.h"

namespace kneepoint {
namespace {

// Brackets stay as they are, except where they would begin a link's target.
std::string escaped(const std::string& text) {
  const std::string safe = plain(text);
  std::string out;
  for (std::size_t i = 0; i < safe.size(); ++i) {
    const char c = safe[i];
    const bool link = c == ']' && i + 1 < safe.size() && safe[i + 1] == '(';
    if (link || c == '|' || c == '*' || c == '_' || c == '`' || c == '<' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

std::string row_text(const std::vector<std::string>& cells) {
  std::string out = "|";
  for (const std::string& cell : cells) out += " " + cell + " |";
  return out + "\n";
}

// An interval shares the cell of the value it belongs to.
std::vector<std::string> merged(const TextTable& table, const std::vector<std::string>& cells) {
  std::vector<std::string> out;
  for (std::size_t c = 0; c < cells.size(); ++c) {
    if (table.columns[c].belongs_left && !out.empty()) {
      if (!cells[c].empty()) out.back() += " " + escaped(cells[c]);
    } else {
      out.push_back(escaped(cells[c]));
    }
  }
  return out;
}

// `flags`: one per row, or none at all.
std::string table_text(const TextTable& table, const std::vector<std::string>& flags) {
  const bool flagged = std::any_of(flags.begin(), flags.end(),
                                   [](const std::string& flag) { return !flag.empty(); });
  std::vector<std::string> names;
  for (const Column& column : table.columns) {
    // A word broken for a narrow column is whole again.
    std::string name = column.header;
    if (const std::size_t broken = name.find("-\n"); broken != std::string::npos) {
      name.erase(broken, 2);
    }
    std::replace(name.begin(), name.end(), '\n', ' ');
    names.push_back(name);
  }
  std::vector<std::string> header = merged(table, names);
  std::vector<std::string> rule;
  for (const Column& column : table.columns) {
    if (!column.belongs_left || rule.empty()) rule.emplace_back(column.right ? "---:" : "---");
  }
  if (flagged) {
    header.emplace_back("flags");
    rule.emplace_back("---");
  }
  std::string out = row_text(header) + row_text(rule);
  for (std::size_t r = 0; r < table.rows.size(); ++r) {
    std::vector<std::string> cells = merged(table, table.rows[r]);
    if (flagged) cells.push_back(escaped(flags[r]));
    out += row_text(cells);
  }
  return out;
}

std::string detail_text(const DetailTable& table, const char* level) {
  std::string out = std::string("\n") + level + " " + escaped(table.title) + "\n\n";
  if (!table.columns.empty()) out += table_text(table, {}) + (table.lines.empty() ? "" : "\n");
  for (const std::string& line : table.lines) {
    const std::size_t indent = std::min(line.find_first_not_of(' '), line.size());
    out += std::string(indent, ' ') + "- " + escaped(line.substr(indent)) + "\n";
  }
  return out;
}

}  // namespace

std::string to_markdown(const Document& document, bool brief) {
  const StudyEvidence& study = document.study;
  std::string out = "# " + escaped(study.id) + "\n\n";
  if (document.red) out += "**RED: " + escaped(document.red_reason) + "**\n\n";
  out += "**" + escaped(document.headline) + "**\n\n";
  out += escaped(study.state) + " on " + escaped(study.site) + " (" + escaped(study.backend) +
         "), worker: " + to_string(study.worker) + ", seed " + std::to_string(study.seed) + "\n";
  if (!document.queue.empty()) out += "\n" + escaped(document.queue) + "\n";
  for (const std::string& finding : document.findings) {
    out += "\n> **Finding:** " + escaped(finding) + "\n";
  }
  int number = 0;
  if (!document.questions.empty()) out += "\n";
  for (const Question& question : document.questions) {
    out += std::to_string(++number) + ". **" + escaped(question.question) + "**\n";
    for (const std::string& line : to_lines(question)) out += "   - " + escaped(line) + "\n";
  }
  if (!document.sentences.empty()) out += "\n";
  for (const std::string& sentence : document.sentences) out += "- " + escaped(sentence) + "\n";
  if (document.cost) {
    out += "\n## What it costs\n\n";
    for (const std::string& line : document.cost->sentences) out += "- " + escaped(line) + "\n";
    out += "\n" + escaped(prices_line(document.cost->book, document.cost->item)) + "\n";
  }
  const std::vector<CurveView> views = curve_views(study, document.analysis);
  for (const CurveView& view : views) {
    const CurveTable table = make_curve_table(*view.curve, *view.floor_knee);
    out += "\n## " + escaped(table.title) + "\n\n" + escaped(table.held_fixed) + "\n\n";
    for (const std::string& finding : table.findings) {
      out += "> **Finding:** " + escaped(finding) + "\n\n";
    }
    out += table_text(table, table.flags);
    for (const std::string& line : table.below) out += "\n" + escaped(line) + "\n";
    if (brief) continue;
    for (const DetailTable& detail : detail_tables(view)) out += detail_text(detail, "###");
  }
  if (!brief) {
    for (const DetailTable& detail : cost_tables(document.cost, views)) {
      out += detail_text(detail, "##");
    }
    for (const DetailTable& detail : study_tables(document.analysis)) {
      out += detail_text(detail, "##");
    }
  }
  if (!document.notes.empty()) {
    out += "\n## Notes\n\n";
    for (const std::string& note : document.notes) out += "- " + escaped(note) + "\n";
  }
  return out;
}

}  // namespace kneepoint
