// SPDX-License-Identifier: Apache-2.0
//
// The network's alpha and beta out of the points of the workload `allreduce`, and what its message
// sizes would take on more ranks.
#pragma once

#include <vector>

#include "orchestrator/analysis/study_analysis.h"

namespace kneepoint {

// One answer for each build, case and provenance of it; what can't be fitted is a warning.
std::vector<CollectiveAnswer> collective_answers(const StudyEvidence& evidence,
                                                 std::vector<Warning>& warnings);

}  // namespace kneepoint
