// SPDX-License-Identifier: Apache-2.0
//
// What pod 0's agent prints, put together as files in the controller's run directories. Followed
// while the pod runs, read whole when it has ended; the same line twice does nothing. A run
// directory is made when the first line of its attempt arrives: the run has begun.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "agents/wire/frame.h"
#include "orchestrator/backend/allocation_files.h"
#include "orchestrator/backend/kubernetes/client.h"

namespace kneepoint {

class KubeLog {
 public:
  KubeLog(std::string pod, std::vector<KnownStep> steps)
      : pod_(std::move(pod)), steps_(std::move(steps)) {}

  const std::string& pod() const { return pod_; }
  // Takes what has come since; opens the stream if there is none.
  Result<void> follow(KubeClient& client, const std::string& name_space);
  // The whole log as it is now, from the start. False: the pod or its log is gone.
  Result<bool> read_whole(KubeClient& client, const std::string& name_space, Deadline deadline);
  bool is_followed() const { return stream_ != nullptr || ended_; }  // or was to its end
  // The stream came to its end: the container's, or that of a kubelet which was started anew.
  bool has_ended() const { return ended_; }
  void follow_anew() { ended_ = false; }
  bool has_gap() const { return reader_.has_gap(); }

 private:
  KubePlace place(const std::string& name_space, bool follow) const;
  Result<void> store();

  std::string pod_;
  std::vector<KnownStep> steps_;
  record::FrameReader reader_;
  std::unique_ptr<HttpStream> stream_;
  bool ended_ = false;
  std::map<std::string, std::string> files_;  // by "attempt/file"
};

}  // namespace kneepoint
