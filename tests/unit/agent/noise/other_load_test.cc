// SPDX-License-Identifier: Apache-2.0
#include "agents/agent/noise/other_load.h"

#include <gtest/gtest.h>

namespace kneepoint::agent {
namespace {

TEST(OtherLoad, CountsEverythingButIdleAndWaitingForDisks) {
  //                   user nice system idle iowait irq softirq steal guest
  const auto busy = parse_busy_seconds("cpu  100 20 30 4000 500 6 7 8 9 0\ncpu0 1 2 3\n", 100);
  ASSERT_TRUE(busy.has_value());
  EXPECT_DOUBLE_EQ(*busy, 1.71);
}

TEST(OtherLoad, SaysNothingOfTextItCannotRead) {
  EXPECT_FALSE(parse_busy_seconds("", 100).has_value());
  EXPECT_FALSE(parse_busy_seconds("cpu  1 2 3\n", 100).has_value());
  EXPECT_FALSE(parse_busy_seconds("cpu  a b c d e f g h\n", 100).has_value());
  EXPECT_FALSE(parse_busy_seconds("cpu  1 2 3 4 5 6 7 8\n", 0).has_value());
}

TEST(OtherLoad, AStepThatIsOverAtOnceTellsNothing) {
  EXPECT_FALSE(OtherLoad().cores().has_value());
}

}  // namespace
}  // namespace kneepoint::agent
