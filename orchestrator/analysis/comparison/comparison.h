// SPDX-License-Identifier: Apache-2.0
//
// Two studies of the same plan against each other: T ratios with intervals, efficiencies and knees
// side by side, what differs, and what can't be compared and why. Pure. Ratios are T of B over T
// of A: below 1, B is faster.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "orchestrator/analysis/statistics/summary.h"
#include "orchestrator/analysis/study_analysis.h"
#include "orchestrator/base/fields.h"

namespace kneepoint {

struct ComparedStudy {
  const StudyEvidence& evidence;
  const StudyAnalysis& analysis;
};

enum class Faster { b, a, unclear, unknown };  // unclear: the interval holds 1; unknown: none
constexpr auto words_of(Faster) {
  return std::array{"b", "a", "unclear", "unknown"};
}

struct ComparedPoint {
  int k = 1;
  PointSummary a, b;
  std::optional<double> ratio;       // none: `why` says why
  std::optional<Interval> interval;  // none: `why` says why
  std::string why;
  Faster faster = Faster::unknown;
};

// What is not the same on both sides. It is shown, and is often what the comparison is about.
struct Difference {
  std::string what, a, b;
  KP_DESCRIBED(Difference, what, a, b);
};

struct CurveComparison {
  std::string case_name;
  Mode mode = Mode::strong;
  std::string build_a, build_b, shape;  // shape "": A has one
  int curve_a = 0, curve_b = 0;         // of StudySummary::curves
  std::vector<ComparedPoint> points;    // K that both have, ascending
  std::vector<int> only_a, only_b;      // K with data in one
  KneeAnswer knee_a, knee_b;
  std::optional<Knee> knee_range_a, knee_range_b;  // the same rule with its interval
  std::vector<Difference> differences;
  std::vector<std::string> obstacles;  // sentences: why T can't be compared on this curve
};

struct StudyComparison {
  std::vector<CurveComparison> curves;
  std::vector<Difference> differences;    // of the studies as a whole
  std::vector<std::string> not_compared;  // sentences: curves without a partner, and why
  std::vector<std::string> notes;         // claims, emulation, unfinished studies

  bool anything() const;  // some T was compared
};

// Both with the same knee floor. Curves go together by case and mode, and by build and shape unless
// each side has a single one.
StudyComparison compare_studies(const ComparedStudy& a, const ComparedStudy& b);

// "cpu.model=A; mpi=x" against "cpu.model=B; mpi=x": what is not the same.
std::vector<Difference> provenance_differences(const std::string& a, const std::string& b);
// "" is a value that was not recorded.
void add_difference(std::vector<Difference>& out, const std::string& what, const std::string& a,
                    const std::string& b);
// Of the two points; `shown` are those that a smaller K had already.
void add_point_differences(const ComparedPoint& at, std::set<std::string>& shown,
                           std::vector<Difference>& out);
// Why T of these two points is not of the same thing; "": it is, as far as is known.
std::string point_obstacle(const PointSummary& left, const PointSummary& right);

// Are times of this study in units of its baseline, since only speedups were imported?
bool is_relative(const StudyEvidence& evidence);
// The caveat that says so.
bool is_of_relative_times(const Caveat& caveat);

}  // namespace kneepoint
