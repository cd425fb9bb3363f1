// SPDX-License-Identifier: Apache-2.0
//
// The agent's signals as a descriptor: SIGTERM and SIGINT ask for cancelling, SIGCHLD tells of
// ended children. Made once, before anything is started, so that no signal is missed.
#pragma once

#include "agents/agent/file.h"
#include "orchestrator/base/clock.h"

namespace kneepoint::agent {

class Signals {
 public:
  // Also makes the process deaf to SIGHUP, SIGPIPE and SIGXFSZ: it outlives the controller's
  // terminal, and a full disk is an error, not an end.
  static Result<Signals> take();

  int fd() const { return file_.get(); }
  void read_pending();
  // Waits for SIGTERM or SIGINT, at most so long; true if it has come.
  bool cancel_within(Nanoseconds most);
  bool cancel_asked() const { return cancel_asked_; }

 private:
  Fd file_;
  bool cancel_asked_ = false;
};

}  // namespace kneepoint::agent
