// SPDX-License-Identifier: Apache-2.0
//
// The one table: columns with titles, rows of cells. Terminal, Markdown and HTML lay out the same
// one. Cells of a terminal's table are one line each, and nothing in them steers it; lines never
// end in a space.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace kneepoint {

enum class Align { left, right };

struct Column {
  std::string title;  // may hold one line break, where the writer says so
  Align align = Align::left;
  bool belongs_left = false;  // an interval: stays beside the value it belongs to
  bool may_go = false;        // left out where the width is short and the rest implies it
};

// Columns and cells: what every writer lays out.
struct TextTable {
  std::vector<Column> columns;
  std::vector<std::vector<std::string>> rows;
};

// Titles, then the rows; two spaces between columns. A short row leaves its last cells empty.
std::string to_table(const std::vector<Column>& columns,
                     const std::vector<std::vector<std::string>>& rows, int indent = 0);

// A column of a table whose rows are values: what it shows of a row.
template <typename Row>
struct ColumnOf {
  std::string title;
  std::function<std::string(const Row&)> cell;
  Align align = Align::right;
};

template <typename Row>
std::string to_table(const std::vector<ColumnOf<Row>>& columns, const std::vector<Row>& rows,
                     int indent = 0) {
  std::vector<Column> titles;
  std::vector<std::vector<std::string>> cells(rows.size());
  for (const ColumnOf<Row>& column : columns) {
    titles.push_back({column.title, column.align});
    for (std::size_t i = 0; i < rows.size(); ++i) cells[i].push_back(column.cell(rows[i]));
  }
  return to_table(titles, cells, indent);
}

}  // namespace kneepoint
