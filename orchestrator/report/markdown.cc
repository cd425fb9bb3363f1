// SPDX-License-Identifier: Apache-2.0
//
// The same tables for a pull request or a wiki page. Names are escaped: no plan adds a column.
#include <algorithm>

#include "orchestrator/report/document.h"
#include "orchestrator/report/markdown_text.h"
#include "orchestrator/report/tables/detail_tables.h"
#include "orchestrator/report/text.h"

namespace kneepoint {
namespace {

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
      if (!cells[c].empty()) out.back() += " " + markdown_text(cells[c]);
    } else {
      out.push_back(markdown_text(cells[c]));
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
    std::string name = column.title;
    if (const std::size_t broken = name.find("-\n"); broken != std::string::npos) {
      name.erase(broken, 2);
    }
    std::replace(name.begin(), name.end(), '\n', ' ');
    names.push_back(name);
  }
  std::vector<std::string> header = merged(table, names);
  std::vector<std::string> rule;
  for (const Column& column : table.columns) {
    if (!column.belongs_left || rule.empty())
      rule.emplace_back(column.align == Align::right ? "---:" : "---");
  }
  if (flagged) {
    header.emplace_back("flags");
    rule.emplace_back("---");
  }
  std::string out = row_text(header) + row_text(rule);
  for (std::size_t r = 0; r < table.rows.size(); ++r) {
    std::vector<std::string> cells = merged(table, table.rows[r]);
    if (flagged) cells.push_back(markdown_text(flags[r]));
    out += row_text(cells);
  }
  return out;
}

std::string detail_text(const DetailTable& table, const char* level) {
  std::string out = std::string("\n") + level + " " + markdown_text(table.title) + "\n\n";
  if (!table.columns.empty()) out += table_text(table, {}) + (table.lines.empty() ? "" : "\n");
  for (const std::string& line : table.lines) {
    const std::size_t indent = std::min(line.find_first_not_of(' '), line.size());
    out += std::string(indent, ' ') + "- " + markdown_text(line.substr(indent)) + "\n";
  }
  return out;
}

}  // namespace

std::string to_markdown(const Document& document, bool brief) {
  const StudyEvidence& study = document.study;
  std::string out = "# " + markdown_text(study.id) + "\n\n";
  if (document.red) out += "**RED: " + markdown_text(document.red_reason) + "**\n\n";
  out += "**" + markdown_text(document.headline) + "**\n\n";
  out += markdown_text(study.state) + " on " + markdown_text(study.site) + " (" +
         markdown_text(study.backend) + "), worker: " + to_string(study.worker) + ", seed " +
         std::to_string(study.seed) + "\n";
  if (!document.queue.empty()) out += "\n" + markdown_text(document.queue) + "\n";
  for (const std::string& finding : document.findings) {
    out += "\n> **Finding:** " + markdown_text(finding) + "\n";
  }
  int number = 0;
  if (!document.questions.empty()) out += "\n";
  for (const Question& question : document.questions) {
    out += std::to_string(++number) + ". **" + markdown_text(question.question) + "**\n";
    for (const std::string& line : to_lines(question)) out += "   - " + markdown_text(line) + "\n";
  }
  if (!document.sentences.empty()) out += "\n";
  for (const std::string& sentence : document.sentences)
    out += "- " + markdown_text(sentence) + "\n";
  if (document.cost) {
    out += "\n## What it costs\n\n";
    for (const std::string& line : document.cost->sentences)
      out += "- " + markdown_text(line) + "\n";
    out += "\n" + markdown_text(prices_line(document.cost->book, document.cost->item)) + "\n";
  }
  for (const CurvePart& part : document.curves) {
    const CurveTable& table = part.table;
    out += "\n## " + markdown_text(table.title) + "\n\n" + markdown_text(table.held_fixed) + "\n\n";
    for (const std::string& finding : table.findings) {
      out += "> **Finding:** " + markdown_text(finding) + "\n\n";
    }
    out += table_text(table, table.flags);
    for (const std::string& line : table.below) out += "\n" + markdown_text(line) + "\n";
    if (brief) continue;
    for (const DetailTable& detail : part.details) out += detail_text(detail, "###");
  }
  if (!brief) {
    for (const DetailTable& detail : document.cost_tables) {
      out += detail_text(detail, "##");
    }
    for (const DetailTable& detail : document.tables) {
      out += detail_text(detail, "##");
    }
  }
  if (!document.notes.empty()) {
    out += "\n## Notes\n\n";
    for (const std::string& note : document.notes) out += "- " + markdown_text(note) + "\n";
  }
  return out;
}

}  // namespace kneepoint
