// SPDX-License-Identifier: Apache-2.0
#include "agents/wire/time_metric.h"

#include <cstdio>

#include "agents/wire/record.h"

namespace kneepoint::record {
namespace {

constexpr double kLeastSeconds = 1e-12, kMostSeconds = 1e9;

double seconds_in(std::string_view unit) {
  return unit == "ns" ? 1e-9 : unit == "us" ? 1e-6 : unit == "ms" ? 1e-3 : 1;
}

}  // namespace

std::string problem_of_time(double value, std::string_view unit) {
  if (!is_time_unit(unit)) {
    return "unit '" + std::string(unit) + "' is not a time; use s, ms, us or ns";
  }
  char number[40];
  std::snprintf(number, sizeof number, "%.6g", value);
  if (!(value > 0)) return "'" + std::string(number) + "' is not above 0";
  const double seconds = value * seconds_in(unit);
  if (seconds >= kLeastSeconds && seconds <= kMostSeconds) return "";
  return "'" + std::string(number) + " " + std::string(unit) +
         "' is out of range; expected 1e-12 s to 1e9 s";
}

}  // namespace kneepoint::record
