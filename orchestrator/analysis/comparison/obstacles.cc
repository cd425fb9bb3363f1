// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/analysis/comparison/comparison.h"

#include <cmath>

namespace kneepoint {
namespace {

constexpr double kSameWork = 0.01;

// A parameter that both state and that is not the same; "": there is none. Imported points state
// none.
std::string parameter_obstacle(const Point& a, const Point& b) {
  for (const Parameter& one : a.parameters) {
    for (const Parameter& other : b.parameters) {
      if (one.name == other.name && one.value != other.value) {
        return "the problem differs: " + one.name + " is " + one.value + " and " + other.value;
      }
    }
  }
  return "";
}

}  // namespace

std::string plain_number(double value) {
  std::string text = std::to_string(value);
  text.erase(text.find_last_not_of('0') + 1);
  if (!text.empty() && text.back() == '.') text.pop_back();
  return text;
}

std::string point_obstacle(const PointSummary& left, const PointSummary& right) {
  const Point& a = left.point;
  const Point& b = right.point;
  if (const std::string parameter = parameter_obstacle(a, b); !parameter.empty()) return parameter;
  if (left.work_total > 0 && right.work_total > 0 && a.work_unit == b.work_unit &&
      std::abs(left.work_total / right.work_total - 1) > kSameWork) {
    return "the ranks report another amount of work: " + plain_number(left.work_total) + " and " +
           plain_number(right.work_total) + " " + (a.work_unit.empty() ? "units" : a.work_unit);
  }
  if (a.has_size && b.has_size && a.size != b.size) {
    return std::string(a.mode == Mode::strong ? "the total problem" : "the problem") +
           " differs: size " + plain_number(a.size) + " and " + plain_number(b.size);
  }
  if (a.result_name != b.result_name) {
    return "one run makes another thing: " + a.result_name + " and " + b.result_name;
  }
  if (a.results != b.results) {
    return "one run makes " + plain_number(a.results) + " and " + plain_number(b.results) + " " +
           a.result_name + "s";
  }
  if (a.iterations != b.iterations) {
    return "T is of " + std::to_string(a.iterations) + " and " + std::to_string(b.iterations) +
           " iterations";
  }
  return "";
}

}  // namespace kneepoint
