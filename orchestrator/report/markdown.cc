// SPDX-License-Identifier: Apache-2.0
//
// The same tables for a pull request or a wiki page. Names are escaped: no plan adds a column.
#include <algorithm>

#include "orchestrator/report/curve_table.h"
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
std::vector<std::string> merged(const CurveTable& table, const std::vector<std::string>& cells) {
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

std::string table_text(const CurveTable& table) {
  bool flags = false;
  for (const std::string& flag : table.flags) flags = flags || !flag.empty();
  std::vector<std::string> names;
  for (const Column& column : table.columns) {
    names.push_back(column.header);
    std::replace(names.back().begin(), names.back().end(), '\n', ' ');
  }
  std::vector<std::string> header = merged(table, names);
  std::vector<std::string> rule(header.size(), "---:");
  if (flags) {
    header.emplace_back("flags");
    rule.emplace_back("---");
  }
  std::string out = row_text(header) + row_text(rule);
  for (std::size_t r = 0; r < table.rows.size(); ++r) {
    std::vector<std::string> cells = merged(table, table.rows[r]);
    if (flags) cells.push_back(escaped(table.flags[r]));
    out += row_text(cells);
  }
  return out;
}

}  // namespace

std::string to_markdown(const Document& document) {
  const StudyEvidence& study = document.study;
  std::string out = "# " + escaped(study.id) + "\n\n";
  if (document.red) out += "**RED: " + escaped(document.red_reason) + "**\n\n";
  out += "**" + escaped(document.headline) + "**\n\n";
  out += escaped(study.state) + " on " + escaped(study.site) + " (" + escaped(study.backend) +
         "), worker: " + to_string(study.worker) + ", seed " + std::to_string(study.seed) + "\n";
  for (std::size_t i = 0; i < document.summary.curves.size(); ++i) {
    const CurveTable table =
        make_curve_table(document.summary.curves[i], document.summary.knees[i]);
    out += "\n## " + escaped(table.title) + "\n\n" + escaped(table.held_fixed) + "\n\n";
    for (const std::string& finding : table.findings) {
      out += "> **Finding:** " + escaped(finding) + "\n\n";
    }
    out += table_text(table) + "\n**" + escaped(table.knee) + "**\n";
    for (const std::string& line : table.below) out += "\n" + escaped(line) + "\n";
  }
  if (document.answers.size() > 1) {
    out += "\n## Answers\n\n";
    for (const std::string& answer : document.answers) out += "- " + escaped(answer) + "\n";
  }
  if (!document.notes.empty()) {
    out += "\n## Notes\n\n";
    for (const std::string& note : document.notes) out += "- " + escaped(note) + "\n";
  }
  return out;
}

}  // namespace kneepoint
