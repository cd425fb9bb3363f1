// SPDX-License-Identifier: Apache-2.0
//
// How the steps of an allocation look inside its pods. Pure. Ranks are started by mpirun, whose way
// to the other pods is the agents themselves; a program without MPI is started by them in every
// pod.
#pragma once

#include <string>
#include <vector>

#include "agents/wire/allocation.h"
#include "orchestrator/backend/launcher.h"

namespace kneepoint {

// The agent's path in the image.
std::string kube_agent(const Site& site);
// The first `nodes` pods' names, as pods resolve them; pod 0 by its own plain host name.
std::vector<std::string> kube_hosts(const Site& site, const std::string& job, int nodes);

using KubeEnvironment = wire::Pairs;
// `environment`: what the step has on top of the pod's own.
std::vector<std::string> kube_step_argv(const Step& step, const Site& site, const std::string& job,
                                        const KubeEnvironment& environment);

}  // namespace kneepoint
