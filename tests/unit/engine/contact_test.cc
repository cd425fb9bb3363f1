// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/engine/drive.h"

#include <gtest/gtest.h>

namespace kneepoint {
namespace {

TEST(BackOff, GrowsWithEachRefusalUpToAMinute) {
  BackOff back_off;
  Nanoseconds now = 1;
  EXPECT_TRUE(back_off.is_over(now));
  for (const int seconds : {1, 2, 4, 8, 16, 32, 60, 60}) {
    back_off.refused(now);
    EXPECT_EQ(back_off.wait(), seconds * kSecond);
    EXPECT_FALSE(back_off.is_over(now + back_off.wait() - 1));
    now += back_off.wait();
    EXPECT_TRUE(back_off.is_over(now));
  }
}

TEST(BackOff, AGoodAnswerEndsItAndTryingNowSkipsTheWait) {
  BackOff back_off;
  back_off.refused(0);
  back_off.refused(0);
  back_off.try_now();
  EXPECT_TRUE(back_off.is_over(0));
  EXPECT_EQ(back_off.wait(), 2 * kSecond);
  back_off.answered();
  EXPECT_EQ(back_off.wait(), 0);
}

}  // namespace
}  // namespace kneepoint
