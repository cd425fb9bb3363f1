// SPDX-License-Identifier: Apache-2.0
//
// The two kinds of object that an allocation can be: an Indexed Job, which every cluster has, or an
// MPIJob of kubeflow's operator, whose launcher is pod 0 and whose workers are the others.
#pragma once

#include <string>

#include "orchestrator/model/site.h"

namespace kneepoint {

struct KubeKind {
  const char* name;
  const char* group;
  const char* group_version;
  const char* resource;
  const char* pod_label;  // which its pods carry, with its name
  const char* trouble;    // selects the events that tell why it has no pods
  bool makes_service;     // for the names of its pods; else we do
};

inline constexpr KubeKind kIndexedJob{
    "Job", "batch", "batch/v1", "jobs", "job-name", "reason=FailedCreate", false};
inline constexpr KubeKind kMpiJob{"MPIJob",
                                  "kubeflow.org",
                                  "kubeflow.org/v2beta1",
                                  "mpijobs",
                                  "training.kubeflow.org/job-name",
                                  "type=Warning",
                                  true};

inline const KubeKind& kube_kind(const Site& site) {
  return site.kubernetes.mpi_job ? kMpiJob : kIndexedJob;
}

}  // namespace kneepoint
