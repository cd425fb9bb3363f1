// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/server/http/durations.h"

#include <gtest/gtest.h>

namespace kneepoint {
namespace {

TEST(PushStats, QuantilesAreWithinATenth) {
  Durations times;
  EXPECT_EQ(times.quantile(0.99), 0);
  for (int i = 1; i <= 1000; ++i) times.add(i * kMillisecond);
  for (const double share : {0.5, 0.9, 0.99, 1.0}) {
    const double exact = share * 1000 * static_cast<double>(kMillisecond);
    EXPECT_GE(static_cast<double>(times.quantile(share)), exact * 0.999) << share;
    EXPECT_LE(static_cast<double>(times.quantile(share)), exact * 1.11) << share;
  }
  times.add(0);
  times.add(100 * 24 * kHour);
  EXPECT_GE(times.quantile(1), kHour);
}

}  // namespace
}  // namespace kneepoint
