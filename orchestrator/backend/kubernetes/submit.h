// SPDX-License-Identifier: Apache-2.0
//
// How an allocation becomes a Job and its Service, or an MPIJob. Asked again after a lost answer it
// finds what it made before: the names are given by us.
#pragma once

#include <span>
#include <vector>

#include "orchestrator/backend/kubernetes/session.h"

namespace kneepoint {

// Several are on their way at once; one answer for each, in their order.
std::vector<Result<JobRef>> submit_kube_jobs(KubeSession& session,
                                             std::span<const AllocationRequest> requests,
                                             Deadline deadline);
// The same as a dry run: nothing is made.
Result<void> rehearse_kube_job(KubeSession& session, const AllocationRequest& request,
                               Deadline deadline);

// What submitting would hand over, key and owner excepted.
std::vector<Launcher::EmittedFile> emitted_kube_job(const KubeSession& session,
                                                    const AllocationRequest& request);

}  // namespace kneepoint
