// SPDX-License-Identifier: Apache-2.0
//
// What a Job and its pods mean for an allocation. Pure. Only the conditions Complete and Failed end
// it: earlier signs come while pods still run.
#pragma once

#include <string>
#include <vector>

#include "orchestrator/backend/kubernetes/read.h"
#include "orchestrator/backend/launcher.h"

namespace kneepoint {

struct KubeMeaning {
  AllocationState state = AllocationState::queued;
  Reason reason = Reason::none;
  bool preempted = false;
  std::string detail;       // why it waits, or why it ended: pod and node named
  Nanoseconds started = 0;  // of pod 0's agent
  Nanoseconds ended = 0;
  Reason if_given_up = Reason::pending_too_long;  // of a queued one: why it never started
  std::string nodes;  // of its pods, in the order of their index, each once
};
// `pods` are those of this Job.
KubeMeaning meaning_of(const KubeJob& job, const std::vector<KubePod>& pods);

}  // namespace kneepoint
