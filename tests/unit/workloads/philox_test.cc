// SPDX-License-Identifier: Apache-2.0
//
// Known answers of Philox4x32-10, as published with the generator.
#include "workloads/numerics/counter_random.h"

#include <gtest/gtest.h>

namespace kneepoint::workloads {
namespace {

void expect_words(const PhiloxWords& w, std::uint32_t a, std::uint32_t b, std::uint32_t c,
                  std::uint32_t d) {
  EXPECT_EQ(w.w0, a);
  EXPECT_EQ(w.w1, b);
  EXPECT_EQ(w.w2, c);
  EXPECT_EQ(w.w3, d);
}

TEST(Philox, GivesThePublishedAnswers) {
  expect_words(philox({0, 0, 0, 0}, 0, 0), 0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8);
  expect_words(philox({0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}, 0xffffffff, 0xffffffff),
               0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd);
  expect_words(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, 0xa4093822, 0x299f31d0),
               0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1);
}

TEST(Philox, TheCircleIsDecidedByIntegersAtItsRim) {
  EXPECT_EQ(in_circle(0, 0), 1);
  EXPECT_EQ(in_circle(0xffffffff, 0), 1);
  EXPECT_EQ(in_circle(0xffffffff, 0xffffffff), 0);
  EXPECT_EQ(in_circle(0x99999998, 0xcccccccc), 1);  // 0.6, 0.8, rounded down
  EXPECT_EQ(in_circle(0x9999999c, 0xcccccccf), 0);  // and a little up
}

TEST(HashedRandom, StaysInItsRangeAndHasMeanZeroAndVarianceAThird) {
  double sum = 0, squares = 0;
  constexpr int kCount = 100'000;
  for (std::uint64_t i = 0; i < kCount; ++i) {
    const double x = hashed_uniform(1, 2, i);
    ASSERT_GE(x, -1);
    ASSERT_LT(x, 1);
    sum += x;
    squares += x * x;
  }
  EXPECT_NEAR(sum / kCount, 0, 0.01);
  EXPECT_NEAR(squares / kCount, 1.0 / 3, 0.01);
}

TEST(HashedRandom, SeedAndStreamChangeTheNumbers) {
  EXPECT_NE(hashed_uniform(1, 0, 0), hashed_uniform(2, 0, 0));
  EXPECT_NE(hashed_uniform(1, 0, 0), hashed_uniform(1, 1, 0));
  EXPECT_NE(hashed_uniform(1, 0, 1), hashed_uniform(2, 0, 0));
}

}  // namespace
}  // namespace kneepoint::workloads
