// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/base/clock.h"

#include <gtest/gtest.h>

namespace kneepoint {
namespace {

TEST(Clock, DurationsReadAsPeopleWriteThem) {
  EXPECT_EQ(to_duration_text(0), "0 s");
  EXPECT_EQ(to_duration_text(312 * kMillisecond), "312 ms");
  EXPECT_EQ(to_duration_text(1240 * kMillisecond), "1.24 s");
  EXPECT_EQ(to_duration_text(125 * kSecond), "2 min 05 s");
  EXPECT_EQ(to_duration_text(2 * kHour + 5 * kMinute), "2 h 05 min");
  EXPECT_EQ(to_duration_text(-40 * kMicrosecond), "-40 us");
}

TEST(Clock, WallTimesAreUtc) {
  EXPECT_EQ(to_utc_text(1'000'000'000 * kSecond), "2001-09-09T01:46:40Z");
}

TEST(Clock, SecondsSurviveTheRoundTrip) {
  EXPECT_EQ(from_seconds(0.19875), 198'750'000);
  EXPECT_EQ(from_seconds(-1.5), -1'500'000'000);
  EXPECT_DOUBLE_EQ(to_seconds(198'750'000), 0.19875);
}

TEST(Clock, SteadyTimeNeverGoesBack) {
  const Nanoseconds before = system_clock().steady();
  EXPECT_GE(system_clock().steady(), before);
}

}  // namespace
}  // namespace kneepoint
