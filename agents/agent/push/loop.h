// SPDX-License-Identifier: Apache-2.0
//
// When to push what: about once a second while there is something new, later and later when the
// controller is away, everything that is left when the agent has ended. Each delay has its own
// chance in it, so that thousands of agents never come at once. It never fails: what is not pushed
// lies in the run directory.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "agents/agent/push/client.h"
#include "agents/agent/supervise/record_follower.h"
#include "orchestrator/base/random.h"

namespace kneepoint::agent {

// Seams: the clock, and a wait that ends early (true) when the agent has ended.
struct PushWorld {
  const Clock& clock;
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
void push_records(const AllocationFile& allocation, PushClient& client, const PushWorld& world,
                  Random random, Nanoseconds last_limit);

}  // namespace kneepoint::agent
