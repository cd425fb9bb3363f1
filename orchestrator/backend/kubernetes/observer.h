// SPDX-License-Identifier: Apache-2.0
//
// What has become of an allocation, as its Job, its pods and pod 0's log tell, and how it is ended.
// The session's view is as new as the last look at it.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "orchestrator/backend/kubernetes/read.h"
#include "orchestrator/backend/kubernetes/session.h"

namespace kneepoint {

class KubeObserver {
 public:
  explicit KubeObserver(KubeSession& session) : session_(session) {}  // which outlives it

  // Before the first one of a look at all of these; nullptr stands for one that nobody knows.
  void begin_look(std::span<KubeAllocation* const> jobs);
  Result<Observation> observe(KubeAllocation& job, Deadline deadline);
  std::vector<Result<void>> cancel(std::span<const JobRef> refs, Deadline deadline);
  // What its log has told since it was last read.
  Result<void> read_on(KubeAllocation& job);

 private:
  Observation blank(const KubeAllocation& job) const;
  Observation evicted(Observation seen, const std::string& queue) const;
  Result<void> ask_why_pods_lack(KubeAllocation& job, const KubeJob& told, Deadline deadline);
  Result<KubeAllocation*> to_cancel(const JobRef& ref);
  void follow_anew_if_due(KubeAllocation& job, const KubePod& pod) const;
  Result<void> follow_log(KubeAllocation& job, const std::vector<KubePod>& pods);
  Result<Observation> not_listed(KubeAllocation& job, const std::vector<KubePod>& pods,
                                 Deadline deadline);
  Result<Observation> ended(KubeAllocation& job, Observation seen, Deadline deadline);

  KubeSession& session_;
  bool asked_words_ = false;  // in this look: there may be thousands of jobs
  int followed_ = 0;          // logs
};

}  // namespace kneepoint
