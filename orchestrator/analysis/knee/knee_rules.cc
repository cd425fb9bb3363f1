// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/analysis/knee/knee_rules.h"

#include <algorithm>
#include <bit>
#include <limits>

#include "orchestrator/analysis/knee/knee.h"
#include "orchestrator/analysis/statistics/intervals.h"

namespace kneepoint {
namespace {

constexpr double kNoEnd = std::numeric_limits<double>::infinity();
constexpr double kWorthwhile = 0.5;   // of the ideal gain of a step
constexpr double kRuleExact = 1e-12;  // equality cases are exact
constexpr double kTooth = 0.01;       // without repeats, a fall in cost that counts

bool is_power_of_two(int k) {
  return std::has_single_bit(static_cast<unsigned>(k));
}

// The K of the largest value, the first of equals; beyond when it is the last.
double at_largest(const std::vector<int>& ks, const std::vector<double>& values) {
  const auto largest = std::max_element(values.begin(), values.end()) - values.begin();
  return largest + 1 == static_cast<std::ptrdiff_t>(ks.size()) ? kNoEnd : ks[largest];
}

}  // namespace

MeasuredCurve::MeasuredCurve(Mode mode, const Times& times) : seconds(medians(times)) {
  cost = normalised_cost(mode, times, seconds);
  std::vector<double> runs;
  for (std::size_t i = 0; i < times.size(); ++i) {
    ks.push_back(times[i].k);
    runs.push_back(static_cast<double>(times[i].seconds.size()));
    speedup.push_back(static_cast<double>(ks[i]) / ks[0] / cost[i]);
  }
  smoothed = isotonic_increasing(cost, runs);
}

double most_powerful(const MeasuredCurve& curve) {
  std::vector<double> power;
  power.reserve(curve.ks.size());
  for (std::size_t i = 0; i < curve.ks.size(); ++i) {
    power.push_back(curve.speedup[i] / curve.cost[i]);
  }
  return at_largest(curve.ks, power);
}

double last_worthwhile(const MeasuredCurve& curve) {
  for (std::size_t i = 1; i < curve.ks.size(); ++i) {
    const double ideal = static_cast<double>(curve.ks[i]) / curve.ks[i - 1] - 1;
    const double gain = curve.speedup[i] / curve.speedup[i - 1] - 1;
    if (gain < kWorthwhile * ideal * (1 - kRuleExact)) return curve.ks[i - 1];
  }
  return kNoEnd;
}

double fastest(const MeasuredCurve& curve) {
  std::vector<double> rate;
  rate.reserve(curve.seconds.size());
  for (const double t : curve.seconds) rate.push_back(1 / t);
  return at_largest(curve.ks, rate);
}

double kneedle(const MeasuredCurve& curve) {
  const auto [least, most] = std::minmax_element(curve.speedup.begin(), curve.speedup.end());
  const double range = curve.ks.back() - curve.ks.front();
  double furthest = 0, k = kNoEnd;
  for (std::size_t i = 1; i + 1 < curve.ks.size(); ++i) {
    const double above =
        (curve.speedup[i] - *least) / (*most - *least) - (curve.ks[i] - curve.ks.front()) / range;
    if (above > furthest + kRuleExact) {
      furthest = above;
      k = curve.ks[i];
    }
  }
  return k;
}

bool has_sawtooth(Mode mode, const Times& times) {
  const std::vector<double> cost = normalised_cost(mode, times, medians(times));
  int pairs = 0, teeth = 0;
  for (std::size_t i = 1; i < times.size(); ++i) {
    if (is_power_of_two(times[i - 1].k) || !is_power_of_two(times[i].k)) continue;
    ++pairs;
    const double fall = cost[i - 1] / cost[i];
    const auto interval = ratio_interval(times[i - 1].seconds, times[i].seconds);
    const double to_cost = fall / (median_seconds(times[i - 1]) / median_seconds(times[i]));
    if (interval ? interval->low * to_cost > 1 : fall > 1 + kTooth) ++teeth;
  }
  return teeth >= 2 || (teeth == 1 && pairs == 1);
}

Times powers_of_two(const Times& times) {
  Times some;
  std::copy_if(times.begin(), times.end(), std::back_inserter(some),
               [](const TimesAtK& at) { return is_power_of_two(at.k); });
  return some;
}

}  // namespace kneepoint
