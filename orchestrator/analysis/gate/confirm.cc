// SPDX-License-Identifier: Apache-2.0
//
// Builds in turns on one allocation: the night is the same for both, so the same night decides. And
// tonight against the one study that is the baseline: run by run while nights are few, and as a
// drift of whole curves that is too slow for the test against the nights just before.
#include <algorithm>
#include <cmath>

#include "orchestrator/analysis/gate/parts.h"
#include "orchestrator/analysis/statistics/distributions.h"
#include "orchestrator/analysis/statistics/intervals.h"

namespace kneepoint {
namespace {

constexpr std::size_t kDriftWindow = 3;  // nights

Confirmation confirm_point(const ConfirmedPoint& pairs, const GateOptions& options) {
  Confirmation answer;
  answer.name = pairs.key;
  if (pairs.baseline.size() < 2 || pairs.candidate.size() < 2) return answer;
  answer.ratio = hodges_lehmann_ratio(pairs.candidate, pairs.baseline);
  answer.interval = ratio_interval(pairs.candidate, pairs.baseline);
  answer.cliff = cliffs_delta(pairs.candidate, pairs.baseline);
  answer.p = mann_whitney_slower(pairs.candidate, pairs.baseline);
  answer.confirmed =
      answer.p <= options.confirm_alpha && answer.ratio >= 1 + options.confirm_effect;
  return answer;
}

Confirmation confirm_curve(const GateFinding& finding, const std::vector<double>& logs,
                           const GateOptions& options) {
  Confirmation answer;
  answer.name = finding.name;
  answer.whole_curve = true;
  if (logs.size() < 2) return answer;
  const double mean = mean_of(logs, 0, logs.size());
  double squares = 0;
  for (const double log : logs) squares += (log - mean) * (log - mean);
  const double df = static_cast<double>(logs.size()) - 1;
  const double error =
      std::max(std::sqrt(squares / df), 1e-12) / std::sqrt(static_cast<double>(logs.size()));
  answer.ratio = std::exp(mean);
  answer.p = student_t_upper_tail(mean / error, df);
  const double half = student_t_quantile((1 + kLevel) / 2, df) * error;
  answer.interval = Interval{std::exp(mean - half), std::exp(mean + half), kLevel, "t over K"};
  answer.confirmed =
      answer.p <= options.confirm_alpha && answer.ratio >= 1 + options.confirm_curve_effect;
  return answer;
}

}  // namespace

double mann_whitney_slower(const std::vector<double>& candidate,
                           const std::vector<double>& baseline) {
  double u = 0;  // pairs in which the candidate takes longer
  for (const double slow : candidate) {
    for (const double fast : baseline) u += slow > fast ? 1 : slow == fast ? 0.5 : 0;
  }
  const std::vector<double> null =
      mann_whitney_null(static_cast<int>(candidate.size()), static_cast<int>(baseline.size()));
  double p = 0;
  for (auto i = static_cast<std::size_t>(std::floor(u)); i < null.size(); ++i) p += null[i];
  return std::min(p, 1.0);
}

double cliffs_delta(const std::vector<double>& first, const std::vector<double>& second) {
  if (first.empty() || second.empty()) return 0;
  long above = 0;
  for (const double a : first) {
    for (const double b : second) above += a > b ? 1 : a < b ? -1 : 0;
  }
  return static_cast<double>(above) / static_cast<double>(first.size() * second.size());
}

void confirm(const std::vector<GateSeries>& series, const std::vector<ConfirmedPoint>& turns,
             const GateOptions& options, GateAnswer& answer) {
  const auto pairs_of = [&](const std::string& key) {
    return std::find_if(turns.begin(), turns.end(),
                        [&](const ConfirmedPoint& one) { return one.key == key; });
  };
  for (const GateFinding& finding : answer.points) {
    const bool longer = std::any_of(
        answer.against_baseline.begin(), answer.against_baseline.end(),
        [&](const BaselineRatio& one) { return one.slower && one.name == finding.name; });
    if (!finding.slower && !longer) continue;
    const auto pairs = pairs_of(finding.name);
    if (pairs != turns.end()) answer.confirmed.push_back(confirm_point(*pairs, options));
  }
  for (const GateFinding& finding : answer.curves) {
    const bool drifted = std::any_of(
        answer.drifts.begin(), answer.drifts.end(),
        [&](const Drift& drift) { return drift.drifted && drift.name == finding.name; });
    if (!finding.slower && !drifted) continue;
    std::vector<double> logs;
    const ConfirmedPoint* last = nullptr;
    for (const GateSeries& one : series) {
      const auto pairs = pairs_of(one.key);
      if (one.curve != finding.name || pairs == turns.end()) continue;
      if (pairs->baseline.empty() || pairs->candidate.empty()) continue;
      last = &*pairs;
      logs.push_back(std::log(hodges_lehmann_ratio(pairs->candidate, pairs->baseline)));
    }
    // A curve of one K has no spread over K: its runs decide, as those of a point do.
    Confirmation one =
        logs.size() == 1 ? confirm_point(*last, options) : confirm_curve(finding, logs, options);
    one.name = finding.name;
    one.whole_curve = true;
    answer.confirmed.push_back(std::move(one));
  }
  confirm_knees(series, turns, options, answer.knees);
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
