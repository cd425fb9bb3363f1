// SPDX-License-Identifier: Apache-2.0
//
// How long to leave the outside world alone after it refused: longer after each refusal in a row,
// at most a minute. Pure; the caller tells the time.
#pragma once

#include <algorithm>

#include "orchestrator/base/clock.h"

namespace kneepoint {

class BackOff {
 public:
  bool is_over(Nanoseconds now) const { return now >= until_; }
  Nanoseconds wait() const { return wait_; }  // 0: the last answer was good
  void refused(Nanoseconds now) {
    wait_ = std::clamp(wait_ * 2, kSecond, kMinute);
    until_ = now + wait_;
  }
  void answered() { wait_ = until_ = 0; }
  void try_now() { until_ = 0; }

 private:
  Nanoseconds wait_ = 0;
  Nanoseconds until_ = 0;
};

}  // namespace kneepoint
