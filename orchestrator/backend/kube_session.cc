// SPDX-License-Identifier: Apache-2.0
//
// The uid is a precondition: a Job that somebody made under the same name since is left alone.
#include "orchestrator/backend/kube_session.h"

namespace kneepoint {

Result<void> delete_kube_job(KubeSession& session, KubeAllocation& job, Deadline deadline) {
  if (job.ref.id.empty()) return {};
  const std::string options =
      R"({"kind":"DeleteOptions","apiVersion":"v1","propagationPolicy":"Background",)"
      R"("preconditions":{"uid":")" +
      job.ref.id + "\"}}";
  TRY_ASSIGN(const KubeAnswer answer,
             session.client->call("DELETE", session.jobs(job.job), options, deadline));
  // Gone, or another one of that name by now.
  if (!answer.good() && answer.status != 404 && answer.status != 409) {
    return kube_refusal(answer, "delete", session.jobs(job.job));
  }
  job.deleted = true;
  return {};
}

}  // namespace kneepoint
