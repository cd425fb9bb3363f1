// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/analysis/gate.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numeric>

#include "orchestrator/analysis/distributions.h"
#include "orchestrator/analysis/intervals.h"

namespace kneepoint {
namespace {

constexpr int kWindows[] = {1, 3};
constexpr double kPower = 0.8;

double mean_of(const std::vector<double>& values, std::size_t begin, std::size_t end) {
  double sum = 0;
  for (std::size_t i = begin; i < end; ++i) sum += values[i];
  return sum / static_cast<double>(end - begin);
}

std::string percent(double share) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f%%", 100 * share);
  return text;
}

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

struct CurveNights {
  std::string name;
  std::vector<std::size_t> points;  // of the series, those measured tonight
};

std::vector<CurveNights> curves_of(const std::vector<GateSeries>& series) {
  std::vector<CurveNights> curves;
  for (std::size_t i = 0; i < series.size(); ++i) {
    if (series[i].log_medians.empty() || !series[i].log_medians.back()) continue;
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

// The mean over the curve's points, of the nights that have them all.
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

// The lower end of a 90% interval of the true deviation, as a share of the one seen: the quantile
// of chi-square by Wilson and Hilferty.
double deviation_at_least(int history) {
  constexpr double kNormal95 = 1.6448536269514722;
  const double df = history - 1;
  const double root = 1 - 2 / (9 * df) + kNormal95 * std::sqrt(2 / (9 * df));
  return 1 / std::sqrt(root * root * root);
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

Confirmation confirm_point(const ConfirmedPoint& pairs, const GateOptions& options) {
  Confirmation answer;
  answer.name = pairs.key;
  if (pairs.baseline.size() < 2 || pairs.candidate.size() < 2) return answer;
  answer.ratio = hodges_lehmann_ratio(pairs.candidate, pairs.baseline);
  answer.interval = ratio_interval(pairs.candidate, pairs.baseline);
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

void confirm(const std::vector<GateSeries>& series, const std::vector<ConfirmedPoint>& turns,
             const GateOptions& options, GateAnswer& answer) {
  const auto pairs_of = [&](const std::string& key) {
    return std::find_if(turns.begin(), turns.end(),
                        [&](const ConfirmedPoint& one) { return one.key == key; });
  };
  for (const GateFinding& finding : answer.points) {
    if (!finding.slower) continue;
    const auto pairs = pairs_of(finding.name);
    if (pairs != turns.end()) answer.confirmed.push_back(confirm_point(*pairs, options));
  }
  for (const GateFinding& finding : answer.curves) {
    if (!finding.slower) continue;
    std::vector<double> logs;
    for (const GateSeries& one : series) {
      const auto pairs = pairs_of(one.key);
      if (one.curve != finding.name || pairs == turns.end()) continue;
      if (pairs->baseline.empty() || pairs->candidate.empty()) continue;
      logs.push_back(std::log(hodges_lehmann_ratio(pairs->candidate, pairs->baseline)));
    }
    answer.confirmed.push_back(confirm_curve(finding, logs, options));
  }
}

void decide(const GateOptions& options, bool turns, double surely, GateAnswer& answer) {
  std::vector<const GateFinding*> all;
  for (const auto* list : {&answer.points, &answer.curves}) {
    for (const GateFinding& finding : *list) all.push_back(&finding);
  }
  const auto any = [&](auto holds) {
    return std::any_of(all.begin(), all.end(),
                       [&](const GateFinding* finding) { return holds(*finding); });
  };
  if (!any([](const GateFinding& finding) { return !finding.tests.empty(); })) {
    answer.verdict = Verdict::no_baseline;
    answer.why = std::to_string(answer.nights) + " nights before this one; " +
                 std::to_string(options.least_history) + " are needed";
    return;
  }
  const bool suspect = any([](const GateFinding& finding) { return finding.slower; });
  if (suspect) {
    const bool proven = turns ? std::any_of(answer.confirmed.begin(), answer.confirmed.end(),
                                            [](const Confirmation& one) { return one.confirmed; })
                              : any([](const GateFinding& finding) {
                                  return finding.slower && finding.slower_before;
                                });
    answer.verdict = proven ? Verdict::regressed : Verdict::suspect;
    if (turns) {
      answer.why = proven ? "slower than the nights before, and than the pinned build in turns"
                          : "slower than the nights before, but not than the pinned build in turns";
    } else {
      answer.why = proven ? "slower than the nights before, as it was the night before"
                          : "slower than the nights before; one night proves nothing yet";
    }
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
                 percent(answer.curve_detectable) + " would not be seen; " +
                 percent(options.max_regression) + " should be";
    return;
  }
  answer.verdict = Verdict::pass;
  answer.why = "no point and no curve is slower than the nights before";
}

}  // namespace

const char* to_string(Verdict verdict) {
  switch (verdict) {
    case Verdict::pass:
      return "PASS";
    case Verdict::improved:
      return "IMPROVED";
    case Verdict::suspect:
      return "SUSPECT";
    case Verdict::regressed:
      return "REGRESSED";
    case Verdict::inconclusive:
      return "INCONCLUSIVE";
    case Verdict::env_change:
      return "ENV_CHANGE";
    case Verdict::no_baseline:
      return "NO_BASELINE";
    case Verdict::failed:
      return "FAILED";
  }
  return "?";
}

std::optional<NightTest> night_test(const std::vector<double>& nights, int window,
                                    const GateOptions& options) {
  const auto last = static_cast<std::size_t>(window);
  if (nights.size() < last + static_cast<std::size_t>(options.least_history)) return std::nullopt;
  const std::size_t end = nights.size() - last;
  const std::size_t begin =
      end > static_cast<std::size_t>(options.most_history) ? end - options.most_history : 0;
  const auto history = static_cast<double>(end - begin);
  const double mean = mean_of(nights, begin, end);
  double squares = 0;
  for (std::size_t i = begin; i < end; ++i) squares += (nights[i] - mean) * (nights[i] - mean);
  NightTest test;
  test.window = window;
  test.history = static_cast<int>(end - begin);
  test.sd = std::max(std::sqrt(squares / (history - 1)), options.least_sd);
  const double now = mean_of(nights, end, nights.size());
  const double error = test.sd * std::sqrt(1.0 / window + 1 / history);
  test.t = (now - mean) / error;
  test.p_slower = student_t_upper_tail(test.t, history - 1);
  test.p_faster = student_t_upper_tail(-test.t, history - 1);
  const double middle =
      median(std::vector<double>(nights.begin() + static_cast<std::ptrdiff_t>(begin),
                                 nights.begin() + static_cast<std::ptrdiff_t>(end)));
  test.effect = std::exp(now - middle) - 1;
  const double half = student_t_quantile((1 + kLevel) / 2, history - 1) * error;
  test.low = std::exp(now - middle - half);
  test.high = std::exp(now - middle + half);
  return test;
}

std::vector<bool> holm(const std::vector<double>& p, double alpha) {
  std::vector<std::size_t> order(p.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return p[a] < p[b]; });
  std::vector<bool> rejected(p.size(), false);
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (p[order[i]] > alpha / static_cast<double>(p.size() - i)) break;
    rejected[order[i]] = true;
  }
  return rejected;
}

double minimal_detectable(double sd, int history, double alpha) {
  const double df = history - 1;
  return std::expm1((student_t_quantile(1 - alpha, df) + student_t_quantile(kPower, df)) * sd *
                    std::sqrt(1 + 1.0 / history));
}

const NightTest* GateFinding::decisive() const {
  const auto least =
      std::min_element(tests.begin(), tests.end(), [](const NightTest& a, const NightTest& b) {
        return std::min(a.p_slower, a.p_faster) < std::min(b.p_slower, b.p_faster);
      });
  return least == tests.end() ? nullptr : &*least;
}

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
  const std::vector<CurveNights> curves = curves_of(series);
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
  if (turns) confirm(series, *turns, options, answer);
  decide(options, turns.has_value(), surely, answer);
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
