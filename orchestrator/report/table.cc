// SPDX-License-Identifier: Apache-2.0
//
// Laying out by the width of the widest cell. A title has one line or two; what has one line has it
// below.
#include "orchestrator/report/table.h"

#include <algorithm>

#include "orchestrator/report/text.h"

namespace kneepoint {
namespace {

// The upper or the lower line of a title; what has one line has it below.
std::string line_of(const std::string& title, bool upper) {
  const std::size_t at = title.find('\n');
  if (at == std::string::npos) return upper ? "" : title;
  return upper ? title.substr(0, at) : title.substr(at + 1);
}

std::string on_one_line(std::string title) {
  if (const std::size_t broken = title.find("-\n"); broken != std::string::npos) {
    title.erase(broken, 2);
  }
  std::replace(title.begin(), title.end(), '\n', ' ');
  return title;
}

std::size_t space_before(const TextTable& table, std::size_t column, const Spacing& spacing) {
  return column == 0 ? spacing.indent : table.columns[column].belongs_left ? 1 : spacing.gap;
}

template <typename TextOf>
std::string laid_out(const TextTable& table, const std::vector<std::size_t>& widths,
                     const Spacing& spacing, TextOf text_of) {
  std::string line;
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    line += std::string(space_before(table, c, spacing), ' ') +
            pad(text_of(c), widths[c], table.columns[c].align == Align::right);
  }
  return line;
}

}  // namespace

std::vector<std::size_t> widths_of(const TextTable& table) {
  std::vector<std::size_t> widths;
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    std::size_t width = 0;
    for (const bool upper : {true, false}) {
      width = std::max(width, display_width(line_of(table.columns[c].title, upper)));
    }
    for (const auto& row : table.rows) width = std::max(width, display_width(row[c]));
    widths.push_back(width);
  }
  return widths;
}

std::size_t total_width(const TextTable& table, const Spacing& spacing) {
  const std::vector<std::size_t> widths = widths_of(table);
  std::size_t total = 0;
  for (std::size_t c = 0; c < widths.size(); ++c) {
    total += space_before(table, c, spacing) + widths[c];
  }
  return total;
}

std::vector<std::string> drawn_header(const TextTable& table,
                                      const std::vector<std::size_t>& widths,
                                      const Spacing& spacing) {
  std::vector<std::string> lines;
  for (const bool upper : {true, false}) {
    std::string line = laid_out(table, widths, spacing, [&](std::size_t c) {
      return line_of(table.columns[c].title, upper);
    });
    trim_and_end(line);
    if (line != "\n") lines.push_back(std::move(line));
  }
  return lines;
}

std::string drawn_row(const TextTable& table, const std::vector<std::size_t>& widths,
                      const Spacing& spacing, std::size_t row) {
  return laid_out(table, widths, spacing, [&](std::size_t c) { return table.rows[row][c]; });
}

void trim_and_end(std::string& line) {
  while (!line.empty() && line.back() == ' ') line.pop_back();
  line += '\n';
}

std::string to_table(TextTable table, int indent) {
  make_plain(table);
  for (Column& column : table.columns) column.belongs_left = false;
  for (auto& row : table.rows) row.resize(table.columns.size());
  const std::vector<std::size_t> widths = widths_of(table);
  const Spacing spacing{static_cast<std::size_t>(indent), 2};
  std::string out = joined(drawn_header(table, widths, spacing), "");
  for (std::size_t r = 0; r < table.rows.size(); ++r) {
    std::string line = drawn_row(table, widths, spacing, r);
    trim_and_end(line);
    out += line;
  }
  return out;
}

void drop_column(TextTable& table, std::size_t column) {
  const auto at = static_cast<std::ptrdiff_t>(column);
  table.columns.erase(table.columns.begin() + at);
  for (auto& row : table.rows) row.erase(row.begin() + at);
}

void drop_empty(TextTable& table) {
  for (std::size_t c = table.columns.size(); c-- > 1;) {
    const bool empty = std::all_of(table.rows.begin(), table.rows.end(), [&](const auto& row) {
      return row[c].empty() || row[c] == "-" || row[c] == "[-]";
    });
    if (empty) drop_column(table, c);
  }
}

void make_plain(TextTable& table) {
  table.title = plain(table.title);
  for (std::string& line : table.lines) line = plain(line);
  for (auto& row : table.rows) {
    for (std::string& cell : row) cell = plain(cell);
  }
}

TextTable for_page(const TextTable& table, const std::vector<std::string>& flags,
                   std::string (*escape)(std::string_view), const char* open, const char* close) {
  const auto merged = [&](const std::vector<std::string>& cells) {
    std::vector<std::string> out;
    for (std::size_t c = 0; c < cells.size(); ++c) {
      if (!table.columns[c].belongs_left || out.empty()) {
        out.push_back(escape(cells[c]));
      } else if (!cells[c].empty()) {
        out.back() += open + escape(cells[c]) + close;
      }
    }
    return out;
  };
  TextTable page;
  std::vector<std::string> titles;
  for (const Column& column : table.columns) {
    titles.push_back(on_one_line(column.title));
    if (!column.belongs_left || page.columns.empty()) page.columns.push_back({"", column.align});
  }
  titles = merged(titles);
  for (std::size_t c = 0; c < titles.size(); ++c) page.columns[c].title = titles[c];
  for (const auto& row : table.rows) page.rows.push_back(merged(row));
  if (std::all_of(flags.begin(), flags.end(), [](auto& flag) { return flag.empty(); })) return page;
  page.columns.push_back({"flags"});
  for (std::size_t r = 0; r < flags.size(); ++r) page.rows[r].push_back(escape(flags[r]));
  return page;
}

}  // namespace kneepoint
