// SPDX-License-Identifier: Apache-2.0
//
// The same tables for a pull request or a wiki page. Names are escaped: no plan adds a column.
#include <fmt/core.h>

#include <algorithm>

#include "orchestrator/report/document.h"
#include "orchestrator/report/text.h"

namespace kneepoint {
namespace {

std::string row_text(const std::vector<std::string>& cells) {
  std::string out = "|";
  for (const std::string& cell : cells) out += " " + cell + " |";
  return out + "\n";
}

// `flags`: one per row, or none at all.
std::string table_text(const TextTable& table, const std::vector<std::string>& flags = {}) {
  const TextTable page = for_page(table, flags, markdown_text, " ", "");
  std::vector<std::string> titles, rule;
  for (const Column& column : page.columns) {
    titles.push_back(column.title);
    rule.emplace_back(column.align == Align::right ? "---:" : "---");
  }
  std::string out = row_text(titles) + row_text(rule);
  for (const auto& row : page.rows) out += row_text(row);
  return out;
}

std::string detail_text(const TextTable& table, const char* level) {
  std::string out = fmt::format("\n{} {}\n\n", level, markdown_text(table.title));
  if (!table.columns.empty()) out += table_text(table) + (table.lines.empty() ? "" : "\n");
  for (const std::string& line : table.lines) {
    const std::size_t indent = std::min(line.find_first_not_of(' '), line.size());
    out += std::string(indent, ' ') + "- " + markdown_text(line.substr(indent)) + "\n";
  }
  return out;
}

std::string list_text(const std::vector<std::string>& lines, const char* indent = "") {
  std::string out;
  for (const std::string& line : lines) out += fmt::format("{}- {}\n", indent, markdown_text(line));
  return out;
}

}  // namespace

std::string to_markdown(const Document& document, bool brief) {
  const StudyEvidence& study = document.study;
  std::string out = "# " + markdown_text(study.id) + "\n\n";
  if (document.red) out += "**RED: " + markdown_text(document.red_reason) + "**\n\n";
  out += fmt::format("**{}**\n\n{} on {} ({}), worker: {}, seed {}\n",
                     markdown_text(document.headline), markdown_text(study.state),
                     markdown_text(study.site), markdown_text(study.backend),
                     to_string(study.worker), study.seed);
  if (!document.queue.empty()) out += "\n" + markdown_text(document.queue) + "\n";
  for (const std::string& finding : document.findings) {
    out += "\n> **Finding:** " + markdown_text(finding) + "\n";
  }
  int number = 0;
  if (!document.questions.empty()) out += "\n";
  for (const Question& question : document.questions) {
    out += fmt::format("{}. **{}**\n", ++number, markdown_text(question.question)) +
           list_text(to_lines(question), "   ");
  }
  if (!document.sentences.empty()) out += "\n" + list_text(document.sentences);
  if (document.cost) {
    out += "\n## What it costs\n\n" + list_text(document.cost->sentences) + "\n" +
           markdown_text(prices_line(*document.cost)) + "\n";
  }
  for (const CurvePart& part : document.curves) {
    const CurveTable& table = part.table;
    out += fmt::format("\n## {}\n\n{}\n\n", markdown_text(table.title),
                       markdown_text(table.held_fixed));
    for (const std::string& finding : table.findings) {
      out += "> **Finding:** " + markdown_text(finding) + "\n\n";
    }
    out += table_text(table, table.flags);
    for (const std::string& line : table.lines) out += "\n" + markdown_text(line) + "\n";
    if (brief) continue;
    for (const TextTable& detail : part.details) out += detail_text(detail, "###");
  }
  for (const auto* tables : {&document.cost_tables, &document.tables}) {
    if (brief) break;
    for (const TextTable& detail : *tables) out += detail_text(detail, "##");
  }
  if (!document.notes.empty()) out += "\n## Notes\n\n" + list_text(document.notes);
  return out;
}

}  // namespace kneepoint
