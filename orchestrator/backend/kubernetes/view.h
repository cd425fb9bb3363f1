// SPDX-License-Identifier: Apache-2.0
//
// Our Jobs, or MPIJobs, and their pods as the API server has them, kept up to date: listed once,
// then watched, one watch for all Jobs and one for all pods of a controller's folder. Whatever goes
// wrong with a watch ends in listing again; while a watch can't be had, every look is a list.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "orchestrator/backend/kubernetes/client.h"
#include "orchestrator/backend/kubernetes/manifest.h"

namespace kneepoint {

class KubeView {
 public:
  KubeView(KubeClient& client, std::string name_space, const Clock& clock,
           const KubeKind& kind = kIndexedJob)
      : client_(client),
        name_space_(std::move(name_space)),
        clock_(clock),
        jobs_kind_{kind.group_version, kind.resource, "", nullptr, "", 0, 0, 0} {}

  // Which folders' objects; more may come.
  void add_controller(const std::string& controller);
  // Up to date as of now. An error is retryable unless it is about permissions.
  Result<void> look(Deadline deadline);
  // The pods as of now, however late their watch is.
  Result<void> list_pods(Deadline deadline);
  // What our own calls have told already.
  void note(const KubeJob& job);
  void forget(const std::string& job_name);

  const KubeJob* job(const std::string& name) const;
  std::vector<KubePod> pods_of(const std::string& job_name) const;
  // Those of a Job that is there which were deleted since this was last asked, as they were then.
  std::vector<KubePod> take_gone(const std::string& job_name);
  int lists() const { return lists_; }  // how often everything was asked for

 private:
  struct Kind {
    const char* group_version;
    const char* resource;
    std::string version;  // resourceVersion reached; "": list
    std::unique_ptr<HttpStream> stream;
    std::string rest;  // of a line that has not ended
    Nanoseconds not_before = 0;
    int failures = 0;
    Nanoseconds opened = 0;  // the stream
  };

  KubePlace place(const Kind& kind) const;
  Result<void> list(Kind& kind, Deadline deadline);
  void open(Kind& kind);
  // False: list again.
  bool read_stream(Kind& kind);
  bool take_event(Kind& kind, const std::string& line);
  void fail(Kind& kind);

  KubeClient& client_;
  const std::string name_space_;
  const Clock& clock_;
  std::vector<std::string> controllers_;
  Kind jobs_kind_;
  Kind pods_kind_{"v1", "pods", "", nullptr, "", 0, 0, 0};
  std::map<std::string, KubeJob> jobs_;
  std::map<std::string, KubePod> pods_;
  std::vector<KubePod> gone_;
  int lists_ = 0;
};

}  // namespace kneepoint
