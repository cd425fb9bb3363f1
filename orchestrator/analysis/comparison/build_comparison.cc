// SPDX-License-Identifier: Apache-2.0
//
// A point is judged by all its runs (Mann and Whitney), a curve by its pairs (signed ranks): what a
// neighbour on the machine does to a while of the study, it does to both of a pair.
#include "orchestrator/analysis/comparison/build_comparison.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <set>

#include "orchestrator/analysis/comparison/comparison.h"
#include "orchestrator/analysis/curves.h"
#include "orchestrator/analysis/statistics/distributions.h"
#include "orchestrator/analysis/statistics/intervals.h"
#include "orchestrator/base/text.h"

namespace kneepoint {
namespace {

constexpr double kPower = 0.8;

struct PairedTimes {
  std::vector<double> reference, candidate;  // seconds of valid runs
  std::vector<double> logs;                  // of candidate / reference, one a pair
};

PairedTimes times_of(const PointEvidence& reference, const PointEvidence& candidate) {
  PairedTimes times;
  std::map<int, double> by_repeat;
  for (const RunEvidence& run : reference.runs) {
    if (!counts(run)) continue;
    times.reference.push_back(run.seconds);
    by_repeat[run.repeat] = run.seconds;
  }
  for (const RunEvidence& run : candidate.runs) {
    if (!counts(run)) continue;
    times.candidate.push_back(run.seconds);
    const auto other = by_repeat.find(run.repeat);
    if (other != by_repeat.end()) times.logs.push_back(std::log(run.seconds / other->second));
  }
  return times;
}

BuildSide side_of(const PointEvidence& point) {
  BuildSide side;
  std::vector<double> seconds, compute, communication, rest;
  for (const RunEvidence& run : point.runs) {
    if (!counts(run)) {
      side.failed += run.finished ? 1 : 0;
      continue;
    }
    seconds.push_back(run.seconds);
    compute.push_back(run.compute_seconds);
    communication.push_back(run.communication_seconds);
    rest.push_back(std::max(0.0, run.seconds - run.compute_seconds - run.communication_seconds));
  }
  side.runs = static_cast<int>(seconds.size());
  if (seconds.empty()) return side;
  side.seconds = median(std::move(seconds));
  side.parts = {median(std::move(compute)), median(std::move(communication)), 0};
  if (side.parts.compute + side.parts.communication > 0) side.parts.rest = median(std::move(rest));
  return side;
}

// As a share of T, so that small K don't outweigh large ones.
void add_growth(const BuildPoint& point, NightParts& growth) {
  const NightParts &before = point.reference.parts, &now = point.candidate.parts;
  if (now.compute + now.communication <= 0 || before.compute + before.communication <= 0) return;
  const double t = point.candidate.seconds;
  growth.compute += (now.compute - before.compute) / t;
  growth.communication += (now.communication - before.communication) / t;
  growth.rest += (now.rest - before.rest) / t;
}

// Of what became slower the part that grew most, of what became faster the one that shrank most.
std::optional<MovedTerm> moved_of(const BuildTest& test, const NightParts& growth) {
  if (!test.ratio) return std::nullopt;
  if (*test.ratio > 1) return largest_growth(growth);
  return largest_growth({-growth.compute, -growth.communication, -growth.rest});
}

// The change that a test at `alpha` finds four times of five, when its estimate has this error.
double detectable_with(double error, double df, double alpha, double least) {
  const double quantiles = student_t_quantile(1 - alpha, df) + student_t_quantile(kPower, df);
  return std::max(least, std::expm1(quantiles * error));
}

void test_point(const PairedTimes& times, double alpha, const GateOptions& options,
                BuildPoint& point) {
  point.pairs = static_cast<int>(times.logs.size());
  const std::size_t n = times.reference.size(), m = times.candidate.size();
  if (n == 0 || m == 0) return;
  point.take(ratio_test(times.candidate, times.reference));
  if (n < 2 || m < 2) return;
  if (mann_whitney_null(static_cast<int>(n), static_cast<int>(m)).front() > alpha) return;
  std::vector<double> first, second;
  for (const double t : times.reference) first.push_back(std::log(t));
  for (const double t : times.candidate) second.push_back(std::log(t));
  const double df = static_cast<double>(n + m) - 2;
  const double sd = std::sqrt((scatter_of(first).squares + scatter_of(second).squares) / df);
  point.detectable =
      detectable_with(sd * std::sqrt(1.0 / static_cast<double>(n) + 1.0 / static_cast<double>(m)),
                      df, alpha, options.confirm_effect);
}

void test_curve(const std::vector<std::vector<double>>& logs_by_k, double alpha,
                const GateOptions& options, BuildCurve& curve) {
  std::vector<double> logs;
  double squares = 0, df = 0;
  for (const std::vector<double>& at : logs_by_k) {
    if (at.empty()) continue;
    logs.insert(logs.end(), at.begin(), at.end());
    squares += scatter_of(at).squares;
    df += static_cast<double>(at.size()) - 1;
  }
  curve.pairs = static_cast<int>(logs.size());
  if (logs.empty()) return;
  curve.take(paired_ratio(logs));
  if (df < 1 || least_signed_rank_p(curve.pairs) > alpha) return;
  const double error = std::sqrt(squares / df / static_cast<double>(logs.size()));
  curve.detectable = detectable_with(error, df, alpha, options.confirm_curve_effect);
}

void mark(const std::vector<BuildTest*>& tests, double alpha, double effect) {
  std::vector<double> slower, faster;
  for (const BuildTest* test : tests) {
    slower.push_back(test->p_slower);
    faster.push_back(test->p_faster);
  }
  const std::vector<bool> is_slower = holm(slower, alpha), is_faster = holm(faster, alpha);
  for (std::size_t i = 0; i < tests.size(); ++i) {
    BuildTest& test = *tests[i];
    test.slower = is_slower[i] && test.ratio && *test.ratio >= 1 + effect;
    test.faster = is_faster[i] && test.ratio && *test.ratio <= 1 / (1 + effect);
  }
}

void decide(const GateOptions& options, BuildComparison& answer) {
  int slower = 0, faster = 0, failed = 0;
  bool complete = !answer.curves.empty(), seen = !answer.curves.empty();
  for (const BuildCurve& curve : answer.curves) {
    slower += curve.slower ? 1 : 0;
    faster += curve.faster ? 1 : 0;
    std::optional<double> best = curve.detectable;
    for (const BuildPoint& point : curve.points) {
      slower += point.slower ? 1 : 0;
      faster += point.faster ? 1 : 0;
      failed += point.reference.failed + point.candidate.failed;
      complete = complete && point.reference.runs > 0 && point.candidate.runs > 0;
      if (!curve.detectable && point.detectable) {
        best = std::max(best.value_or(0), *point.detectable);
      }
    }
    seen = seen && best.has_value();
    if (best) answer.detectable = std::max(answer.detectable.value_or(0), *best);
  }
  if (!seen) answer.detectable.reset();
  const std::string names = answer.candidate + " against " + answer.reference;
  const std::string could =
      answer.detectable ? "; a change of " + format_number("%.1f%%", 100 * *answer.detectable) +
                              " would have been seen four times of five"
                        : "; so few pairs can't show any change";
  if (failed > 0 || !complete) {
    answer.verdict = Verdict::failed;
    answer.why = failed > 0 ? std::to_string(failed) + (failed == 1 ? " run" : " runs") + " failed"
                            : "a point has no valid run of one build";
  } else if (slower > 0) {
    answer.verdict = Verdict::regressed;
    answer.why = names + ": slower" + (faster > 0 ? ", although faster elsewhere" : "");
  } else if (faster > 0) {
    answer.verdict = Verdict::improved;
    answer.why = names + ": faster";
  } else {
    const bool sharp = answer.detectable && *answer.detectable <= options.max_regression;
    answer.verdict = sharp ? Verdict::pass : Verdict::inconclusive;
    answer.why =
        names + ": no difference seen" + could +
        (sharp || !answer.detectable
             ? ""
             : ", and the plan asks for " + format_number("%.1f%%", 100 * options.max_regression));
  }
}

// One point in both builds.
struct MeasuredPair {
  std::size_t curve;
  const PointEvidence *reference, *candidate;
  PairedTimes times;
};

// What else differs: then the ratio is of that too.
void note_differences(const std::vector<MeasuredPair>& measured, BuildComparison& answer) {
  const auto texts = [&](const PointEvidence* MeasuredPair::*side) {
    std::set<std::string> found;
    for (const MeasuredPair& pair : measured) {
      for (const RunEvidence& run : (pair.*side)->runs) {
        if (counts(run)) found.insert(run.provenance);
      }
    }
    return found;
  };
  std::set<std::string> noted;
  for (const std::string& a : texts(&MeasuredPair::reference)) {
    for (const std::string& b : texts(&MeasuredPair::candidate)) {
      for (const Difference& one : provenance_differences(a, b)) {
        if (one.what == "program" || !noted.insert(one.what).second) continue;
        answer.notes.push_back(one.what + " differs too: " + one.a + " of " + answer.reference +
                               ", " + one.b + " of " + answer.candidate);
      }
    }
  }
}

}  // namespace

std::optional<BuildComparison> compare_builds(const StudyEvidence& evidence,
                                              const GateOptions& options) {
  std::vector<std::string> labels;
  std::map<std::string, const PointEvidence*> candidates;
  for (const PointEvidence& point : evidence.points) {
    if (std::ranges::find(labels, point.point.build) == labels.end()) {
      labels.push_back(point.point.build);
    }
    if (labels.size() > 1 && point.point.build == labels[1]) {
      candidates[point.point.key_without_build()] = &point;
    }
  }
  if (labels.size() != 2) return std::nullopt;
  BuildComparison answer;
  answer.reference = labels[0];
  answer.candidate = labels[1];

  std::vector<CurveMembers> groups = group_curves(evidence);
  std::erase_if(groups, [&](const CurveMembers& one) { return one.build != answer.reference; });
  std::vector<MeasuredPair> measured;
  std::set<int> taken;
  std::set<std::size_t> named;
  for (std::size_t curve = 0; curve < groups.size(); ++curve) {
    for (const int index : groups[curve].points) {
      const PointEvidence& reference = evidence.points[index];
      const auto found = candidates.find(reference.point.key_without_build());
      if (found == candidates.end() || !taken.insert(index).second) continue;
      measured.push_back({curve, &reference, found->second, times_of(reference, *found->second)});
      named.insert(curve);
    }
  }
  if (measured.empty()) return std::nullopt;
  const double half = options.confirm_alpha / 2;
  const double point_alpha = half / static_cast<double>(measured.size());
  const double curve_alpha = half / static_cast<double>(named.size());
  for (const std::size_t curve : named) {
    BuildCurve& one = answer.curves.emplace_back();
    one.case_name = groups[curve].case_name;
    one.shape_name = groups[curve].shape_name;
    one.mode = groups[curve].mode;
    std::vector<std::vector<double>> logs;
    NightParts growth;
    for (const MeasuredPair& at : measured) {
      if (at.curve != curve) continue;
      BuildPoint& point = one.points.emplace_back();
      point.key = at.reference->point.key_without_build();
      point.k = at.reference->point.k;
      point.reference = side_of(*at.reference);
      point.candidate = side_of(*at.candidate);
      test_point(at.times, point_alpha, options, point);
      NightParts own;
      add_growth(point, own);
      point.moved = moved_of(point, own);
      add_growth(point, growth);
      logs.push_back(at.times.logs);
    }
    test_curve(logs, curve_alpha, options, one);
    one.moved = moved_of(one, growth);
  }
  std::vector<BuildTest*> points, curves;
  for (BuildCurve& curve : answer.curves) {
    curves.push_back(&curve);
    for (BuildPoint& point : curve.points) points.push_back(&point);
  }
  mark(points, half, options.confirm_effect);
  mark(curves, half, options.confirm_curve_effect);
  decide(options, answer);
  note_differences(measured, answer);
  return answer;
}

std::vector<ConfirmedPoint> pairs_of(const StudyEvidence& evidence, const std::string& reference,
                                     const std::string& candidate) {
  std::vector<ConfirmedPoint> points;
  for (const PointEvidence& one : evidence.points) {
    if (one.point.build != reference) continue;
    for (const PointEvidence& other : evidence.points) {
      if (other.point.build != candidate ||
          other.point.key_without_build() != one.point.key_without_build()) {
        continue;
      }
      PairedTimes times = times_of(one, other);
      points.push_back(
          {one.point.key_without_build(), std::move(times.reference), std::move(times.candidate)});
    }
  }
  return points;
}

}  // namespace kneepoint
