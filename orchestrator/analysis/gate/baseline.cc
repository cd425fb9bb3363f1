// SPDX-License-Identifier: Apache-2.0
//
// Tonight against the one study that is the baseline: run by run while nights are few, and as a
// drift of whole curves that is too slow for the test against the nights just before.
#include <algorithm>
#include <cmath>

#include "orchestrator/analysis/gate/parts.h"
#include "orchestrator/analysis/statistics/distributions.h"
#include "orchestrator/analysis/statistics/intervals.h"

namespace kneepoint {
namespace {

constexpr std::size_t kDriftWindow = 3;  // nights

}  // namespace

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
    CurveNights common{curve.name, {}};
    double base = 0;
    for (const std::size_t i : curve.points) {
      if (series[i].baseline_runs.empty()) continue;
      common.points.push_back(i);
      base += std::log(median(series[i].baseline_runs));
    }
    if (common.points.empty()) continue;
    base /= static_cast<double>(common.points.size());
    const std::vector<double> nights = nights_of(series, common, last);
    const auto test = night_test(nights, 1, options);
    if (!test) continue;
    const double now = mean_of(nights, nights.size() - kDriftWindow, nights.size());
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
