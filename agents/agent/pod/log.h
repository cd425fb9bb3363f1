// SPDX-License-Identifier: Apache-2.0
//
// The files of the run directories as frames for the pod's log (agents/wire/frame.h). Records go
// whole; of stdout.txt and stderr.txt only head and tail, since logs are rotated. What a step has
// printed comes before its end record, so that who sees the end has everything.
#pragma once

#include <string>
#include <vector>

#include "agents/wire/frame.h"

namespace kneepoint::agent {

constexpr std::size_t kLogHead = 256 * 1024;
constexpr std::size_t kLogTail = 256 * 1024;

class PodLog {
 public:
  // `runs`: the folder of the run directories, each named after its attempt.
  PodLog(std::string runs, const std::vector<std::string>& attempts, std::size_t head = kLogHead,
         std::size_t tail = kLogTail);

  // Frames for what has been appended since the last call. `last`: nothing more will be.
  std::string take(bool last);

 private:
  struct Followed {
    std::string path;
    std::string name;  // in the frames
    std::size_t offset = 0;
  };
  struct Step {
    Followed records;
    Followed out;
    Followed err;
    std::string kept;  // the folder of the files that the plan keeps
    bool over = false;
  };

  void take_step(Step& step, bool last, std::string& frames);
  void take_output(Followed& file, bool over, std::string& frames);
  void take_kept(const Step& step, std::string& frames);

  std::size_t head_;
  std::size_t tail_;
  std::vector<Step> steps_;
  record::FrameWriter writer_;
};

}  // namespace kneepoint::agent
