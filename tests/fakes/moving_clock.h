// SPDX-License-Identifier: Apache-2.0
//
// A clock that a test moves while other threads look at it.
#pragma once

#include <atomic>

#include "orchestrator/base/clock.h"

namespace kneepoint {

class MovingClock : public Clock {
 public:
  Nanoseconds wall() const override { return 1'800'000'000 * kSecond + steady_; }
  Nanoseconds steady() const override { return steady_; }
  void advance(Nanoseconds duration) { steady_ += duration; }

 private:
  std::atomic<Nanoseconds> steady_ = kSecond;
};

}  // namespace kneepoint
