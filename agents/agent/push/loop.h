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

#include "agents/wire/allocation.h"
#include "orchestrator/base/clock.h"
#include "orchestrator/base/random.h"

namespace kneepoint::agent {

// Sends pieces of records to the controller over one kept connection. kneepoint-push has the only
// real one (push/main.cc), so that nothing else loads libcurl.
enum class Pushed { delivered, later, never };

class PushClient {
 public:
  virtual ~PushClient() = default;
  // `why`: what went wrong, in one sentence without the token. `late`: asked now and then while it
  // waits; true ends it.
  virtual Pushed send(const std::string& attempt, const std::string& lines, std::string& why,
                      const std::function<bool()>& late) = 0;
};

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
  bool is_over() const { return over_; }  // the end record has arrived

 private:
  std::string path_;
  std::size_t offset_ = 0;
  bool over_ = false;
};

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
