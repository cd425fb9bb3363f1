// SPDX-License-Identifier: Apache-2.0
//
// Two builds measured in turns: the ratio of their times at each point and over each curve, what of
// T moved, and whether the second is slower. Ratios are T of the second over T of the first, the
// reference. By docs/methods.md. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "orchestrator/analysis/gate/gate.h"
#include "orchestrator/analysis/gate/history.h"
#include "orchestrator/analysis/statistics/intervals.h"
#include "orchestrator/base/fields.h"

namespace kneepoint {

// One build at one point.
struct BuildSide {
  int runs = 0, failed = 0;
  double seconds = 0;  // median; 0: no valid run
  NightParts parts;    // medians; all 0: the workload doesn't say
  static constexpr auto fields() {
    using T = BuildSide;
    return described(KP_NAMED(runs, failed), field("time", &T::seconds), fields_of(&T::parts));
  }
};

// What a test of a point and of a curve have in common.
struct BuildTest {
  int pairs = 0;  // repeats with a valid run of each build
  std::optional<double> ratio;
  std::optional<Interval> interval;
  double p_slower = 1, p_faster = 1;  // one-sided
  bool slower = false, faster = false;
  std::optional<double> detectable;  // a change that four of five such studies would show
  std::optional<MovedTerm> moved;    // which part of T makes up most of the change

  void take(const RatioTest& test) {
    ratio = test.ratio;
    interval = test.interval;
    p_slower = test.p_above;
    p_faster = test.p_below;
  }
  KP_DESCRIBED(BuildTest, pairs, ratio, interval, p_slower, p_faster, slower, faster, detectable,
               moved);
};

struct BuildPoint : BuildTest {
  std::string key;  // without the build
  int k = 1;
  BuildSide reference, candidate;
  static constexpr auto fields() {
    using T = BuildPoint;
    return described(KP_NAMED(key, k, reference, candidate),
                     fields_of([](const T& point) -> const BuildTest& { return point; }));
  }
};

struct BuildCurve : BuildTest {
  std::string case_name, shape_name;
  Mode mode = Mode::strong;
  std::vector<BuildPoint> points;  // K ascending
  static constexpr auto fields() {
    using T = BuildCurve;
    return described(field("case", &T::case_name), field("mode", &T::mode),
                     field("shape", &T::shape_name),
                     fields_of([](const T& curve) -> const BuildTest& { return curve; }),
                     field("points", &T::points));
  }
};

struct BuildComparison {
  std::string reference, candidate;  // labels
  std::vector<BuildCurve> curves;
  Verdict verdict = Verdict::inconclusive;
  std::string why;                   // a sentence without its full stop
  std::optional<double> detectable;  // of the curve that shows least
  std::vector<std::string> notes;    // sentences: what else differs between the two
  KP_DESCRIBED(BuildComparison, reference, candidate, verdict, why, detectable, curves, notes);
};

// None: the study has not exactly two builds of the same points. Half of `confirm_alpha` is for all
// points, half for all curves.
std::optional<BuildComparison> compare_builds(const StudyEvidence& evidence,
                                              const GateOptions& options = {});

// The pairs of each point, by its key without the build, as the gate confirms with them.
std::vector<ConfirmedPoint> pairs_of(const StudyEvidence& evidence, const std::string& reference,
                                     const std::string& candidate);

}  // namespace kneepoint
