// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/cli/shell/flags.h"

#include <gtest/gtest.h>

namespace kneepoint::cli {
namespace {

TEST(Age, IsHoursDaysOrWeeks) {
  EXPECT_EQ(parse_age("--older-than", "36h").value(), 36 * kHour);
  EXPECT_EQ(parse_age("--older-than", "90d").value(), 90 * 24 * kHour);
  EXPECT_EQ(parse_age("--older-than", "12w").value(), 84 * 24 * kHour);
  EXPECT_EQ(parse_age("--older-than", "0d").value(), 0);
}

TEST(Age, AnythingElseIsRefusedByTheNameOfItsFlag) {
  for (const char* text : {"", "90", "d", "-1d", "1.5d", "90 d", "90days", "999999999d", "1m"}) {
    const auto refused = parse_age("--older-than", text);
    ASSERT_FALSE(refused) << text;
    EXPECT_EQ(refused.error().message.rfind("--older-than: expected", 0), 0u);
  }
}

}  // namespace
}  // namespace kneepoint::cli
