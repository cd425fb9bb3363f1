// SPDX-License-Identifier: Apache-2.0
//
// Where a number lies: an interval with the level and the method that it has, and its ends alone.
#pragma once

#include <optional>
#include <string>

#include "orchestrator/base/fields.h"

namespace kneepoint {

struct Bounds {
  double low = 0, high = 0;
  static constexpr auto fields() {
    using T = Bounds;
    return described(one_line, KP_NAMED(low, high));
  }
};

struct Interval {
  double low = 0, high = 0;
  double level = 0.95;  // what it really has: 0.968 for Hodges-Lehmann at 5 × 5
  std::string method;   // "Hodges-Lehmann", "Welch on logs", "order statistics", "range"
  KP_DESCRIBED(Interval, low, high, level, method);
};

// The interval of `factor` times the number.
inline Interval scaled(Interval interval, double factor) {
  interval.low *= factor;
  interval.high *= factor;
  return interval;
}

inline constexpr char kWelch[] = "Welch on logs";

inline std::optional<Bounds> bounds_of(const std::optional<Interval>& interval) {
  if (!interval) return std::nullopt;
  return Bounds{interval->low, interval->high};
}

}  // namespace kneepoint
