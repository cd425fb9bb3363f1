// SPDX-License-Identifier: Apache-2.0
//
// What a run is on Kubernetes: an Indexed Job of one pod per node of its shape, and a headless
// Service that gives the pods names; or an MPIJob, whose operator sees to the names. Pure: request
// and site in, JSON out. The hash tells a job of ours from a foreign one of the same name; it
// covers all but the key, which is drawn anew.
#pragma once

#include <string>
#include <vector>

#include "orchestrator/backend/launcher.h"
#include "orchestrator/model/site.h"

namespace kneepoint {

// The two kinds of object that an allocation can be: an Indexed Job, which every cluster has, or an
// MPIJob of kubeflow's operator, whose launcher is pod 0 and whose workers are the others.
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

// Labels and annotations that our objects carry.
inline constexpr char kKubeOwnerLabel[] = "app.kubernetes.io/managed-by";  // = "kneepoint"
inline constexpr char kKubeControllerLabel[] = "kneepoint.io/controller";  // whose jobs these are
inline constexpr char kKubeStudyLabel[] = "kneepoint.io/study";
inline constexpr char kKubeRunLabel[] = "kneepoint.io/run";          // of an allocation of one step
inline constexpr char kKubeAttemptLabel[] = "kneepoint.io/attempt";  // the same
inline constexpr char kKubeQueueLabel[] = "kueue.x-k8s.io/queue-name";
inline constexpr char kKubeStepsNote[] = "kneepoint.io/steps";  // "r17-a1,r18-a1", the first ones
inline constexpr char kKubeHashNote[] = "kneepoint.io/spec-hash";
inline constexpr char kKubeNameNote[] = "kneepoint.io/allocation";
inline constexpr char kKubeDirectoryNote[] = "kneepoint.io/directory";

struct KubeManifest {
  std::string name;  // of the Job, or MPIJob, and the Service
  std::string job;   // JSON
  std::string hash;
};

// The name of an allocation's objects: names are unique in a namespace only, so the directory is
// part of it, and so is `id`: paths are unique on one machine only. At most 49 characters: with
// "-worker-<index>" it stays a host name.
std::string kube_name(const std::string& allocation, const std::string& directory,
                      const std::string& id = "");
// Of everything that one controller's folder holds; a label value.
std::string kube_controller(const std::string& directory, const std::string& id = "");

// `key`: with which the pods of this allocation know each other, hex.
KubeManifest kube_manifest(const AllocationRequest& request, const Site& site,
                           const std::string& key, const std::string& id = "");
// Goes with its Job: `job_uid` is the owner; "": there is none yet.
std::string kube_service(const std::string& name, const std::string& directory,
                         const std::string& job_uid, const std::string& id = "");

// The steps as the agent in pod 0 gets them: run directories below the pod's own work folder,
// ranks started by mpirun through the agents. `job` is their Job's name.
std::string kube_allocation_text(const AllocationRequest& request, const Site& site,
                                 const std::string& job);

// What a pod of a run is. Pure: request and site in, JSON out.

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

// How the steps of an allocation look inside its pods. Pure. Ranks are started by mpirun, whose way
// to the other pods is the agents themselves; a program without MPI is started by them in every
// pod.

// The agent's path in the image.
std::string kube_agent(const Site& site);
// The first `nodes` pods' names, as pods resolve them; pod 0 by its own plain host name.
std::vector<std::string> kube_hosts(const Site& site, const std::string& job, int nodes);

}  // namespace kneepoint
