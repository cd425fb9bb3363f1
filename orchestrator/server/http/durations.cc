// SPDX-License-Identifier: Apache-2.0
//
// Bucket i ends at 1 us × 1.1^i: the last one ends beyond a day.
#include "orchestrator/server/http/durations.h"

#include <algorithm>
#include <cmath>

namespace kneepoint {
namespace {

constexpr double kGrowth = 1.1;
constexpr double kFirst = 1000;  // ns

}  // namespace

void Durations::add(Nanoseconds duration) {
  const double ratio = std::max(1.0, static_cast<double>(duration) / kFirst);
  const auto bucket = static_cast<std::size_t>(std::ceil(std::log(ratio) / std::log(kGrowth)));
  ++buckets_[std::min(bucket, buckets_.size() - 1)];
  ++count_;
}

Nanoseconds Durations::quantile(double share) const {
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

}  // namespace kneepoint
