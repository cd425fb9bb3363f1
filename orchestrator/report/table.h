// SPDX-License-Identifier: Apache-2.0
//
// The one table: columns with titles, rows of cells, a title above and sentences below. Terminal,
// Markdown and HTML draw the same one. A column of values is a title, a side and a function of the
// row.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace kneepoint {

enum class Align { left, right };

struct Column {
  std::string title;  // may hold one line break; "-" before it: of a word broken there
  Align align = Align::left;
  bool belongs_left = false;  // an interval: stays beside the value it belongs to
  bool may_go = false;        // left out where the width is short and the rest implies it
};

struct TextTable {  // without columns: a title and lines only
  std::vector<Column> columns;
  std::vector<std::vector<std::string>> rows;
  std::string title;
  std::vector<std::string> lines;
};

// A column of a table whose rows are values: what it shows of a row.
template <typename Row>
struct ColumnOf {
  std::string title;
  std::function<std::string(const Row&)> cell;
  Align align = Align::right;
  bool belongs_left = false;
  bool may_go = false;
};

template <typename Row>
TextTable table_of(const std::vector<ColumnOf<Row>>& columns, const std::vector<Row>& rows,
                   std::string title = "") {
  TextTable table{{}, {}, std::move(title), {}};
  for (const ColumnOf<Row>& one : columns) {
    table.columns.push_back({one.title, one.align, one.belongs_left, one.may_go});
  }
  for (const Row& row : rows) {
    table.rows.emplace_back();
    for (const ColumnOf<Row>& one : columns) table.rows.back().push_back(one.cell(row));
  }
  return table;
}

// Titles, unless all are empty, then the rows; two spaces between columns. A short row leaves its
// last cells empty. Nothing in a cell steers a terminal, and no line ends in a space.
std::string to_table(TextTable table, int indent = 0);

template <typename Row>
std::string to_table(const std::vector<ColumnOf<Row>>& columns, const std::vector<Row>& rows,
                     int indent = 0) {
  return to_table(table_of(columns, rows), indent);
}

void drop_column(TextTable& table, std::size_t column);
// Leaves out columns but the first in which every cell is empty, "-" or "[-]".
void drop_empty(TextTable& table);
// Names come from plans: nothing in title, cells and lines may steer a terminal.
void make_plain(TextTable& table);

// As a page wants it: titles on one line, an interval in the cell of its value, between `open` and
// `close`, and flags, one per row or none at all, as the last column. Texts are made safe by
// `escape`.
TextTable for_page(const TextTable& table, const std::vector<std::string>& flags,
                   std::string (*escape)(std::string_view), const char* open, const char* close);

// ---- What drawings for a terminal share

// The first column begins after the indent, others after a gap, an interval after one space.
struct Spacing {
  std::size_t indent = 2, gap = 2;
};
std::vector<std::size_t> widths_of(const TextTable& table);
std::size_t total_width(const TextTable& table, const Spacing& spacing);
// One line or two, none without titles; each ends in a newline.
std::vector<std::string> drawn_header(const TextTable& table,
                                      const std::vector<std::size_t>& widths,
                                      const Spacing& spacing);
// Without an end of line.
std::string drawn_row(const TextTable& table, const std::vector<std::size_t>& widths,
                      const Spacing& spacing, std::size_t row);
void trim_and_end(std::string& line);

}  // namespace kneepoint
