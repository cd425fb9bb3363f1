// SPDX-License-Identifier: Apache-2.0
//
// The prediction test of the nightly gate and what is said of its strength. And tonight against the
// one study that is the baseline: run by run while nights are few, and as a drift of whole curves
// that is too slow for the test against the nights just before.
#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "orchestrator/analysis/gate/parts.h"
#include "orchestrator/analysis/statistics/distributions.h"
#include "orchestrator/analysis/statistics/intervals.h"

namespace kneepoint {
namespace {

constexpr double kNightPower = 0.8;
constexpr int kDriftWindow = 3;  // nights

}  // namespace

const char* to_string(Verdict verdict) {
  return std::array{
      "PASS",         "IMPROVED",   "SUSPECT",     "REGRESSED",
      "INCONCLUSIVE", "ENV_CHANGE", "NO_BASELINE", "FAILED"}[static_cast<std::size_t>(verdict)];
}

std::optional<NightTest> night_test(const std::vector<double>& nights, int window,
                                    const GateOptions& options) {
  const int count = static_cast<int>(nights.size());
  if (count < window + options.least_history) return std::nullopt;
  const std::vector<double> last(nights.end() - window, nights.end());
  const int history = std::min(count - window, options.most_history);
  const std::vector<double> before(nights.end() - window - history, nights.end() - window);
  const Scatter scatter = scatter_of(before);
  const double df = history - 1, now = scatter_of(last).mean;
  NightTest test;
  test.window = window;
  test.history = history;
  test.sd = std::max(std::sqrt(scatter.squares / df), options.least_sd);
  const double error = test.sd * std::sqrt(1.0 / window + 1.0 / history);
  test.t = (now - scatter.mean) / error;
  test.p_slower = student_t_upper_tail(test.t, df);
  test.p_faster = student_t_upper_tail(-test.t, df);
  const double middle = median(before);
  test.effect = std::exp(now - middle) - 1;
  const double half = student_t_quantile((1 + kLevel) / 2, df) * error;
  test.cliff = cliffs_delta(last, before);
  test.low = std::exp(now - middle - half);
  test.high = std::exp(now - middle + half);
  return test;
}

std::vector<bool> holm(const std::vector<double>& p, double alpha) {
  std::vector<std::size_t> order(p.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, [&](std::size_t a, std::size_t b) { return p[a] < p[b]; });
  std::vector<bool> rejected(p.size(), false);
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (p[order[i]] > alpha / static_cast<double>(p.size() - i)) break;
    rejected[order[i]] = true;
  }
  return rejected;
}

double minimal_detectable(double sd, int history, double alpha) {
  const double df = history - 1;
  return std::expm1((student_t_quantile(1 - alpha, df) + student_t_quantile(kNightPower, df)) * sd *
                    std::sqrt(1 + 1.0 / history));
}

// The quantile of chi-square by Wilson and Hilferty.
double deviation_at_least(int history) {
  constexpr double kNormal95 = 1.6448536269514722;
  const double df = history - 1;
  const double root = 1 - 2 / (9 * df) + kNormal95 * std::sqrt(2 / (9 * df));
  return 1 / std::sqrt(root * root * root);
}

const NightTest* GateFinding::decisive() const {
  const auto least = std::ranges::min_element(tests, [](const NightTest& a, const NightTest& b) {
    return std::min(a.p_slower, a.p_faster) < std::min(b.p_slower, b.p_faster);
  });
  return least == tests.end() ? nullptr : &*least;
}

std::vector<BaselineRatio> baseline_ratios(const std::vector<GateSeries>& series,
                                           const GateOptions& options) {
  std::vector<BaselineRatio> ratios;
  for (const GateSeries& one : series) {
    if (one.runs.empty() || one.baseline_runs.empty()) continue;
    BaselineRatio& ratio = ratios.emplace_back();
    ratio.name = one.key;
    ratio.ratio = hodges_lehmann_ratio(one.runs, one.baseline_runs);
    ratio.interval = ratio_interval(one.runs, one.baseline_runs);
    ratio.cliff = cliffs_delta(one.runs, one.baseline_runs);
    if (!ratio.interval) continue;
    ratio.slower = ratio.interval->low > 1 && ratio.ratio >= 1 + options.min_effect;
    ratio.faster = ratio.interval->high < 1 && ratio.ratio <= 1 - options.min_effect;
  }
  return ratios;
}

// The baseline is one night, so its own error is that of a night.
std::vector<Drift> find_drifts(const std::vector<GateSeries>& series,
                               const std::vector<CurveNights>& curves, std::size_t last,
                               const GateOptions& options) {
  std::vector<Drift> drifts;
  for (const CurveNights& curve : curves) {
    std::vector<std::size_t> common;
    double base = 0;
    for (const std::size_t i : curve.points) {
      if (series[i].baseline_runs.empty()) continue;
      common.push_back(i);
      base += std::log(median(series[i].baseline_runs));
    }
    if (common.empty()) continue;
    base /= static_cast<double>(common.size());
    const std::vector<double> nights = nights_of(series, common, last);
    const auto test = night_test(nights, 1, options);
    if (!test) continue;
    const double now = scatter_of({nights.end() - kDriftWindow, nights.end()}).mean;
    Drift drift;
    drift.name = curve.name;
    drift.ratio = std::exp(now - base);
    const double error = test->sd * std::sqrt(1 + 1.0 / kDriftWindow);
    drift.p = student_t_upper_tail((now - base) / error, test->history - 1);
    drift.drifted = drift.p <= options.curve_alpha && drift.ratio >= 1 + options.drift;
    drifts.push_back(std::move(drift));
  }
  return drifts;
}

}  // namespace kneepoint
