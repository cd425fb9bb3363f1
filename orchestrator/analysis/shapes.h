// SPDX-License-Identifier: Apache-2.0
//
// Up or out: the same number of cores as nodes × ranks × threads, against each other.
#pragma once

#include <vector>

#include "orchestrator/analysis/study_analysis.h"

namespace kneepoint {

// One contest for each build, case and mode that has two shapes with equally many cores and GPUs
// (in weak mode with equal K too, since the problem grows with it). Shapes whose runs have no
// provenance in common are not compared; `warnings` says so.
std::vector<ShapeContest> contests(const StudyEvidence& evidence, std::vector<Warning>& warnings);

}  // namespace kneepoint
