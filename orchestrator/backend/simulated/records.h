// SPDX-License-Identifier: Apache-2.0
//
// What the agents of a simulated job would have reported by now. Made from the job alone, so that
// collecting twice, or after a restart, gives the same bytes.
#pragma once

#include "orchestrator/backend/simulated/cluster.h"

namespace kneepoint::simulated {

// All ranks of a simulated step are alike: it is enough to see some.
constexpr int kMostRankTotals = 16;

Artifacts artifacts_of(const SimulatedJob& job, Nanoseconds now);

}  // namespace kneepoint::simulated
