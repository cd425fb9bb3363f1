// SPDX-License-Identifier: Apache-2.0
//
// Text in columns, and how wide text is on a terminal. Lines never end in a space.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "orchestrator/base/numbers.h"
#include "orchestrator/base/text.h"

namespace kneepoint::cli {

enum class Align { left, right };

struct Column {
  std::string title;
  Align align = Align::left;
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

// Columns that `text` (UTF-8, perhaps with colour sequences) takes on a terminal.
int display_width(std::string_view text);

// The first `width` columns of it; colour sequences are kept, and closed if the text was cut.
std::string cut_to_width(std::string_view text, int width);

// Words of `text` in lines of at most `width` columns, each line after `indent` spaces.
std::string wrap(std::string_view text, int width, int indent);
// The same, where all lines but the first come after two spaces.
std::string hanging(std::string_view text, int width);

// One indented line for each of the first few, then "and 12 more".
std::string listed(const std::vector<std::string>& lines);

}  // namespace kneepoint::cli
