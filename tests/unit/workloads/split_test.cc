// SPDX-License-Identifier: Apache-2.0
//
// Cutting a whole into parts.
#include "workloads/numerics/split.h"

#include <gtest/gtest.h>

namespace kneepoint::workloads {
namespace {

TEST(Split, PartsTileTheWholeAndDifferByAtMostOne) {
  for (std::int64_t total = 0; total < 40; ++total) {
    for (int parts = 1; parts < 12; ++parts) {
      std::int64_t next = 0;
      for (int part = 0; part < parts; ++part) {
        const Range range = split(total, parts, part);
        EXPECT_EQ(range.begin, next);
        EXPECT_GE(range.size(), total / parts);
        EXPECT_LE(range.size(), total / parts + 1);
        next = range.end;
      }
      EXPECT_EQ(next, total);
    }
  }
}

TEST(Split, TheFirstPartsAreTheLongerOnes) {
  EXPECT_EQ(split(10, 3, 0), (Range{0, 4}));
  EXPECT_EQ(split(10, 3, 1), (Range{4, 7}));
  EXPECT_EQ(split(10, 3, 2), (Range{7, 10}));
}

TEST(Split, TotalsBeyond32BitsAreExact) {
  EXPECT_EQ(split(1'000'000'000'000'001, 2, 1),
            (Range{500'000'000'000'001, 1'000'000'000'000'001}));
}

TEST(Split, TheBoxesOfACubeHoldEveryCellOnce) {
  std::int64_t cells = 0;
  for (int x = 0; x < 3; ++x) {
    for (int y = 0; y < 2; ++y) {
      for (int z = 0; z < 4; ++z) cells += split_cube(7, {3, 2, 4}, {x, y, z}).cells();
    }
  }
  EXPECT_EQ(cells, 7 * 7 * 7);
}

}  // namespace
}  // namespace kneepoint::workloads
