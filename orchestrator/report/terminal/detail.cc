// SPDX-License-Identifier: Apache-2.0
//
// Tables of details for a terminal, and the drawing that all tables share.
#include <algorithm>

#include "orchestrator/report/terminal/table.h"
#include "orchestrator/report/text.h"

namespace kneepoint {
namespace {

constexpr std::size_t kGap = 2;

TextTable some_columns(const TextTable& table, const std::vector<std::size_t>& columns) {
  TextTable part;
  for (const std::size_t c : columns) part.columns.push_back(table.columns[c]);
  for (const auto& row : table.rows) {
    part.rows.emplace_back();
    for (const std::size_t c : columns) part.rows.back().push_back(row[c]);
  }
  return part;
}

std::size_t total_width(const TextTable& table) {
  const std::vector<std::size_t> widths = widths_of(table);
  std::size_t total = 0;
  for (std::size_t c = 0; c < widths.size(); ++c) total += gap_before(table, c, kGap) + widths[c];
  return total;
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
    if (columns.size() > 1 && total_width(some_columns(table, more)) > width) {
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

}  // namespace

std::string Paint::by_efficiency(const std::string& text, double e, double floor) const {
  return in(e >= floor * (1 - 1e-12) ? "32" : e < 0.5 ? "31" : "33", text);
}

std::string Paint::in(const char* code, const std::string& text) const {
  if (!on_ || text.empty()) return text;
  const bool line = text.back() == '\n';  // the colour ends before the line does
  return std::string("\x1b[") + code + "m" + text.substr(0, text.size() - (line ? 1 : 0)) +
         "\x1b[0m" + (line ? "\n" : "");
}

std::array<std::string, 2> header_lines(const std::string& header) {
  const std::size_t at = header.find('\n');
  if (at == std::string::npos) return {"", header};
  return {header.substr(0, at), header.substr(at + 1)};
}

std::vector<std::size_t> widths_of(const TextTable& table) {
  std::vector<std::size_t> widths;
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    std::size_t width = 0;
    for (const std::string& line : header_lines(table.columns[c].title)) {
      width = std::max(width, display_width(line));
    }
    for (const auto& row : table.rows) width = std::max(width, display_width(row[c]));
    widths.push_back(width);
  }
  return widths;
}

std::size_t gap_before(const TextTable& table, std::size_t column, std::size_t gap) {
  return column == 0 ? 2 : table.columns[column].belongs_left ? 1 : gap;
}

void trim_and_end(std::string& out) {
  while (!out.empty() && out.back() == ' ') out.pop_back();
  out += '\n';
}

std::string drawn_header(const TextTable& table, const std::vector<std::size_t>& widths,
                         std::size_t gap) {
  std::string out;
  for (const std::size_t part : {0, 1}) {
    std::string line;
    for (std::size_t c = 0; c < table.columns.size(); ++c) {
      line += std::string(gap_before(table, c, gap), ' ') +
              pad(header_lines(table.columns[c].title)[part], widths[c],
                  table.columns[c].align == Align::right);
    }
    trim_and_end(line);
    if (line != "\n") out += line;
  }
  return out;
}

std::string drawn_row(const TextTable& table, const std::vector<std::size_t>& widths,
                      std::size_t gap, std::size_t row) {
  std::string out;
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    out += std::string(gap_before(table, c, gap), ' ') +
           pad(table.rows[row][c], widths[c], table.columns[c].align == Align::right);
  }
  return out;
}

std::string drawn_detail(const DetailTable& table, const TerminalStyle& style) {
  const Paint paint(style.color);
  std::string out = wrapped(table.title, style.width, 2);
  if (!table.columns.empty()) {
    const auto width = static_cast<std::size_t>(std::max(style.width - 2, 20));
    for (const TextTable& block : blocks_of(table, width)) {
      const std::vector<std::size_t> widths = widths_of(block);
      std::string lines = drawn_header(block, widths, kGap);
      std::string header;
      while (!lines.empty()) {  // each line in its own colour, two further in
        const std::size_t end = lines.find('\n') + 1;
        header += paint.dim("  " + lines.substr(0, end));
        lines.erase(0, end);
      }
      out += header;
      for (std::size_t r = 0; r < block.rows.size(); ++r) {
        out += "  " + drawn_row(block, widths, kGap, r);
        trim_and_end(out);
      }
    }
  }
  for (const std::string& line : table.lines) out += drawn_line(line, style.width);
  return out;
}

}  // namespace kneepoint
