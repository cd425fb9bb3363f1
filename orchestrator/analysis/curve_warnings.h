// SPDX-License-Identifier: Apache-2.0
//
// What one should know before believing a curve: a stable code and a sentence for each doubt.
#pragma once

#include <vector>

#include "orchestrator/analysis/curves.h"
#include "orchestrator/analysis/study_analysis.h"

namespace kneepoint {

// What follows from the curve as a whole, in the order in which it matters;
// docs/reference/report.md lists the codes.
std::vector<Warning> curve_warnings(const StudyEvidence& evidence, const CurveMembers& members,
                                    const Curve& curve, const CurveAnalysis& analysis);

}  // namespace kneepoint
