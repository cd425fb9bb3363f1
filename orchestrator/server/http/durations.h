// SPDX-License-Identifier: Apache-2.0
//
// How long answers took, in buckets that grow by a tenth, so that a million take no more room than
// one.
#pragma once

#include <array>
#include <cstdint>

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

}  // namespace kneepoint
