// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/analysis/breakdown/breakdown.h"

#include <gtest/gtest.h>

namespace kneepoint {
namespace {

// Two ranks with a window of 1 s; `reduce` and `wait` in seconds, of each rank.
RunDetail profiled_run(double reduce, double wait) {
  RunDetail run;
  for (int rank = 0; rank < 2; ++rank) {
    RankProfile p;
    p.rank = rank;
    p.complete = true;
    p.window_ns = kSecond;
    p.collective_ns = static_cast<Nanoseconds>(reduce * 1e9);
    p.wait_ns = static_cast<Nanoseconds>(wait * 1e9);
    run.profile.push_back(p);
  }
  run.operations = {
      {"MPI_Allreduce", "collective", 20, 160, static_cast<Nanoseconds>(2 * reduce * 1e9), 0}};
  if (wait > 0) {
    run.operations.push_back(
        {"MPI_Wait", "wait", 40, 0, static_cast<Nanoseconds>(2 * wait * 1e9), 0});
  }
  return run;
}

TEST(MpiProfile, IsTheMedianOverRunsAndPerRank) {
  const RunDetail a = profiled_run(0.1, 0.3), b = profiled_run(0.2, 0.4), c = profiled_run(0.15, 0);
  const auto profile = profile_of({&a, &b, &c});
  ASSERT_TRUE(profile);
  EXPECT_EQ(profile->runs, 3);
  EXPECT_DOUBLE_EQ(profile->window, 1);
  EXPECT_DOUBLE_EQ(profile->collective, 0.15);
  EXPECT_DOUBLE_EQ(profile->wait, 0.3);
  EXPECT_DOUBLE_EQ(profile->communication(), 0.45);
  ASSERT_EQ(profile->operations.size(), 2U);
  EXPECT_EQ(profile->operations[0].name, "MPI_Wait") << "the largest first";
  EXPECT_DOUBLE_EQ(profile->operations[0].calls, 20);
  EXPECT_DOUBLE_EQ(profile->operations[0].share, 0.3) << "a run without the call has none of it";
  EXPECT_DOUBLE_EQ(profile->operations[1].bytes, 80);
}

TEST(MpiProfile, IsAbsentWithoutAProfile) {
  const RunDetail none;
  EXPECT_FALSE(profile_of({&none}));
  EXPECT_FALSE(profile_of({}));
  EXPECT_EQ(profile_window(none), 0);
}

}  // namespace
}  // namespace kneepoint
