// SPDX-License-Identifier: Apache-2.0
//
// Pushing records to the controller, by a program of its own (kneepoint-push, installed with the
// agent), since it loads libcurl. The agent never waits for it while a workload runs. Without it,
// or without a controller, the files in the run directory are all there.
//
// When to push what: about once a second while there is something new, later and later when the
// controller is away, everything that is left when the agent has ended. Each delay has its own
// chance in it, so that thousands of agents never come at once. It never fails: what is not pushed
// lies in the run directory.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "agents/agent/supervise/child.h"
#include "agents/wire/allocation.h"
#include "orchestrator/base/random.h"

namespace kneepoint::agent {

enum class Pushed { delivered, later, never };

// What an HTTP status means for the piece that was sent. Pure.
Pushed meaning_of(long status);

// What a step has written to its records since it was last asked, in whole lines. It remembers how
// far the reader has got, not what was read: a piece that was not delivered is read again.
class RecordFollower {
 public:
  explicit RecordFollower(std::string path) : path_(std::move(path)) {}

  // Whole lines, about `most` bytes of them; "": nothing new.
  std::string next(std::size_t most) const;
  // That piece has arrived.
  void delivered(const std::string& piece);

 private:
  std::string path_;
  std::size_t offset_ = 0;
  bool over_ = false;
};

// What the loop needs of others: the clock, a wait that ends early (true) when the agent has ended,
// and how a piece is sent: over one kept connection; `why`: what went wrong, in one sentence
// without the token; `late`: asked now and then while it waits, true ends it.
struct PushWorld {
  const Clock& clock;
  std::function<Pushed(const std::string& attempt, const std::string& lines, std::string& why,
                       const std::function<bool()>& late)>
      send;
  std::function<bool(Nanoseconds most)> agent_ended_within;
  std::function<void(const std::string&)> say;
};

constexpr Nanoseconds kPushEvery = kSecond;
constexpr Nanoseconds kLongestBackOff = kMinute;
constexpr std::size_t kPushBytes = 256 << 10;

// The delay before the try after `failures` in a row; 0 failures: before the next look.
Nanoseconds push_delay(int failures, bool agent_ended, double chance);

// Returns when all is delivered and the agent has ended, when the last limit has passed, or when
// the controller refuses for good.
void push_records(const AllocationFile& allocation, const PushWorld& world, Random random,
                  Nanoseconds last_limit);

// In the agent: starts and ends that program.
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
