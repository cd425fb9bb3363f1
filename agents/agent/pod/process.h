// SPDX-License-Identifier: Apache-2.0
//
// What a peer has started for the leader. Output is read only as far as the leader has room for
// it, so that a flood waits in the process that makes it.
#pragma once

#include <map>
#include <vector>

#include "agents/agent/pod/link.h"
#include "agents/agent/supervise/child.h"

namespace kneepoint::agent {

class PodProcesses {
 public:
  void watch(std::vector<pollfd>& entries) const;
  // Reaps, and sends output and ends.
  void turn(Link& link);
  // One of the leader's messages about a process: R, K, W.
  void handle(const Message& message, Link& link);
  // Ends everything that was started and all they left behind.
  Leftovers kill_all(Nanoseconds limit);

 private:
  struct Process {
    Child child;
    std::uint32_t window = kWindow;
    bool ended = false;
    int wait_status = 0;
  };

  void start(std::uint32_t id, std::string_view text, Link& link);
  // False: nothing more can be read now.
  static bool pass_on(std::uint32_t id, Process& process, File& pipe, char stream, Link& link);
  void reap();

  std::map<std::uint32_t, Process> processes_;
};

}  // namespace kneepoint::agent
