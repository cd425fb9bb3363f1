// SPDX-License-Identifier: Apache-2.0
//
// Starts the process that pushes records to the controller, and ends it. It is a program of its own
// (kneepoint-push, installed with the agent), since it loads libcurl; the agent never waits for it
// while a workload runs. Without it, or without a controller, the files in the run directory are
// all there.
#pragma once

#include <string>

#include "agents/agent/file.h"
#include "agents/agent/supervise/signals.h"

namespace kneepoint::agent {

constexpr Nanoseconds kLastPush = 5 * kSecond;     // for what is left at the end
constexpr Nanoseconds kHurriedPush = 2 * kSecond;  // the same when told to end
constexpr Nanoseconds kFirstPush = kSecond;        // a workload that begins is left alone so long
constexpr char kPushProgram[] = "kneepoint-push";

class Pusher {
 public:
  // What goes wrong is a message, no failure.
  void start(const std::string& allocation_path);
  // Lets it send the rest, bounded, and waits for its end: nobody else may do so.
  void finish(Signals& signals);

 private:
  pid_t pid_ = -1;
  Fd life_;  // it sees the end of this
  Fd done_;  // and we of that
};

// `kneepoint-agent push FILE`: waits a moment, then becomes kneepoint-push. Returns if it can't.
int become_pusher(const std::string& allocation_path);

}  // namespace kneepoint::agent
