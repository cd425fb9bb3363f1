// SPDX-License-Identifier: Apache-2.0
//
// From an allocation request to what the Slurm launcher writes and submits. Pure.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "orchestrator/backend/launcher.h"
#include "orchestrator/backend/slurm/transport.h"

namespace kneepoint {

// How the ranks of a step are started inside the job: srun, mpirun, or the command as it is.
std::vector<std::string> slurm_step_argv(const Step& step, const Site& site);
std::vector<std::pair<std::string, std::string>> slurm_step_environment(const Step& step,
                                                                        const Site& site,
                                                                        bool is_root);

// Text of <directory>/<name>.json, which the agent reads.
std::string slurm_allocation_text(const AllocationRequest& request, const Site& site, bool is_root);

// Everything but `exclude`, which is the launcher's to know.
SlurmSubmission slurm_submission(const AllocationRequest& request, const Site& site,
                                 const std::string& agent_path);

// Where the files of an allocation lie.
std::string slurm_allocation_path(const std::string& directory, const std::string& name);
std::string slurm_output_path(const std::string& directory, const std::string& name);

}  // namespace kneepoint
