// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/analysis/gate/turns.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>

#include "orchestrator/analysis/comparison/build_comparison.h"

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
  const auto found = std::find_if(wanted.begin(), wanted.end(), [&](const TurnsWanted& one) {
    return without_build(one) == key;
  });
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

}  // namespace kneepoint
