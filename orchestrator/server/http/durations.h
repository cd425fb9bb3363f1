// SPDX-License-Identifier: Apache-2.0
//
// How long answers took, in buckets that grow by a tenth, so that a million take no more room than
// one. Bucket i ends at 1 us × 1.1^i: the last one ends after ten hours.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include "orchestrator/base/clock.h"

namespace kneepoint {

class Durations {
 public:
  void add(Nanoseconds duration) {
    const double ratio = std::max(1.0, static_cast<double>(duration) / kFirst);
    const auto bucket = static_cast<std::size_t>(std::ceil(std::log(ratio) / std::log(kGrowth)));
    ++buckets_[std::min(bucket, buckets_.size() - 1)];
    ++count_;
  }

  // So that this share of them is not longer; within a tenth. 0: there are none.
  Nanoseconds quantile(double share) const {
    if (count_ == 0) return 0;
    const auto wanted = static_cast<std::uint64_t>(std::ceil(share * static_cast<double>(count_)));
    std::uint64_t seen = 0;
    std::size_t bucket = 0;
    for (; bucket + 1 < buckets_.size(); ++bucket) {
      seen += buckets_[bucket];
      if (seen >= wanted) break;
    }
    return static_cast<Nanoseconds>(kFirst * std::pow(kGrowth, static_cast<double>(bucket)));
  }

 private:
  static constexpr double kGrowth = 1.1;
  static constexpr double kFirst = 1000;  // ns

  std::array<std::uint64_t, 256> buckets_{};
  std::uint64_t count_ = 0;
};

}  // namespace kneepoint
