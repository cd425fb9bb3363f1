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

// A strategic merge, as far as a pod's specification needs it. Pure. Maps are merged key by key,
// null removes, lists of things with names are merged by name, and other lists are replaced.

// Texts in JSON, both of them maps.
std::string kube_patched(const std::string& original, const std::string& patch);

}  // namespace kneepoint
