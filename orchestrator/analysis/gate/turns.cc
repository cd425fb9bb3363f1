// SPDX-License-Identifier: Apache-2.0
//
// Builds in turns on one allocation: the night is the same for both, so the same night decides.
#include "orchestrator/analysis/gate/turns.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string_view>

#include "orchestrator/analysis/comparison/build_comparison.h"
#include "orchestrator/analysis/gate/parts.h"
#include "orchestrator/analysis/statistics/distributions.h"
#include "orchestrator/analysis/statistics/intervals.h"

namespace kneepoint {
namespace {

bool has_nothing_to_confirm(const GateAnswer& answer) {
  return answer.verdict == Verdict::failed || answer.verdict == Verdict::env_change;
}

// "default/jacobi/..." without the build that the key begins with.
std::string without_build(const TurnsWanted& one) {
  return one.key.substr(one.key.find('/') + 1);
}

const TurnsWanted* find_wanted(const std::vector<TurnsWanted>& wanted, const std::string& key) {
  const auto found = std::ranges::find_if(
      wanted, [&](const TurnsWanted& one) { return without_build(one) == key; });
  return found == wanted.end() ? nullptr : &*found;
}

// "program=..." of all runs at these points that a build, or a plain study (""), has.
std::set<std::string> programs_of(const StudyEvidence& evidence, const std::string& build,
                                  const std::set<std::string>& keys) {
  constexpr std::string_view kProgram = "program=";
  std::set<std::string> programs;
  for (const PointEvidence& point : evidence.points) {
    if (!build.empty() && point.point.build != build) continue;
    if (!keys.contains(point.point.key_without_build())) continue;
    for (const RunEvidence& run : point.runs) {
      const std::size_t at = run.provenance.find(kProgram);
      if (at == std::string::npos) continue;
      programs.insert(run.provenance.substr(at, run.provenance.find("; ", at) - at));
    }
  }
  return programs;
}

Confirmation confirm_point(const ConfirmedPoint& pairs, const GateOptions& options) {
  Confirmation answer;
  answer.name = pairs.key;
  if (pairs.baseline.size() < 2 || pairs.candidate.size() < 2) return answer;
  const RatioTest test = ratio_test(pairs.candidate, pairs.baseline);
  answer.ratio = test.ratio;
  answer.interval = test.interval;
  answer.cliff = cliffs_delta(pairs.candidate, pairs.baseline);
  answer.p = test.p_above;
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
  const auto [mean, squares] = scatter_of(logs);
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

std::vector<TurnsWanted> turns_wanted(const std::vector<GateSeries>& series,
                                      const GateAnswer& answer) {
  constexpr int kPoint = 10, kCurve = 5;
  if (has_nothing_to_confirm(answer)) return {};
  std::map<std::string, int> of_point, of_curve;
  for (const GateFinding& point : answer.points) {
    if (point.slower) of_point[point.name] = kPoint;
  }
  for (const BaselineRatio& one : answer.against_baseline) {
    if (one.slower) of_point[one.name] = kPoint;
  }
  for (const GateFinding& curve : answer.curves) {
    if (curve.slower) of_curve[curve.name] = kCurve;
  }
  for (const Drift& drift : answer.drifts) {
    if (drift.drifted) of_curve[drift.name] = kCurve;
  }
  for (const KneeShift& shift : answer.knees) {
    if (shift.shifted) of_curve[shift.name] = kCurve;
  }
  std::vector<TurnsWanted> wanted;
  for (const GateSeries& one : series) {
    const auto point = of_point.find(one.key);
    const auto curve = of_curve.find(one.curve);
    const int pairs = std::max(point == of_point.end() ? 0 : point->second,
                               curve == of_curve.end() ? 0 : curve->second);
    if (pairs > 0) wanted.push_back({one.key, pairs});
  }
  return wanted;
}

std::string why_no_turns(const GateAnswer& answer, const std::vector<TurnsWanted>& wanted,
                         const std::optional<Baseline>& baseline) {
  if (has_nothing_to_confirm(answer)) {
    return std::string(to_string(answer.verdict)) + ": there is nothing to confirm";
  }
  if (wanted.empty()) return "nothing is suspect, so nothing was measured";
  if (baseline && !baseline->builds.empty()) return "";
  return "no build is pinned for this series, so nothing was measured in turns; a second night in "
         "a "
         "row decides (pin one with kneepoint baseline set)";
}

void keep_wanted(const std::vector<TurnsWanted>& wanted, std::vector<Point>& points) {
  std::erase_if(points, [&](const Point& point) {
    return find_wanted(wanted, point.key_without_build()) == nullptr;
  });
  for (Point& point : points) {
    point.repeats = find_wanted(wanted, point.key_without_build())->pairs;
  }
}

std::vector<ConfirmedPoint> turns_of(const StudyEvidence& measured,
                                     const std::vector<TurnsWanted>& wanted) {
  std::vector<ConfirmedPoint> turns = pairs_of(measured, kPinnedBuild, kTonightsBuild);
  for (ConfirmedPoint& one : turns) {
    if (const TurnsWanted* named = find_wanted(wanted, one.key)) one.key = named->key;
  }
  return turns;
}

bool is_other_program(const StudyEvidence& night, const StudyEvidence& measured) {
  std::set<std::string> keys;
  for (const PointEvidence& point : measured.points) keys.insert(point.point.key_without_build());
  const auto then = programs_of(night, "", keys);
  const auto now = programs_of(measured, kTonightsBuild, keys);
  return !then.empty() && !now.empty() && then != now;
}

void confirm(const std::vector<GateSeries>& series, const std::vector<ConfirmedPoint>& turns,
             const GateOptions& options, GateAnswer& answer) {
  const auto pairs_of = [&](const std::string& key) {
    return std::ranges::find_if(turns, [&](const ConfirmedPoint& one) { return one.key == key; });
  };
  for (const GateFinding& finding : answer.points) {
    const bool longer = std::ranges::any_of(answer.against_baseline, [&](const BaselineRatio& one) {
      return one.slower && one.name == finding.name;
    });
    if (!finding.slower && !longer) continue;
    const auto pairs = pairs_of(finding.name);
    if (pairs != turns.end()) answer.confirmed.push_back(confirm_point(*pairs, options));
  }
  for (const GateFinding& finding : answer.curves) {
    const bool drifted = std::ranges::any_of(answer.drifts, [&](const Drift& drift) {
      return drift.drifted && drift.name == finding.name;
    });
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

}  // namespace kneepoint
