// SPDX-License-Identifier: Apache-2.0
//
// snprintf with fixed formats in the C locale: the same bytes everywhere.
#include "orchestrator/base/numbers.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace kneepoint {

std::string fixed_text(double value, int decimals) {
  char text[400];
  std::snprintf(text, sizeof text, "%.*f", decimals, value);
  return text;
}

int decimals_for(double value, int digits) {
  if (value == 0 || !std::isfinite(value)) return digits - 1;
  const int before = static_cast<int>(std::floor(std::log10(std::abs(value)))) + 1;
  return before >= digits ? 0 : digits - before;
}

std::string significant_text(double value, int digits) {
  return fixed_text(value, decimals_for(value, digits));
}

std::string count_text(double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%.12g", value);
  return text;
}

std::string level_text(double level) {
  const double percent = level * 100;
  // 93.75 is exact and known by that name; others are cut to one decimal, never rounded up.
  if (percent * 4 == std::floor(percent * 4)) return count_text(percent) + "%";
  return fixed_text(std::floor(percent * 10 + 1e-9) / 10, 1) + "%";
}

std::string seconds_text(double seconds) {
  if (seconds >= 1 || seconds == 0) return significant_text(seconds, 4) + " s";
  if (seconds >= 1e-3) return significant_text(seconds * 1e3, 4) + " ms";
  return significant_text(seconds * 1e6, 4) + " us";
}

std::string efficiency_text(double efficiency) {
  return fixed_text(efficiency, 3);
}

std::string percent_text(double share) {
  return significant_text(share * 100, 2) + "%";
}

std::string change_text(double ratio) {
  const double percent = (ratio - 1) * 100;
  return (std::abs(percent) < 10 ? fixed_text(std::abs(percent), 1)
                                 : fixed_text(std::abs(percent), 0)) +
         (percent < 0 ? "% fewer" : "% more");
}

TimeUnit time_unit(double shortest_seconds) {
  if (shortest_seconds >= 1 || shortest_seconds <= 0) return {"s", 1};
  if (shortest_seconds >= 1e-3) return {"ms", 1e3};
  return {"us", 1e6};
}

std::string age_text(std::int64_t nanoseconds) {
  const std::int64_t seconds = std::max<std::int64_t>(0, nanoseconds / 1'000'000'000);
  if (seconds < 120) return std::to_string(seconds) + "s";
  if (seconds < 120 * 60) return std::to_string(seconds / 60) + "m";
  if (seconds < 48 * 3600) return std::to_string(seconds / 3600) + "h";
  return std::to_string(seconds / 86400) + "d";
}

std::string number_percent(double share, int digits) {
  return number_text(100 * share, digits) + "%";
}

std::string number_text(double value, int digits) {
  char text[64];
  const double size = value < 0 ? -value : value;
  if (size >= 1e15 || (size > 0 && size < 1e-4)) {
    std::snprintf(text, sizeof text, "%.*g", digits, value);
    return text;
  }
  double limit = 1;
  int decimals = digits;  // digits after the point that give `digits` significant ones
  for (; decimals > 0 && size >= limit; limit *= 10) --decimals;
  if (size > 0 && size < 1) {
    for (double part = size; part < 0.1; part *= 10) ++decimals;
  }
  std::snprintf(text, sizeof text, "%.*f", decimals, value);
  std::string out = text;
  if (out.find('.') != std::string::npos) {
    while (out.back() == '0') out.pop_back();
    if (out.back() == '.') out.pop_back();
  }
  return out;
}

}  // namespace kneepoint
