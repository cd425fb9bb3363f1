// SPDX-License-Identifier: Apache-2.0
//
// What the evidence can answer of the audit of E > 1. What it can't stays unknown.
#pragma once

#include "orchestrator/analysis/models/superlinear.h"
#include "orchestrator/analysis/valid_runs.h"

namespace kneepoint {

// `base` and `at` are indexes of StudyEvidence::points on that curve; `efficiency` is E between
// them by medians.
SuperlinearFacts superlinear_facts(const StudyEvidence& evidence, const CurveMembers& curve,
                                   int base, int at, double efficiency);

}  // namespace kneepoint
