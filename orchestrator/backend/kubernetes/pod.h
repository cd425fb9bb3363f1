// SPDX-License-Identifier: Apache-2.0
//
// What a pod of a run is. Pure: request and site in, JSON out.
#pragma once

#include <string>

#include "orchestrator/backend/launcher.h"

namespace kneepoint {

// Pods of an Indexed Job are all the same. Those of an MPIJob have their own names told to them,
// and only the launcher gets the steps: one object holds both.
enum class KubeRole { any, launcher, worker };

// The `spec` of it; `job` is the name of its Job.
std::string kube_pod_spec(const AllocationRequest& request, const Site& site,
                          const std::string& job, const std::string& key, KubeRole role);

}  // namespace kneepoint
