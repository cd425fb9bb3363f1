// SPDX-License-Identifier: Apache-2.0
//
// Numbers and names as every report prints them, and text laid out by what a terminal shows (code
// points) rather than by bytes. "-" stands for a number that does not exist.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "orchestrator/analysis/statistics/summary.h"

namespace kneepoint {

std::string fixed_text(double value, int decimals);
// At least this many significant digits, never an exponent for everyday sizes: 1234.6 -> "1235".
std::string significant_text(double value, int digits);
int decimals_for(double value, int digits);      // that significant_text would use
std::string count_text(double value);            // 96 -> "96", 2.5 -> "2.5"
std::string level_text(double level);            // 0.9375 -> "93.75%", 0.96825 -> "96.8%"
std::string seconds_text(double seconds);        // "312.0 ms": four digits and the unit
std::string efficiency_text(double efficiency);  // three decimals
std::string change_text(double ratio);           // 1.23 -> "23% more", 0.951 -> "4.9% fewer"
std::string percent_text(double share);          // 0.0512 -> "5.1%", 0.00123 -> "0.12%": two digits

// The largest unit in which the shortest time is at least 1; seconds when there is none.
struct TimeUnit {
  const char* name;
  double per_second;
};
TimeUnit time_unit(double shortest_seconds);
// "[0.880, 0.943]", or "[-]" when there is none.
std::string bounds_text(const std::optional<Interval>& interval, double scale, int decimals);
// "0.912 [0.880, 0.943]", or "0.912" alone.
std::string efficiency_with_bounds(double efficiency, const std::optional<Interval>& interval);

// Control characters and broken bytes become '?': nothing from a plan steers a terminal.
std::string plain(std::string_view text);
// The same for a text of several lines: line ends and tabs stay.
std::string plain_lines(std::string_view text);
std::size_t display_width(std::string_view text);
std::string pad(std::string_view text, std::size_t width, bool right);
// Breaks at spaces; every line starts with `indent` spaces, all but the first with two more.
std::string wrapped(std::string_view text, int width, int indent);
std::string joined(const std::vector<std::string>& parts, std::string_view separator);

}  // namespace kneepoint
