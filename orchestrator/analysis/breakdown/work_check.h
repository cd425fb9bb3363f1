// SPDX-License-Identifier: Apache-2.0
//
// Is a curve what its label says? Strong: the total work is the same at every K. Weak: the work per
// worker is. Judged by the work that the ranks report, not by the plan.
#pragma once

#include "orchestrator/analysis/statistics/summary.h"

namespace kneepoint {

constexpr double kStrongWorkTolerance = 0.001;  // of the baseline's total work
constexpr double kWeakWorkTolerance = 0.01;     // of the baseline's work per worker

// Adds findings, and brings E of every point of a weak curve that fails to its work. Needs the
// curve's baseline and the points' numbers; says nothing when the workload reports no work.
void check_work(Curve& curve);

}  // namespace kneepoint
