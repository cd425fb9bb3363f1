// SPDX-License-Identifier: Apache-2.0
//
// From a request to the allocation file, as far as all backends agree: what the agent is told of a
// step, and what mpirun is told wherever it starts the ranks. Pure functions. Where a step is
// placed is each backend's own.
#pragma once

#include <string>
#include <vector>

#include "agents/wire/allocation.h"
#include "orchestrator/backend/launcher.h"

namespace kneepoint {

// What is sent through a pod's log is bounded: logs are rotated.
constexpr std::int64_t kMostKeptBytes = 64 << 20;
constexpr std::int64_t kMostKeptBytesInLog = 1 << 20;

// Without its steps.
AllocationFile allocation_of(const AllocationRequest& request);

// `argv`: complete, the starter's part included. `starters`: variables that the starter is to have
// unless the step's own, which are those of site and plan, say otherwise; of one given twice the
// later counts. `keep_bytes`: of all files that the step may keep.
StepSpec step_spec(const Step& step, std::vector<std::string> argv,
                   const wire::Pairs& starters = {}, std::int64_t keep_bytes = kMostKeptBytes);

// Does this step bind its ranks, as far as plan and site say?
bool wants_binding(const Step& step);

// Options of Open MPI's mpirun. A site that places the ranks by options of its own is left to it.
bool site_places_ranks(const Starter& starter);
// Lay ranks out over nodes and cores, and let them share cores where they do so on purpose.
void add_layout(const Step& step, std::vector<std::string>& argv);
void let_share_cores(const Step& step, std::vector<std::string>& argv);
// The site's options and the step's command, as they end every starter's argv.
void add_command(const Step& step, std::vector<std::string>& argv);

// mpirun refuses root without these.
extern const wire::Pairs kRootVariables;

// For a person or a shell: quoted where a shell would take a word apart.
std::string shell_quoted(const std::string& word);
// The words of a command on one line.
std::string shell_quoted(const std::vector<std::string>& words);

}  // namespace kneepoint
