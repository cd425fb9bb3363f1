// SPDX-License-Identifier: Apache-2.0
//
// What is said beside each point of a curve: local efficiency, throughput, breakdown, tail, audit,
// roofline. A part whose facts were not recorded is absent.
#pragma once

#include <vector>

#include "orchestrator/analysis/curves.h"
#include "orchestrator/analysis/study_analysis.h"

namespace kneepoint {

// In the order of curve.points. What the facts contradict is added to `warnings`.
std::vector<PointDetail> point_details(const StudyEvidence& evidence, const CurveMembers& members,
                                       const Curve& curve, std::vector<Warning>& warnings);

// Gustafson's scaled speedup on a weak curve with K0 = 1, by the serial fraction of the strong one.
void add_gustafson(const Curve& curve, double serial, std::vector<PointDetail>& details);

}  // namespace kneepoint
