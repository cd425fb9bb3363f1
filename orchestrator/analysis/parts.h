// SPDX-License-Identifier: Apache-2.0
//
// The parts that study_analysis.cc puts together, one file each: a curve, its points, what to
// doubt, shapes against each other, collectives. Nobody else includes it but tests.
#pragma once

#include <vector>

#include "orchestrator/analysis/curves.h"
#include "orchestrator/analysis/study_analysis.h"

namespace kneepoint {

// ---- study_analysis.cc: one curve, its times and all that is computed from them

// `curve` is the summary of `members`. options.bootstrap is used as it is.
CurveAnalysis analyse_curve(const StudyEvidence& evidence, const CurveMembers& members,
                            const Curve& curve, const AnalysisOptions& options);

// ---- breakdown/point_detail.cc: what is said beside each point. A part whose facts were not
// recorded is absent.

// In the order of curve.points. What the facts contradict is added to `warnings`.
std::vector<PointDetail> point_details(const StudyEvidence& evidence, const CurveMembers& members,
                                       const Curve& curve, std::vector<Warning>& warnings);

// The machine that the first valid run to say so was measured on.
std::optional<Machine> machine_at(const CurveMembers& members, const PointEvidence& point);

// Gustafson's scaled speedup on a weak curve with K0 = 1, by the serial fraction of the strong one.
void add_gustafson(const Curve& curve, double serial, std::vector<PointDetail>& details);

// ---- curve_warnings.cc: what one should know before believing a curve, a stable code and a
// sentence for each doubt.

// What follows from the curve as a whole, in the order in which it matters;
// docs/reference/report.md lists the codes.
std::vector<Warning> curve_warnings(const StudyEvidence& evidence, const CurveMembers& members,
                                    const Curve& curve, const CurveAnalysis& analysis);

// ---- shapes.cc: up or out, the same number of cores as nodes × ranks × threads.

// One contest for each build, case and mode that has two shapes with equally many cores and GPUs
// (in weak mode with equal K too, since the problem grows with it). Shapes whose runs have no
// provenance in common are not compared; `warnings` says so.
std::vector<ShapeContest> contests(const StudyEvidence& evidence, std::vector<Warning>& warnings);

// ---- breakdown/collective_answers.cc: the network's alpha and beta out of the points of the
// workload `allreduce`, and what its message sizes would take on more ranks.

// One answer for each build, case and provenance of it; what can't be fitted is a warning.
std::vector<CollectiveAnswer> collective_answers(const StudyEvidence& evidence,
                                                 std::vector<Warning>& warnings);

}  // namespace kneepoint
