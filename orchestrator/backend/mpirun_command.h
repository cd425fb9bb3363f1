// SPDX-License-Identifier: Apache-2.0
//
// The command line of Open MPI's mpirun, as pure functions. On one machine ranks are bound by a
// rankfile: it is the only way in Open MPI 4.1 to say both which cores and one core per rank
// (decision 0007).
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "orchestrator/backend/core_sets.h"
#include "orchestrator/backend/launcher.h"

namespace kneepoint {

// Does the site place the ranks by options of its own?
bool site_places_ranks(const Starter& starter);

// Does this step bind its ranks, as far as plan and site say?
bool wants_binding(const Step& step);

// One line a rank; `cores` has ranks × threads entries. Bind::core: each rank its own cores;
// Bind::socket: each rank all of these cores that lie on the socket of its first one.
std::string rankfile_text(const Shape& shape, const std::vector<Core>& cores);

// The whole argv of a step. `rankfile` "" starts mpirun unbound. A step without a starter is its
// command as it is.
std::vector<std::string> step_argv(const Step& step, const std::string& rankfile);

// The options that lay ranks out over nodes and cores, unless the site's own do, and let them share
// cores where they do so on purpose.
void add_layout(const Step& step, std::vector<std::string>& argv);

// mpirun refuses root without these.
extern const std::vector<std::pair<std::string, std::string>> kRootVariables;

struct MpirunHost {
  bool is_root = false;
  bool can_read_other_memory = true;  // process_vm_readv is allowed here
};
// Defaults for one machine, as variables: whatever site or plan say comes later and wins.
std::vector<std::pair<std::string, std::string>> mpirun_environment(const MpirunHost& host);

}  // namespace kneepoint
