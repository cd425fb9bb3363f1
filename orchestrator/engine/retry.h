// SPDX-License-Identifier: Apache-2.0
//
// Retry: what follows the end of an attempt. Pure.
#pragma once

#include <string>
#include <vector>

#include "orchestrator/engine/ingest.h"
#include "orchestrator/model/attempt.h"
#include "orchestrator/model/evidence.h"
#include "orchestrator/model/plan.h"

namespace kneepoint {

enum class Next {
  finish,  // the run is over, well or badly
  again,   // another attempt is made
  leave,   // unfinished, and not tried again in this sitting: resuming goes on
};

struct RetryDecision {
  Next next = Next::finish;
  std::string why;  // for the events table; "" when there is nothing to tell
};

// `spent` counts the attempts that cost one of the run's tries, this one included.
RetryDecision after_attempt(AttemptState state, Reason reason, int spent, int retries);

// Does an attempt that ended so use up one of the tries? What the user stopped does not.
bool costs_a_try(AttemptState state);

// Was a run disturbed? Pure: from what the agents' samplers found and the plan's limits to a
// sentence, and from that to what becomes of the run.

// "on n1 other programs used 1.42 cores (limit 0.2); ..."; "" if nothing went beyond a limit.
std::string disturbance(const NoiseSpec& limits, const std::vector<Fact>& facts);

// Notes it in the result. A run that succeeded and is to be repeated when disturbed does not count:
// it ends as invalid (disturbed), its time kept for `explain`.
void judge_noise(const NoiseSpec& noise, Ingested& outcome);

// How often a run may be tried again: what was disturbed has a number of its own.
int retries_for(Reason reason, const Limits& limits, const NoiseSpec& noise);

}  // namespace kneepoint
