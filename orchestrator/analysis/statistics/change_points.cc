// SPDX-License-Identifier: Apache-2.0
//
// Divides the series at its best split as long as a t test finds the levels apart, then looks at
// every split once more against the segments beside it that were really found.
#include "orchestrator/analysis/statistics/change_points.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "orchestrator/analysis/statistics/distributions.h"

namespace kneepoint {
namespace {

constexpr double kChangeLevel = 0.001;
constexpr double kLeastChange = 0.03;    // of the ratio of the levels
constexpr std::size_t kLeastNights = 2;  // on either side
constexpr std::size_t kMostNights = 60;  // looked at, the latest

struct Level {
  double mean = 0, sum_of_squares = 0;
  std::size_t n = 0;
};

Level level_of(const std::vector<double>& values, std::size_t begin, std::size_t end) {
  Level level;
  level.n = end - begin;
  for (std::size_t i = begin; i < end; ++i) level.mean += values[i];
  level.mean /= static_cast<double>(level.n);
  for (std::size_t i = begin; i < end; ++i) {
    level.sum_of_squares += (values[i] - level.mean) * (values[i] - level.mean);
  }
  return level;
}

// Two-sided t test with a common deviation.
ChangePoint tested(const std::vector<double>& values, std::size_t begin, std::size_t tau,
                   std::size_t end) {
  const Level before = level_of(values, begin, tau), after = level_of(values, tau, end);
  const auto df = static_cast<double>(before.n + after.n - 2);
  ChangePoint point{tau, std::exp(after.mean - before.mean), 1};
  if (df < 1) return point;
  const double variance = (before.sum_of_squares + after.sum_of_squares) / df;
  const double error = std::sqrt(
      variance * (1.0 / static_cast<double>(before.n) + 1.0 / static_cast<double>(after.n)));
  const double step = std::abs(after.mean - before.mean);
  if (error <= 0) {
    point.p = step > 0 ? 0 : 1;
  } else {
    point.p = 2 * student_t_upper_tail(step / error, df);
  }
  return point;
}

bool holds(const ChangePoint& point) {
  return point.p <= kChangeLevel && std::abs(std::log(point.ratio)) >= std::log1p(kLeastChange);
}

void divide(const std::vector<double>& values, std::size_t begin, std::size_t end,
            std::vector<std::size_t>& found) {
  if (end - begin < 2 * kLeastNights) return;
  const Split split = best_split(values, begin, end, kLeastNights);
  if (split.tau == 0 || !holds(tested(values, begin, split.tau, split.kappa))) return;
  divide(values, begin, split.tau, found);
  found.push_back(split.tau);
  divide(values, split.tau, end, found);
}

}  // namespace

Split best_split(const std::vector<double>& values, std::size_t begin, std::size_t end,
                 std::size_t least) {
  Split best;
  const std::size_t count = end - begin;
  const auto distance = [&](std::size_t i, std::size_t j) {
    return std::abs(values[begin + i] - values[begin + j]);
  };
  // Sums of distances within the first i values, for every i.
  std::vector<double> within(count + 1, 0);
  for (std::size_t i = 1; i <= count; ++i) {
    double sum = 0;
    for (std::size_t j = 0; j + 1 < i; ++j) sum += distance(i - 1, j);
    within[i] = within[i - 1] + sum;
  }
  for (std::size_t tau = least; tau + least <= count; ++tau) {
    double between = 0, second = 0;
    for (std::size_t kappa = tau + 1; kappa <= count; ++kappa) {
      for (std::size_t i = 0; i < tau; ++i) between += distance(i, kappa - 1);
      for (std::size_t j = tau; j + 1 < kappa; ++j) second += distance(j, kappa - 1);
      if (kappa - tau < least) continue;
      const auto m = static_cast<double>(tau), n = static_cast<double>(kappa - tau);
      const double q = 2 / (m + n) * between - 2 * n / ((m + n) * (m - 1)) * within[tau] -
                       2 * m / ((m + n) * (n - 1)) * second;
      if (q > best.q) best = {begin + tau, begin + kappa, q};
    }
  }
  return best;
}

std::vector<ChangePoint> change_points(const std::vector<double>& log_values) {
  const std::size_t first = log_values.size() > kMostNights ? log_values.size() - kMostNights : 0;
  std::vector<std::size_t> found;
  divide(log_values, first, log_values.size(), found);
  // What only stood out against a part of its neighbours goes, the weakest first.
  for (;;) {
    std::vector<ChangePoint> points;
    for (std::size_t i = 0; i < found.size(); ++i) {
      points.push_back(tested(log_values, i == 0 ? first : found[i - 1], found[i],
                              i + 1 < found.size() ? found[i + 1] : log_values.size()));
    }
    const auto weakest =
        std::max_element(points.begin(), points.end(),
                         [](const ChangePoint& a, const ChangePoint& b) { return a.p < b.p; });
    const auto failing =
        std::find_if(points.begin(), points.end(), [](const auto& point) { return !holds(point); });
    if (failing == points.end()) return points;
    const auto drop = holds(*weakest) ? failing : weakest;
    found.erase(found.begin() + (drop - points.begin()));
  }
}

}  // namespace kneepoint
