// SPDX-License-Identifier: Apache-2.0
//
// What the terminal's writers share: colour that only adds, and columns by what a terminal shows.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "orchestrator/report/answers.h"
#include "orchestrator/report/document.h"
#include "orchestrator/report/tables/detail_tables.h"

namespace kneepoint {

class Paint {
 public:
  explicit Paint(bool on) : on_(on) {}
  std::string bold(const std::string& text) const { return in("1", text); }
  std::string dim(const std::string& text) const { return in("2", text); }
  std::string alarm(const std::string& text) const { return in("1;31", text); }
  std::string warning(const std::string& text) const { return in("33", text); }
  // Green at the floor or above, red where the cost per result has doubled.
  std::string by_efficiency(const std::string& text, double e, double floor) const;

 private:
  std::string in(const char* code, const std::string& text) const;
  bool on_;
};

// A header is one line or two, above and below; the lower is never empty unless both are.
std::array<std::string, 2> header_lines(const std::string& header);
std::vector<std::size_t> widths_of(const TextTable& table);
std::size_t gap_before(const TextTable& table, std::size_t column, std::size_t gap);
// The header, one line or two, newlines included.
std::string drawn_header(const TextTable& table, const std::vector<std::size_t>& widths,
                         std::size_t gap);
std::string drawn_row(const TextTable& table, const std::vector<std::size_t>& widths,
                      std::size_t gap, std::size_t row);  // without an end of line
void trim_and_end(std::string& out);

// Title, table, lines. Columns that the width does not hold go on in a further block below, so that
// no row is ever wrapped.
std::string drawn_detail(const DetailTable& table, const TerminalStyle& style);

// ---- Efficiency over K as a sketch of characters, for a terminal. Whether a point keeps the floor
// is always drawn right; the numbers are those of the table.

// Lines that end in a newline; "" when there are fewer than two points or no room.
std::string drawn_curve(const CurveView& view, const TerminalStyle& style);

}  // namespace kneepoint
