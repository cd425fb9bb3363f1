// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/analysis/statistics/intervals.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "orchestrator/analysis/statistics/distributions.h"
#include "orchestrator/base/random.h"
#include "tests/unit/analysis/reference.h"

namespace kneepoint {
namespace {

TEST(Distributions, StudentsTailAgreesWithTheReference) {
  for (const auto& row : reference_rows("intervals.json", "t_sf")) {
    const double expected = row["sf"];
    EXPECT_NEAR(student_t_upper_tail(row["t"], row["df"]), expected, within(expected));
    EXPECT_NEAR(student_t_quantile(1 - expected, row["df"]), row["t"], 1e-6);
  }
}

TEST(Distributions, MannWhitneyNullSumsToOneAndIsSymmetric) {
  const std::vector<double> p = mann_whitney_null(4, 7);
  ASSERT_EQ(p.size(), 29u);
  EXPECT_NEAR(std::accumulate(p.begin(), p.end(), 0.0), 1, 1e-14);
  for (std::size_t u = 0; u < p.size(); ++u) EXPECT_NEAR(p[u], p[28 - u], 1e-16);
}

TEST(Distributions, MannWhitneySmallestTailIsTheReferences) {
  for (const auto& row : reference_rows("intervals.json", "mwu_exact_min_p")) {
    const double expected = row["min_one_sided"];
    EXPECT_NEAR(mann_whitney_null(row["n"], row["m"])[0], expected, within(expected));
  }
}

TEST(Intervals, HodgesLehmannRanksAreTheReferences) {
  for (const auto& row : reference_rows("intervals.json", "hl_ci_rank_table")) {
    const int n = row["n"], m = row["m"];
    const RankChoice choice = hodges_lehmann_rank(n, m);
    EXPECT_EQ(choice.k, row["k95"].get<int>()) << n << " x " << m;
    EXPECT_EQ(hodges_lehmann_rank(m, n).k, choice.k) << n << " x " << m;
    if (choice.k > 0) {
      EXPECT_NEAR(choice.level, row["level"].get<double>(), 1e-12);
    }
  }
}

TEST(Intervals, HodgesLehmannRanksGoOnSmoothlyWhereTheyAreApproximated) {
  for (const auto& [n, m] : {std::pair{20, 21}, {21, 21}, {7, 100}, {40, 40}}) {
    const RankChoice choice = hodges_lehmann_rank(n, m);
    // The exact tail at that rank is the level claimed, to two tenths of a percent.
    const std::vector<double> p = mann_whitney_null(n, m);
    const double tail = std::accumulate(p.begin(), p.begin() + choice.k, 0.0);
    EXPECT_NEAR(1 - 2 * tail, choice.level, 2e-3) << n << " x " << m;
    EXPECT_GE(choice.level, 0.95) << n << " x " << m;
    EXPECT_LT(choice.level, 0.956) << n << " x " << m;
  }
}

TEST(Intervals, HodgesLehmannRanksHoldTheirLevelForAHundredThousandRuns) {
  // 10^10 pairs: neither counted one by one nor cut at 2^31.
  for (const auto& [n, m] : {std::pair{100'000, 100'000}, {3, 1'000'000}, {50'000, 40'000}}) {
    const double pairs = 1.0 * n * m;
    const RankChoice choice = hodges_lehmann_rank(n, m);
    const double below =
        (pairs / 2 - static_cast<double>(choice.k)) / std::sqrt(pairs / 12 * (1.0 * n + m + 1));
    EXPECT_NEAR(below, 1.959964, 1e-5) << n << " x " << m;
    EXPECT_NEAR(choice.level, 0.95, 1e-5) << n << " x " << m;
    EXPECT_GE(choice.level, 0.95) << n << " x " << m;
  }
}

TEST(Intervals, MedianRanksAreTheReferences) {
  for (const auto& entry : reference_rows("intervals.json", "median_ci_ranks")) {
    const int n = entry["n"];
    int lo = 1;
    double level = entry["rows"][0]["level"];
    for (const auto& row : entry["rows"]) {
      if (row["level"].get<double>() < 0.95) break;
      lo = row["lo"];
      level = row["level"];
    }
    if (n == 20) lo = 6, level = 0.9586105346679688;  // the table stops at rank 4
    const RankChoice choice = median_rank(n);
    EXPECT_EQ(choice.k, lo) << n;
    EXPECT_NEAR(choice.level, level, 1e-12) << n;
  }
}

TEST(Intervals, TwoSampleExamplesAreTheReferences) {
  const auto reference = read_reference("intervals.json");
  for (const auto& [name, bounds] :
       {std::pair{"two_sample_example", "hl_ci"}, {"two_sample_example2", "hl_ci_96_8"}}) {
    const auto& example = reference[name];
    const std::vector<double> above = example["new"], below = example["base"];
    const double ratio = example["hodges_lehmann_ratio"];
    EXPECT_NEAR(hodges_lehmann_ratio(above, below), ratio, within(ratio));
    EXPECT_NEAR(median(above) / median(below), example["median_ratio"].get<double>(), 1e-12);
    const auto interval = ratio_interval(above, below);
    ASSERT_TRUE(interval);
    EXPECT_EQ(interval->method, "Hodges-Lehmann");
    EXPECT_NEAR(interval->low, example[bounds][0].get<double>(), 1e-12);
    EXPECT_NEAR(interval->high, example[bounds][1].get<double>(), 1e-12);
    EXPECT_NEAR(interval->level, 1 - 2 * 4.0 / 252, 1e-12);
  }
}

TEST(Intervals, RatioBoundsAreTheOrderStatisticsOfAllRatios) {
  Random random(7);
  for (int n = 4; n <= 30; n += 5) {
    std::vector<double> above, below, ratios;
    for (int i = 0; i < n; ++i) above.push_back(std::exp(0.1 * random.normal()));
    for (int i = 0; i < n + 3; ++i) below.push_back(0.01 * std::exp(0.1 * random.normal()));
    for (const double a : above) {
      for (const double b : below) ratios.push_back(a / b);
    }
    std::sort(ratios.begin(), ratios.end());
    const RankChoice rank = hodges_lehmann_rank(n, n + 3);
    const auto interval = ratio_interval(above, below);
    ASSERT_TRUE(interval);
    EXPECT_EQ(interval->low, ratios[rank.k - 1]);
    EXPECT_EQ(interval->high, ratios[ratios.size() - rank.k]);
  }
}

TEST(Intervals, ThreeAgainstThreeUsesWelchOnLogs) {
  // log ratio 2 ± t(0.975, 4)·sqrt(2·(1/3)): unit steps on the log scale, equal variances, df = 4.
  const auto e = [](double x) { return std::exp(x); };
  const auto interval = ratio_interval({e(4), e(2), e(3)}, {e(0), e(1), e(2)});
  ASSERT_TRUE(interval);
  EXPECT_EQ(interval->method, "Welch on logs");
  EXPECT_EQ(interval->level, 0.95);
  const double half = 2.7764451051977987 * std::sqrt(2.0 / 3);
  EXPECT_NEAR(interval->low, e(2 - half), within(e(2 - half)));
  EXPECT_NEAR(interval->high, e(2 + half), within(e(2 + half)));
}

TEST(Intervals, EqualTimesGiveAnIntervalOfNoWidth) {
  for (const std::size_t n : {2u, 3u, 5u, 9u}) {
    const auto interval = ratio_interval(std::vector<double>(n, 0.3), std::vector<double>(n, 0.1));
    ASSERT_TRUE(interval);
    EXPECT_EQ(interval->low, 0.3 / 0.1);
    EXPECT_EQ(interval->high, 0.3 / 0.1);
  }
}

TEST(Intervals, OneRunHasNoInterval) {
  EXPECT_FALSE(ratio_interval({1.0}, {1.0, 1.1, 1.2, 1.3, 1.4}));
  EXPECT_FALSE(ratio_interval({1.0, 1.1, 1.2, 1.3, 1.4}, {1.0}));
  EXPECT_FALSE(median_interval({1.0}));
  EXPECT_FALSE(median_interval({}));
}

TEST(Intervals, MedianOfFiveHasTheLevelThatItHas) {
  const auto interval = median_interval({3, 1, 5, 2, 4});
  ASSERT_TRUE(interval);
  EXPECT_EQ(interval->low, 1);
  EXPECT_EQ(interval->high, 5);
  EXPECT_NEAR(interval->level, 0.9375, 1e-15);
  EXPECT_EQ(interval->method, "order statistics");
}

TEST(Intervals, MedianOfFewerThanFiveIsTheRange) {
  const auto interval = median_interval({3, 1, 2});
  ASSERT_TRUE(interval);
  EXPECT_EQ(interval->method, "range");
  EXPECT_EQ(interval->low, 1);
  EXPECT_EQ(interval->high, 3);
  EXPECT_NEAR(interval->level, 0.75, 1e-15);
}

TEST(Intervals, MedianOfManyIsQuickAndHasItsLevel) {
  const RankChoice choice = median_rank(10'000);
  EXPECT_EQ(choice.k, 4902);  // 5000 - 1.96 · 50, rounded outwards
  EXPECT_GE(choice.level, 0.95);
}

TEST(Intervals, OutliersAreCountedByTheMedianDeviation) {
  EXPECT_EQ(count_outliers({1.00, 1.01, 0.99, 1.02, 2.0}), 1);
  EXPECT_EQ(count_outliers({1.00, 1.01, 0.99, 1.02, 1.03}), 0);
  EXPECT_EQ(count_outliers({1, 1, 1, 1, 2}), 0) << "no scale is known when the MAD is 0";
  EXPECT_EQ(count_outliers({1, 100}), 0);
}

TEST(Intervals, MedianOfAnEvenNumberIsTheMiddleOfTwo) {
  EXPECT_EQ(median({4, 1, 3, 2}), 2.5);
  EXPECT_EQ(median({5}), 5);
}

}  // namespace
}  // namespace kneepoint
