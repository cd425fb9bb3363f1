// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/analysis/gate/gate.h"

#include <algorithm>
#include <set>

#include "orchestrator/analysis/gate/history.h"
#include "orchestrator/analysis/gate/parts.h"

namespace kneepoint {
namespace {

constexpr int kWindows[] = {1, 3};

// Tonight's points with a past, together by curve: a K that is new must not hide the others' past.
// Where none has one, all of them.
std::vector<CurveNights> curves_of(const std::vector<GateSeries>& series,
                                   const GateOptions& options) {
  std::vector<CurveNights> curves;
  const auto has_past = [&](std::size_t i) {
    return !series[i].log_medians.empty() &&
           static_cast<int>(nights_of(series, {i}, series[i].log_medians.size() - 1).size()) >
               options.least_history;
  };
  std::set<std::string> with_past;
  for (std::size_t i = 0; i < series.size(); ++i) {
    if (has_past(i)) with_past.insert(series[i].curve);
  }
  for (std::size_t i = 0; i < series.size(); ++i) {
    if (series[i].log_medians.empty() || !series[i].log_medians.back()) continue;
    if (with_past.contains(series[i].curve) && !has_past(i)) continue;
    const auto found = std::ranges::find(curves, series[i].curve, &CurveNights::name);
    (found == curves.end() ? curves.emplace_back(CurveNights{series[i].curve, {}}) : *found)
        .points.push_back(i);
  }
  return curves;
}

// Marks what is significant in all the findings of a night together.
void mark_points(std::vector<GateFinding>& findings, const GateOptions& options) {
  for (std::size_t w = 0; w < std::size(kWindows); ++w) {
    std::vector<NightTest*> tests;
    for (GateFinding& finding : findings) {
      for (NightTest& test : finding.tests) {
        if (test.window == kWindows[w]) tests.push_back(&test);
      }
    }
    std::vector<double> slower, faster;
    for (const NightTest* test : tests) {
      slower.push_back(test->p_slower);
      faster.push_back(test->p_faster);
    }
    const std::vector<bool> is_slower = holm(slower, options.alpha);
    const std::vector<bool> is_faster = holm(faster, options.alpha);
    for (std::size_t i = 0; i < tests.size(); ++i) {
      NightTest& test = *tests[i];
      test.slower = is_slower[i] && test.effect >= options.min_effect;
      test.faster = is_faster[i] && -test.effect >= options.min_effect;
    }
  }
}

void mark_curves(std::vector<GateFinding>& findings, const GateOptions& options) {
  for (GateFinding& finding : findings) {
    for (NightTest& test : finding.tests) {
      test.slower = test.p_slower <= options.curve_alpha && test.effect >= options.curve_effect;
      test.faster = test.p_faster <= options.curve_alpha && -test.effect >= options.curve_effect;
    }
  }
}

void settle(std::vector<GateFinding>& findings) {
  for (GateFinding& finding : findings) {
    for (const NightTest& test : finding.tests) {
      finding.slower = finding.slower || test.slower;
      finding.faster = finding.faster || test.faster;
    }
  }
}

struct Night {
  std::vector<GateFinding> points, curves;
};

Night assess(const std::vector<GateSeries>& series, const std::vector<CurveNights>& curves,
             std::size_t night, const GateOptions& options) {
  Night answer;
  const auto find = [&](GateFinding finding, const std::vector<std::size_t>& points) {
    const std::vector<double> nights = nights_of(series, points, night);
    for (const std::size_t i : points) finding.ks.push_back(series[i].k);
    for (const int window : kWindows) {
      if (const auto test = night_test(nights, window, options)) finding.tests.push_back(*test);
    }
    return finding;
  };
  for (std::size_t i = 0; i < series.size(); ++i) {
    answer.points.push_back(find({.name = series[i].key}, {i}));
  }
  for (const CurveNights& curve : curves) {
    answer.curves.push_back(find({.name = curve.name, .whole_curve = true}, curve.points));
  }
  mark_points(answer.points, options);
  mark_curves(answer.curves, options);
  settle(answer.points);
  settle(answer.curves);
  return answer;
}

void remember_night_before(const std::vector<GateFinding>& before,
                           std::vector<GateFinding>& tonight) {
  for (std::size_t i = 0; i < tonight.size(); ++i) {
    tonight[i].slower_before = before[i].slower;
    tonight[i].faster_before = before[i].faster;
  }
}

// `surely`: what a deviation at the lower end of its own interval would let slip. A deviation from
// 20 nights is known to a sixth only, and must not make every fifth quiet night inconclusive.
void add_detectable(const GateOptions& options, GateAnswer& answer, double& surely) {
  const auto tested = static_cast<double>(std::ranges::count_if(
      answer.points, [](const GateFinding& finding) { return !finding.tests.empty(); }));
  for (GateFinding& finding : answer.points) {
    if (finding.tests.empty()) continue;
    const NightTest& test = finding.tests.front();
    finding.detectable = minimal_detectable(test.sd, test.history, options.alpha / tested);
  }
  for (GateFinding& finding : answer.curves) {
    if (finding.tests.empty()) continue;
    const NightTest& test = finding.tests.front();
    finding.detectable = minimal_detectable(test.sd, test.history, options.curve_alpha);
    answer.curve_detectable = std::max(answer.curve_detectable, finding.detectable);
    surely = std::max(surely, minimal_detectable(test.sd * deviation_at_least(test.history),
                                                 test.history, options.curve_alpha));
  }
}

void add_drifts(const std::vector<GateSeries>& series, const std::vector<CurveNights>& curves,
                std::size_t last, const GateOptions& options, GateAnswer& answer) {
  answer.drifts = find_drifts(series, curves, last, options);
  if (last == 0) return;
  const std::vector<Drift> before = find_drifts(series, curves, last - 1, options);
  for (Drift& drift : answer.drifts) {
    for (const Drift& one : before) {
      if (one.name == drift.name) drift.drifted_before = one.drifted;
    }
  }
}

}  // namespace

std::vector<double> nights_of(const std::vector<GateSeries>& series,
                              const std::vector<std::size_t>& points, std::size_t last,
                              std::vector<std::size_t>* which) {
  std::vector<double> nights;
  for (std::size_t night = 0; night <= last; ++night) {
    double sum = 0;
    const bool all = std::ranges::all_of(points, [&](std::size_t i) {
      const auto& logs = series[i].log_medians;
      const bool there = night < logs.size() && logs[night];
      if (there) sum += *logs[night];
      return there;
    });
    if (!all && night == last) return {};
    if (!all) continue;
    nights.push_back(sum / static_cast<double>(points.size()));
    if (which != nullptr) which->push_back(night);
  }
  return nights;
}

GateAnswer gate(const GateHistory& history, const GateOptions& options,
                const std::optional<std::vector<ConfirmedPoint>>& turns) {
  const std::vector<GateSeries>& series = history.series;
  GateAnswer answer;
  std::size_t nights = 0;
  for (const GateSeries& one : series) nights = std::max(nights, one.log_medians.size());
  if (nights == 0) {
    answer.why = "nothing was measured";
    answer.verdict = Verdict::failed;
    return answer;
  }
  answer.nights = static_cast<int>(nights) - 1;
  const std::vector<CurveNights> curves = curves_of(series, options);
  Night tonight = assess(series, curves, nights - 1, options);
  if (nights >= 2) {
    const Night before = assess(series, curves, nights - 2, options);
    remember_night_before(before.points, tonight.points);
    remember_night_before(before.curves, tonight.curves);
  }
  answer.points = std::move(tonight.points);
  answer.curves = std::move(tonight.curves);
  double surely = 0;
  add_detectable(options, answer, surely);
  const bool tested = std::ranges::any_of(
      answer.points, [](const GateFinding& point) { return !point.tests.empty(); });
  if (!tested) answer.against_baseline = baseline_ratios(series, options);
  if (tested) add_drifts(series, curves, nights - 1, options, answer);
  if (tested) answer.knees = find_knee_shifts(series, curves, options);
  if (turns) confirm(series, *turns, options, answer);
  decide(options, turns.has_value(), surely, answer);
  if (answer.verdict == Verdict::inconclusive) add_needs(series, curves, options, answer);
  if (is_failed(series, answer)) return answer;
  hold_on_to_steps(history, options, answer);
  judge_study(history, answer);
  return answer;
}

GateAnswer gate(std::vector<GateSeries> series, const GateOptions& options,
                const std::optional<std::vector<ConfirmedPoint>>& turns) {
  GateHistory history;
  history.series = std::move(series);
  std::size_t nights = 0;
  for (const GateSeries& one : history.series) nights = std::max(nights, one.log_medians.size());
  for (std::size_t i = 1; i <= nights; ++i) history.nights.push_back("night " + std::to_string(i));
  return gate(history, options, turns);
}

}  // namespace kneepoint
