// SPDX-License-Identifier: Apache-2.0
//
// FakeClock: time stands still until a test moves it. set() is a jump of the wall clock, as an
// administrator or NTP makes one; advance() is time passing, on both clocks.
#pragma once

#include "orchestrator/base/clock.h"

namespace kneepoint {

class FakeClock : public Clock {
 public:
  explicit FakeClock(Nanoseconds wall = 1'800'000'000 * kSecond) : wall_(wall) {}
  Nanoseconds wall() const override { return wall_; }
  Nanoseconds steady() const override { return steady_; }

  void set(Nanoseconds wall) { wall_ = wall; }
  void advance(Nanoseconds duration) {
    wall_ += duration;
    steady_ += duration;
  }

 private:
  Nanoseconds wall_;
  Nanoseconds steady_ = kSecond;
};

}  // namespace kneepoint
