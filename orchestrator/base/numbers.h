// SPDX-License-Identifier: Apache-2.0
//
// Numbers as every sentence, table and file prints them: each format once, here. Intervals and what
// a terminal shows are report/text.h's.
#pragma once

#include <cstdint>
#include <string>

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

// A number of at most `digits` significant digits, without an exponent where one can do without.
std::string number_text(double value, int digits = 3);
std::string number_percent(double share, int digits = 3);

// "12s", "5m", "3h", "2d": how long ago, as kubectl says it.
std::string age_text(std::int64_t nanoseconds);

// The largest unit in which the shortest time is at least 1; seconds when there is none.
struct TimeUnit {
  const char* name;
  double per_second;
};
TimeUnit time_unit(double shortest_seconds);

}  // namespace kneepoint
