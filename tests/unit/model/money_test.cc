// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/model/money.h"

#include <gtest/gtest.h>

namespace kneepoint {
namespace {

TEST(Money, AmountsAreReadExactly) {
  EXPECT_EQ(parse_micros("2.50"), 2'500'000);
  EXPECT_EQ(parse_micros("0.1"), 100'000);
  EXPECT_EQ(parse_micros("3"), 3'000'000);
  EXPECT_EQ(parse_micros(".5"), 500'000);
  EXPECT_EQ(parse_micros("0.000001"), 1);
  EXPECT_EQ(parse_micros("1000000"), kMostMicros);
  for (const char* bad :
       {"", ".", "-1", "1.2345678", "1e3", "1000000.01", "2,50", "nan", "1.2.3"}) {
    EXPECT_FALSE(parse_micros(bad)) << bad;
  }
}

TEST(Money, HoursAreRoundedOnceToTheNearestMillionth) {
  EXPECT_EQ(per_hour(2'500'000, 64, 540 * kSecond), 24'000'000);
  EXPECT_EQ(per_hour(1, 1, kHour / 2), 1);      // a half goes up
  EXPECT_EQ(per_hour(1, 1, kHour / 2 - 1), 0);  // less than a half goes down
  EXPECT_EQ(per_hour(kMostMicros, 1'000'000, 100 * kHour), 9'223'372'036'854'775'807);
}

TEST(Money, IsWrittenWithAllItsDigits) {
  EXPECT_EQ(micros_text(24'000'000), "24.00");
  EXPECT_EQ(micros_text(3'125), "0.003125");
  EXPECT_EQ(micros_text(-1'500'000), "-1.50");
  EXPECT_EQ(micros_text(0), "0.00");
  EXPECT_EQ(to_string(Money{2'310'000, "USD"}), "2.31 USD");
}

TEST(Money, IsRoundedForPeople) {
  EXPECT_EQ(rounded_text({1'234'567, "USD"}), "1.23 USD");
  EXPECT_EQ(rounded_text({123'456, "USD"}), "0.123 USD");
  EXPECT_EQ(rounded_text({12'345, "USD"}), "0.0123 USD");
  EXPECT_EQ(rounded_text({-1'995'000, "USD"}), "-2.00 USD");
}

}  // namespace
}  // namespace kneepoint
