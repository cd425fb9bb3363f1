// SPDX-License-Identifier: Apache-2.0
//
// The fixed studies behind tests/golden/report.
#pragma once

#include "orchestrator/model/evidence.h"

namespace kneepoint {

// A study with a real workload in both modes (a failed repeat, an oversubscribed point, an outlier,
// weak work that rounds) and an emulated one up to K=16.
StudyEvidence sample_study();

// Every repeat at the smallest K failed, and one other point too.
StudyEvidence study_without_baseline();

}  // namespace kneepoint
