// SPDX-License-Identifier: Apache-2.0
//
// From an allocation request to the texts that the local launcher writes. Pure: the same request
// and cores give the same bytes.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "orchestrator/backend/core_sets.h"
#include "orchestrator/backend/launcher.h"
#include "orchestrator/backend/mpirun_command.h"

namespace kneepoint {

// How many cores of its own the allocation needs to be bound as it wants; 0: it isn't bound.
int cores_wanted(const AllocationRequest& request);

struct LocalRequest {
  std::string allocation;                                      // text of <directory>/<name>.json
  std::vector<std::pair<std::string, std::string>> rankfiles;  // path -> text
  std::vector<int> confine_to;  // CPUs for the agent and all it starts; empty: anywhere
};
// `cores`: what it was given, empty if that was nothing; its steps then run unbound.
LocalRequest local_request(const AllocationRequest& request, const std::vector<Core>& cores,
                           const MpirunHost& host);

// The command lines, for people.
std::string command_text(const AllocationRequest& request, const std::vector<Core>& cores);

}  // namespace kneepoint
