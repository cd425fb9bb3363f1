// SPDX-License-Identifier: Apache-2.0
//
// What a run costs on top of the program it runs. The floor is measured in the same test, before
// and after, because only the ratio means something on a machine whose speed nobody knows.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>

#include "tests/bench/noop/noop_study.h"

namespace kneepoint::bench {
namespace {

constexpr double kMostTimesTheFloor = 8;
constexpr double kMostToLookAtIt = 0.3;  // CPU seconds: resume, status, report of a finished study

double median_of_three(double a, double b, double c) {
  return std::max(std::min(a, b), std::min(std::max(a, b), c));
}

// The middle of three studies of 100 runs, each in a fresh database.
double cost_at_100() {
  double cost[3];
  for (double& one : cost) one = NoopStudy("noop-100", 100).run();
  return median_of_three(cost[0], cost[1], cost[2]);
}

TEST(Noop, ARunCostsAtMostEightTimesTheFloor) {
  const double before = floor_per_run(500);
  const double at_100 = cost_at_100();
  NoopStudy study("noop-1000", 1000);
  const double at_1000 = study.run();
  const double after = floor_per_run(500);
  const double floor = (before + after) / 2;
  std::printf(
      "bench: floor (mkdir + posix_spawn + file): %.2f ms a run (%.2f before, %.2f after)\n",
      floor * 1e3, before * 1e3, after * 1e3);
  std::printf("bench: no-op study:   100 runs: %.2f ms a run, %.1f x floor\n", at_100 * 1e3,
              at_100 / floor);
  std::printf("bench: no-op study: 1,000 runs: %.2f ms a run, %.1f x floor\n", at_1000 * 1e3,
              at_1000 / floor);
  EXPECT_LE(at_100, kMostTimesTheFloor * floor);
  EXPECT_LE(at_1000, kMostTimesTheFloor * floor);

  const double resume = std::min(study.resume(), study.resume());
  const double status = std::min(study.status(), study.status());
  const double report = std::min(study.report(), study.report());
  std::printf(
      "bench: finished study of 1,000 runs: resume %.0f ms, status %.0f ms, report %.0f ms\n",
      resume * 1e3, status * 1e3, report * 1e3);
  EXPECT_LT(resume, kMostToLookAtIt);
  EXPECT_LT(status, kMostToLookAtIt);
  EXPECT_LT(report, kMostToLookAtIt);
}

}  // namespace
}  // namespace kneepoint::bench
