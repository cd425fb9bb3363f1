// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/analysis/statistics/times.h"

#include <gtest/gtest.h>

#include <limits>

#include "tests/unit/analysis/model_data.h"

namespace kneepoint {
namespace {

constexpr double kUnbounded = std::numeric_limits<double>::infinity();

void first_median_and_sum(const Times& sample, std::span<double> out) {
  out[0] = median_seconds(sample.front());
  out[1] = 0;
  for (const TimesAtK& at : sample) out[1] += median_seconds(at);
}

TEST(Bootstrap, IsTheSameWithAnyNumberOfThreads) {
  Random random(1);
  const Times times = noisy_times(amdahl_log(0.05, 0.01), kPowersTo128, 5, 0.05, random);
  const auto values = [&](int threads) {
    return joint_bootstrap(times, 2, first_median_and_sum,
                           {.seed = 42, .replicates = 301, .threads = threads});
  };
  const auto one = values(1);
  EXPECT_EQ(one, values(2));
  EXPECT_EQ(one, values(7));
  EXPECT_EQ(one[0].size(), 301u);
}

TEST(Bootstrap, AnotherSeedGivesOtherReplicates) {
  const Times times = {{1, {1, 2, 3, 4, 5}}, {2, {1, 2, 3, 4, 5}}};
  EXPECT_NE(joint_bootstrap(times, 2, first_median_and_sum, {.seed = 1, .replicates = 50}),
            joint_bootstrap(times, 2, first_median_and_sum, {.seed = 2, .replicates = 50}));
}

TEST(Bootstrap, TheNumbersOfASeedNeverChange) {
  const Times times = {{1, {1, 2, 3, 4, 5}}, {2, {10, 20, 30}}};
  const auto values = joint_bootstrap(times, 2, first_median_and_sum, {.seed = 7, .replicates = 5});
  EXPECT_EQ(values[0], (std::vector<double>{3, 3, 4, 5, 3}));
  EXPECT_EQ(values[1], (std::vector<double>{33, 33, 34, 35, 13}));
}

TEST(Bootstrap, EveryReplicateKeepsTheNumberOfRunsOfEachK) {
  const Times times = {{1, {1, 2, 3}}, {4, {5, 6}}};
  joint_bootstrap(times, 1,
                  [](const Times& sample, std::span<double> out) {
                    EXPECT_EQ(sample[0].seconds.size(), 3u);
                    EXPECT_EQ(sample[1].seconds.size(), 2u);
                    for (const double t : sample[1].seconds) EXPECT_TRUE(t == 5 || t == 6);
                    out[0] = 0;
                  },
                  {.replicates = 20});
}

TEST(Bootstrap, DrawsAreUniform) {
  Random random(5);
  std::vector<int> seen(7, 0);
  for (int i = 0; i < 70000; ++i) ++seen[draw(random, 7)];
  for (const int n : seen) EXPECT_NEAR(n, 10000, 400);
  EXPECT_EQ(draw(random, 1), 0u);
}

TEST(PercentileBounds, InterpolateAndCopeWithInfinity) {
  const auto bounds = [](std::vector<double> values, double level) {
    const Bounds b = percentile_bounds(std::move(values), level);
    return std::pair{b.low, b.high};
  };
  EXPECT_EQ(bounds({5, 1, 3, 2, 4}, 0.5), (std::pair{2.0, 4.0}));
  EXPECT_EQ(bounds({4, 1, 2, 3}, 0.5), (std::pair{1.75, 3.25}));
  EXPECT_EQ(bounds({9}, 0.95), (std::pair{9.0, 9.0}));
  EXPECT_EQ(bounds({1, kUnbounded, 2}, 0.5), (std::pair{1.5, kUnbounded}));
  EXPECT_EQ(bounds({kUnbounded, kUnbounded}, 0.95), (std::pair{kUnbounded, kUnbounded}));
}

}  // namespace
}  // namespace kneepoint
