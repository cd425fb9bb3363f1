// SPDX-License-Identifier: Apache-2.0
//
// Was a run disturbed? Pure: from what the agents' samplers found and the plan's limits to a
// sentence, and from that to what becomes of the run.
#pragma once

#include <string>
#include <vector>

#include "orchestrator/engine/ingest.h"
#include "orchestrator/model/evidence.h"
#include "orchestrator/model/program.h"

namespace kneepoint {

// "on n1 other programs used 1.42 cores (limit 0.2); ..."; "" if nothing went beyond a limit.
std::string disturbance(const NoiseSpec& limits, const std::vector<Fact>& facts);

// Notes it in the result. A run that succeeded and is to be repeated when disturbed does not count:
// it ends as invalid (disturbed), its time kept for `explain`.
void judge_noise(const NoiseSpec& noise, Ingested& outcome);

// How often a run may be tried again: what was disturbed has a number of its own.
int retries_for(Reason reason, const Limits& limits, const NoiseSpec& noise);

}  // namespace kneepoint
