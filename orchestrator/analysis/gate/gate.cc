// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/analysis/gate/gate.h"

#include <algorithm>
#include <cstdio>
#include <set>

#include "orchestrator/analysis/gate/parts.h"
#include "orchestrator/base/text.h"

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

// What the least able of the curves lacks.
void add_needs(const std::vector<GateSeries>& series, const std::vector<CurveNights>& curves,
               const GateOptions& options, GateAnswer& answer) {
  for (std::size_t i = 0; i < curves.size(); ++i) {
    const GateFinding& finding = answer.curves[i];
    if (finding.tests.empty() || finding.detectable < answer.curve_detectable) continue;
    answer.needs = needs_of(series, curves[i], finding.tests.front(), options);
    answer.why += "; " + answer.needs->sentence;
    return;
  }
}

// What speaks for slower tonight, and what of it is proven.
struct Case {
  bool suspect = false, proven = false;
  std::string why;
};

Case case_of(const GateAnswer& answer, bool turns) {
  Case found;
  bool nights = false, twice = false, drift = false, drift_twice = false, knee = false;
  for (const auto* list : {&answer.points, &answer.curves}) {
    for (const GateFinding& finding : *list) {
      nights = nights || finding.slower;
      twice = twice || (finding.slower && finding.slower_before);
    }
  }
  for (const Drift& one : answer.drifts) {
    drift = drift || one.drifted;
    drift_twice = drift_twice || (one.drifted && one.drifted_before);
  }
  bool confirmed = false;
  for (const Confirmation& one : answer.confirmed) confirmed = confirmed || one.confirmed;
  for (const KneeShift& one : answer.knees) {
    knee = knee || (one.shifted && one.octaves < 0);
    confirmed = confirmed || (one.confirmed && one.octaves < 0);
  }
  found.suspect = nights || drift || knee;
  found.proven = turns ? confirmed : twice || drift_twice;
  found.why = nights  ? "slower than the nights before"
              : drift ? "the last nights are slower than the baseline"
                      : "the knee is at a smaller K than in the nights before";
  if (turns) {
    found.why += found.proven ? ", and than the pinned build in turns"
                              : ", but not than the pinned build in turns";
  } else if (found.proven) {
    found.why += ", as it was the night before";
  } else {
    found.why += "; one night proves nothing yet";
  }
  return found;
}

void answer_without_history(const GateOptions& options, bool turns, GateAnswer& answer) {
  answer.verdict = Verdict::no_baseline;
  answer.why = std::to_string(answer.nights) + (answer.nights == 1 ? " night" : " nights") +
               " before this one; " + std::to_string(options.least_history) + " are needed";
  if (answer.against_baseline.empty()) return;
  const auto slower = std::count_if(answer.against_baseline.begin(), answer.against_baseline.end(),
                                    [](const BaselineRatio& one) { return one.slower; });
  answer.why += ". Against the baseline " + std::to_string(slower) + " of " +
                std::to_string(answer.against_baseline.size()) +
                " points took longer, whatever is the night's part in it";
  const bool proven = std::any_of(answer.confirmed.begin(), answer.confirmed.end(),
                                  [](const Confirmation& one) { return one.confirmed; });
  if (!turns || !proven) return;
  answer.verdict = Verdict::regressed;
  answer.why = "slower than the baseline, and than the pinned build in turns";
}

void decide(const GateOptions& options, bool turns, double surely, GateAnswer& answer) {
  const auto any = [&](auto holds) {
    return std::any_of(answer.points.begin(), answer.points.end(), holds) ||
           std::any_of(answer.curves.begin(), answer.curves.end(), holds);
  };
  if (!any([](const GateFinding& finding) { return !finding.tests.empty(); })) {
    answer_without_history(options, turns, answer);
    return;
  }
  if (const Case found = case_of(answer, turns); found.suspect) {
    answer.verdict = found.proven ? Verdict::regressed : Verdict::suspect;
    answer.why = found.why;
    return;
  }
  if (any([](const GateFinding& finding) { return finding.faster && finding.faster_before; })) {
    answer.verdict = Verdict::improved;
    answer.why = "faster than the nights before, as it was the night before";
    return;
  }
  if (surely > options.max_regression) {
    answer.verdict = Verdict::inconclusive;
    answer.why = "these nights differ so much that a change of a whole curve by less than " +
                 format_number("%.1f%%", 100 * answer.curve_detectable) + " would not be seen; " +
                 format_number("%.1f%%", 100 * options.max_regression) + " should be";
    return;
  }
  answer.verdict = Verdict::pass;
  answer.why = "no point and no curve is slower than the nights before";
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

GateAnswer gate(const std::vector<GateSeries>& series, const GateOptions& options,
                const std::optional<std::vector<ConfirmedPoint>>& turns) {
  GateAnswer answer;
  std::size_t nights = 0;
  bool failed = false;
  for (const GateSeries& one : series) {
    nights = std::max(nights, one.log_medians.size());
    failed = failed || one.failed;
  }
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
  if (failed) {
    answer.verdict = Verdict::failed;
    std::string names;
    for (const GateSeries& one : series) {
      if (one.failed) names += (names.empty() ? "" : ", ") + one.key;
    }
    answer.why = "a run failed at " + names;
  }
  return answer;
}

}  // namespace kneepoint
