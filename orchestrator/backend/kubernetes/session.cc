// SPDX-License-Identifier: Apache-2.0
//
// The uid is a precondition: a Job that somebody made under the same name since is left alone.
#include "orchestrator/backend/kubernetes/session.h"

namespace kneepoint {

Result<void> delete_kube_job(KubeSession& session, KubeAllocation& job, Deadline deadline) {
  KubeAllocation* const one = &job;
  return std::move(delete_kube_jobs(session, {&one, 1}, deadline).front());
}

std::vector<Result<void>> delete_kube_jobs(KubeSession& session,
                                           std::span<KubeAllocation* const> jobs,
                                           Deadline deadline) {
  std::vector<Result<void>> results(jobs.size());
  std::vector<KubeCall> calls;
  std::vector<std::size_t> whose;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    if (jobs[i]->ref.id.empty()) continue;
    calls.push_back(
        {"DELETE", session.jobs(jobs[i]->job),
         R"({"kind":"DeleteOptions","apiVersion":"v1","propagationPolicy":"Background",)"
         R"("preconditions":{"uid":")" +
             jobs[i]->ref.id + "\"}}"});
    whose.push_back(i);
  }
  const auto answers = session.client->call_all(calls, deadline);
  for (std::size_t c = 0; c < calls.size(); ++c) {
    const Result<KubeAnswer>& answer = answers[c];
    // Gone, or another one of that name by now.
    if (answer && (answer->good() || answer->status == 404 || answer->status == 409)) {
      jobs[whose[c]]->deleted = true;
    } else {
      results[whose[c]] = answer ? kube_refusal(*answer, "delete", calls[c].place) : answer.error();
    }
  }
  return results;
}

}  // namespace kneepoint
