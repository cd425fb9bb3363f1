// SPDX-License-Identifier: Apache-2.0
//
// One cell of a table as a number: which mark is the decimal one, which unit it has. What can be
// read in two ways is not read at all.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace kneepoint {

enum class DecimalMark { unknown, point, comma };

struct CellNumber {
  double value = 0;
  std::string_view unit;     // what follows the number (or stands before it: "$3"); "" if nothing
  std::string_view problem;  // not empty: why there is no value
};

// "3.2 s", "1,234.5", "1.234,5", "1e-3", "12 500", "$3.20", "95%".
CellNumber read_number(std::string_view cell, DecimalMark mark);

// What the cell alone says of the file's decimal mark.
DecimalMark mark_in(std::string_view cell);

// Seconds in one such unit ("ms", "minutes", "µs"); none: not a unit of time.
std::optional<double> seconds_in(std::string_view unit);
inline constexpr char kTimeUnits[] = "ns, us, ms, s, min, h or d";

// "1:02:03.5" and "2-01:02:03", as schedulers write elapsed times.
std::optional<double> read_clock(std::string_view cell);

}  // namespace kneepoint
