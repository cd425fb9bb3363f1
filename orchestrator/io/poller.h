// SPDX-License-Identifier: Apache-2.0
//
// Poller: the engine's one sleep. It wakes for a process that ended, a signal, or the time being
// up. Called from one thread. Signals are taken by signalfd; children are spawned with a clean
// mask.
#pragma once

#include <sys/types.h>

#include <vector>

#include "orchestrator/base/clock.h"
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
  void forget_process(pid_t pid);

  struct Woken {
    std::vector<pid_t> ended;
    std::vector<int> signals;
    bool timed_out = false;
  };
  // Sleeps at most this long (0: just look). Reaps children among the ended.
  Result<Woken> wait(Nanoseconds at_most);

 private:
  struct State;
  State* state_;
};

}  // namespace kneepoint
