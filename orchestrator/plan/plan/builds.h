// SPDX-License-Identifier: Apache-2.0
//
// Two builds of the plan's workloads against each other: which plans that makes sense for, and the
// order of their runs. Pure; whether a build's file is there is for who may look.
#pragma once

#include <string>
#include <vector>

#include "orchestrator/model/point.h"
#include "orchestrator/plan/yaml/problem.h"

namespace kneepoint {

inline constexpr std::size_t kBuildsInTurns = 2;

// Of one workload, one for each label in the order in which the plan has them.
std::vector<Build> builds_of(const Plan& plan, const std::string& workload);

// Is {build} in the workload's command or environment?
bool uses_build(const WorkloadSpec& workload, const std::vector<EnvironmentVariable>& environment);

// Why the plan can't be run so: {build} with nothing to fill it in; builds that no workload of the
// plan would run; labels of its own; one program for several workloads; an adaptive search.
std::vector<Problem> check_builds(const Plan& plan);

// Arguments of the build's commands that name something in it, filled in: what is run from there.
// The place itself first; those with other placeholders are left out.
std::vector<std::string> files_of_build(const Plan& plan, const Build& build);

// The same point of the other build, by index; -1: none. Of a study with two builds.
std::vector<int> partners(const Study& study);

}  // namespace kneepoint
