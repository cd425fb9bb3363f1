// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/base/random.h"

#include <gtest/gtest.h>

#include <cmath>

namespace kneepoint {
namespace {

TEST(Random, TheSameSeedGivesTheSameNumbersOnEveryMachine) {
  Random random(42);
  EXPECT_EQ(random.next(), 1546998764402558742ULL);
  EXPECT_EQ(random.next(), 6990951692964543102ULL);
}

TEST(Random, PurposesAreSeparateStreams) {
  EXPECT_NE(Random(1, "order").next(), Random(1, "noise").next());
  EXPECT_EQ(Random(1, "order").next(), Random(1, "order").next());
}

TEST(Random, NormalNumbersHaveTheirMoments) {
  Random random(7);
  double sum = 0, squares = 0;
  constexpr int kCount = 20000;
  for (int i = 0; i < kCount; ++i) {
    const double x = random.normal();
    sum += x;
    squares += x * x;
  }
  EXPECT_NEAR(sum / kCount, 0, 0.03);
  EXPECT_NEAR(squares / kCount, 1, 0.05);
}

TEST(Random, ShuffleKeepsEveryItem) {
  std::vector<int> items = {1, 2, 3, 4, 5};
  Random(3).shuffle(items);
  int sum = 0;
  for (const int item : items) sum += item;
  EXPECT_EQ(sum, 15);
}

}  // namespace
}  // namespace kneepoint
