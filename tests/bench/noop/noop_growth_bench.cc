// SPDX-License-Identifier: Apache-2.0
//
// Does a run in a large study cost what it costs in a small one?
#include <gtest/gtest.h>

#include <cstdio>

#include "tests/bench/noop/noop_study.h"

namespace kneepoint::bench {
namespace {

constexpr double kMostGrowth = 1.2;

TEST(NoopGrowth, ARunAmongTenThousandCostsAtMostAFifthMoreThanAmongAHundred) {
  // Small studies before and after, so that a drift of the machine hits both sides.
  double small = 0;
  const double floor = floor_per_run(500);
  for (int i = 0; i < 3; ++i) small += NoopStudy("growth-100", 100).run() / 6;
  const double large = NoopStudy("growth-10000", 10'000).run();
  for (int i = 0; i < 3; ++i) small += NoopStudy("growth-100", 100).run() / 6;
  std::printf(
      "bench: no-op study: 10,000 runs: %.2f ms a run, %.2f x the cost at 100, %.1f x floor\n",
      large * 1e3, large / small, large / floor);
  EXPECT_LE(large, kMostGrowth * small);
}

}  // namespace
}  // namespace kneepoint::bench
