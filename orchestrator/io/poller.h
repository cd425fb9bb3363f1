// SPDX-License-Identifier: Apache-2.0
//
// Poller: the engine's one sleep. It wakes for a process that ended, a signal, or the time being
// up. Called from one thread. Signals are taken by signalfd; children are spawned with a clean
// mask.
#pragma once

#include <sys/types.h>

#include <csignal>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "orchestrator/base/clock.h"
#include "orchestrator/base/fd.h"
#include "orchestrator/base/result.h"

namespace kneepoint {

class Poller {
 public:
  Poller();
  ~Poller();
  Poller(const Poller&) = delete;
  Poller& operator=(const Poller&) = delete;

  // From now on SIGINT, SIGTERM and SIGHUP arrive through wait() and nowhere else.
  Result<void> take_signals();

  // Wakes once when the process ends; it need not be a child. Unknown process: wakes at once.
  Result<void> watch_process(pid_t pid);

  struct Woken {
    std::vector<pid_t> ended;
    std::vector<int> signals;
  };
  // Sleeps at most this long (0: just look). Reaps children among the ended.
  Result<Woken> wait(Nanoseconds at_most);

 private:
  bool watch(const Fd& fd, std::uint64_t tag) const;
  void read_signals(Woken& woken) const;
  void take_end(pid_t pid, Woken& woken);

  Fd epoll_;
  Fd signals_;
  sigset_t mask_before_{};
  std::unordered_map<pid_t, Fd> pidfds_;  // one that is closed leaves the epoll set
  std::vector<pid_t> gone_already_;  // were not there any more when we were asked to watch them
};

}  // namespace kneepoint
