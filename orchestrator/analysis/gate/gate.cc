// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/analysis/gate/gate.h"

#include <algorithm>
#include <set>

#include "orchestrator/analysis/gate/history.h"
#include "orchestrator/analysis/gate/parts.h"

namespace kneepoint {
namespace {

constexpr int kWindows[] = {1, 3};

// The nights of a point up to and including `last`, those without it left out. Empty: not measured
// at `last`.
std::vector<double> nights_of(const GateSeries& series, std::size_t last) {
  std::vector<double> nights;
  if (last >= series.log_medians.size() || !series.log_medians[last]) return nights;
  for (std::size_t i = 0; i <= last; ++i) {
    if (series.log_medians[i]) nights.push_back(*series.log_medians[i]);
  }
  return nights;
}

// Tonight's points with a past, together by curve: a K that is new must not hide the others' past.
// Where none has one, all of them.
std::vector<CurveNights> curves_of(const std::vector<GateSeries>& series,
                                   const GateOptions& options) {
  std::vector<CurveNights> curves;
  const auto has_past = [&](const GateSeries& one) {
    return nights_of(one, one.log_medians.size() - 1).size() >
           static_cast<std::size_t>(options.least_history);
  };
  std::set<std::string> with_past;
  for (const GateSeries& one : series) {
    if (!one.log_medians.empty() && has_past(one)) with_past.insert(one.curve);
  }
  for (std::size_t i = 0; i < series.size(); ++i) {
    if (series[i].log_medians.empty() || !series[i].log_medians.back()) continue;
    if (with_past.count(series[i].curve) > 0 && !has_past(series[i])) continue;
    const auto found = std::find_if(curves.begin(), curves.end(), [&](const CurveNights& curve) {
      return curve.name == series[i].curve;
    });
    if (found == curves.end()) {
      curves.push_back({series[i].curve, {i}});
    } else {
      found->points.push_back(i);
    }
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
  const auto tests_of = [&](const std::vector<double>& nights) {
    std::vector<NightTest> tests;
    for (const int window : kWindows) {
      if (const auto test = night_test(nights, window, options)) tests.push_back(*test);
    }
    return tests;
  };
  for (const GateSeries& one : series) {
    GateFinding finding;
    finding.name = one.key;
    finding.ks = {one.k};
    finding.tests = tests_of(nights_of(one, night));
    answer.points.push_back(std::move(finding));
  }
  for (const CurveNights& curve : curves) {
    GateFinding finding;
    finding.name = curve.name;
    finding.whole_curve = true;
    for (const std::size_t i : curve.points) finding.ks.push_back(series[i].k);
    finding.tests = tests_of(nights_of(series, curve, night));
    answer.curves.push_back(std::move(finding));
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
  const auto tested = static_cast<double>(
      std::count_if(answer.points.begin(), answer.points.end(),
                    [](const GateFinding& finding) { return !finding.tests.empty(); }));
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

std::vector<double> nights_of(const std::vector<GateSeries>& series, const CurveNights& curve,
                              std::size_t last) {
  std::vector<double> nights;
  for (std::size_t night = 0; night <= last; ++night) {
    double sum = 0;
    bool all = true;
    for (const std::size_t i : curve.points) {
      const auto& logs = series[i].log_medians;
      all = all && night < logs.size() && logs[night].has_value();
      if (all) sum += *logs[night];
    }
    if (all) nights.push_back(sum / static_cast<double>(curve.points.size()));
    if (!all && night == last) return {};
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
  const bool tested = std::any_of(answer.points.begin(), answer.points.end(),
                                  [](const GateFinding& point) { return !point.tests.empty(); });
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
