// SPDX-License-Identifier: Apache-2.0
//
// From an allocation request to what the Slurm launcher writes and submits. Pure.
#pragma once

#include <string>
#include <vector>

#include "orchestrator/backend/launcher.h"
#include "orchestrator/backend/slurm/transport.h"

namespace kneepoint {

// How the ranks of a step are started inside the job: srun, mpirun, or the command as it is.
std::vector<std::string> slurm_step_argv(const Step& step, const Site& site);

// Text of <directory>/<name>.json, which the agent reads.
std::string slurm_allocation_text(const AllocationRequest& request, const Site& site, bool is_root);

// Everything but `exclude`, which is the launcher's to know.
SlurmSubmission slurm_submission(const AllocationRequest& request, const Site& site,
                                 const std::string& agent_path);

// Where the output of an allocation's script lies.
std::string slurm_output_path(const std::string& directory, const std::string& name);

}  // namespace kneepoint
