// SPDX-License-Identifier: Apache-2.0
//
// What the record endpoint counts of itself. Times go into buckets that grow by a tenth, so that a
// million pushes take no more room than one.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "orchestrator/base/clock.h"

namespace kneepoint {

class Durations {
 public:
  void add(Nanoseconds duration);
  // So that this share of them is not longer; within a tenth. 0: there are none.
  Nanoseconds quantile(double share) const;
  std::uint64_t count() const { return count_; }

 private:
  std::array<std::uint64_t, 256> buckets_{};
  std::uint64_t count_ = 0;
};

struct PushStats {
  std::uint64_t connections = 0;  // open now
  std::uint64_t accepted = 0;     // connections ever
  std::uint64_t pushes = 0;       // acknowledged
  std::uint64_t bytes = 0;        // of their records
  std::uint64_t refused = 0;      // answered with 4xx
  std::uint64_t put_off = 0;      // answered with 503
  Durations time;  // from the connection, or on a kept one the request's first byte, to the answer
};

}  // namespace kneepoint
