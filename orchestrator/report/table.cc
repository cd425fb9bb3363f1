// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/report/table.h"

#include <algorithm>

#include "orchestrator/report/text.h"

namespace kneepoint {
namespace {

void append_row(std::string& out, std::string line) {
  line.resize(line.find_last_not_of(' ') + 1);
  out += line + "\n";
}

}  // namespace

std::string to_table(const std::vector<Column>& columns,
                     const std::vector<std::vector<std::string>>& given, int indent) {
  std::vector<std::vector<std::string>> rows = given;
  for (auto& row : rows) {
    for (std::string& cell : row) cell = plain(cell);  // one line, and nothing that steers
  }
  std::vector<std::size_t> widths;
  for (std::size_t c = 0; c < columns.size(); ++c) {
    std::size_t width = display_width(columns[c].title);
    for (const auto& row : rows) {
      if (c < row.size()) width = std::max(width, display_width(row[c]));
    }
    widths.push_back(width);
  }
  const auto line = [&](const auto& cell_of) {
    std::string text(static_cast<std::size_t>(indent), ' ');
    for (std::size_t c = 0; c < columns.size(); ++c) {
      if (c > 0) text += "  ";
      text += pad(cell_of(c), widths[c], columns[c].align == Align::right);
    }
    return text;
  };
  std::string out;
  append_row(out, line([&](std::size_t c) { return columns[c].title; }));
  for (const auto& row : rows) {
    append_row(out, line([&](std::size_t c) { return c < row.size() ? row[c] : std::string(); }));
  }
  return out;
}

}  // namespace kneepoint
