// SPDX-License-Identifier: Apache-2.0
//
// From an allocation request to the texts that the local launcher writes. Pure: the same request
// and cores give the same bytes. Ranks are bound by a rankfile: it is the only way in Open MPI 4.1
// to say both which cores and one core per rank (decision 0007).
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "agents/wire/allocation.h"
#include "orchestrator/backend/launcher.h"
#include "orchestrator/backend/local/cores.h"

namespace kneepoint {

// One line a rank; `cores` has ranks × threads entries. Bind::core: each rank its own cores;
// Bind::socket: each rank all of these cores that lie on the socket of its first one.
std::string rankfile_text(const Shape& shape, const std::vector<Core>& cores);

// The whole argv of a step. `rankfile` "" starts mpirun unbound. A step without a starter is its
// command as it is.
std::vector<std::string> step_argv(const Step& step, const std::string& rankfile);

struct MpirunHost {
  bool is_root = false;
  bool can_read_other_memory = true;  // process_vm_readv is allowed here
};
// Defaults for one machine, as variables: whatever site or plan say comes later and wins.
wire::Pairs mpirun_environment(const MpirunHost& host);

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
