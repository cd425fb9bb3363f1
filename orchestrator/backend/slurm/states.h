// SPDX-License-Identifier: Apache-2.0
//
// What each state of a Slurm job means for the allocation, and the sentence for people. Pure; one
// table, with the words of 21.08 to 25.x. A state that the table lacks is taken for running: the
// next look, or the plan's time limit, will tell.
#pragma once

#include <string>

#include "orchestrator/backend/slurm/transport.h"

namespace kneepoint {

struct SlurmMeaning {
  AllocationState state = AllocationState::unknown;
  Reason reason = Reason::none;
  bool preempted = false;
  std::string detail;
};

// `wall`: now, to tell an expected start from a past one.
SlurmMeaning meaning_of(const SlurmJob& job, Nanoseconds wall);

// How long to leave the controller alone between two looks: the longer nothing changed, the longer,
// from a second to a minute; to 15 s while something runs.
Nanoseconds look_interval(Nanoseconds since_last_change, bool any_running);

}  // namespace kneepoint
