// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/analysis/statistics/tail.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "orchestrator/base/random.h"

namespace kneepoint {
namespace {

constexpr double kNoTail = std::numeric_limits<double>::quiet_NaN();

std::vector<double> one_to(int n) {
  std::vector<double> values;
  for (int i = n; i >= 1; --i) values.push_back(i);
  return values;
}

// 1 s plus exponential noise of 0.1 s, the slowest of `ranks`.
std::vector<double> noisy(int n, int ranks, double slower, std::uint64_t seed) {
  Random random(seed);
  std::vector<double> values;
  for (int i = 0; i < n; ++i) {
    double worst = 0;
    for (int r = 0; r < ranks; ++r) worst = std::max(worst, -0.1 * std::log(1 - random.uniform()));
    values.push_back(slower + worst);
  }
  return values;
}

TEST(Tail, QuantilesAndTheirRanks) {
  const TailSummary t = summarise_tail(one_to(1000)).value();
  EXPECT_EQ(t.samples, 1000);
  EXPECT_EQ(t.mean, 500.5);
  EXPECT_EQ(t.p50.value, 500);
  EXPECT_EQ(t.p95.value, 950);
  EXPECT_EQ(t.p99.value, 990);
  EXPECT_EQ(t.max, 1000);
  // The median's ranks of Binomial(1000, 1/2): P(X <= 468) <= 2.5% < P(X <= 469).
  EXPECT_EQ(t.p50.low, 469);
  EXPECT_EQ(t.p50.high, 532);
  EXPECT_NEAR(t.max_is_above, 0.99632, 1e-5);
}

TEST(Tail, FewSamplesSayWhichSideIsMissing) {
  const TailSummary t = summarise_tail(one_to(100)).value();
  EXPECT_TRUE(t.p99.low);
  EXPECT_FALSE(t.p99.high) << "100 samples can't bound p99 from above";
  EXPECT_TRUE(t.p95.high);
  EXPECT_TRUE(summarise_tail(one_to(368)).value().p99.high);
  EXPECT_FALSE(summarise_tail(one_to(367)).value().p99.high);
  EXPECT_TRUE(summarise_tail(one_to(72)).value().p95.high);
  EXPECT_FALSE(summarise_tail(one_to(71)).value().p95.high);
  const TailSummary one = summarise_tail({2.5}).value();
  EXPECT_EQ(one.p99.value, 2.5);
  EXPECT_FALSE(one.p50.low);
  EXPECT_FALSE(one.p50.high);
}

TEST(Tail, IntervalsHoldTheTrueQuantile) {
  const double truth = 1 - 0.1 * std::log(0.05);  // p95 of 1 + Exp(0.1)
  int inside = 0;
  for (int seed = 0; seed < 1000; ++seed) {
    const TailSummary t = summarise_tail(noisy(200, 1, 1, seed + 1)).value();
    if (*t.p95.low <= truth && truth <= *t.p95.high) ++inside;
  }
  RecordProperty("coverage", std::to_string(inside / 1000.0));
  EXPECT_GE(inside, 935);
  EXPECT_LE(inside, 985);
}

TEST(Tail, ExpectedMaximum) {
  EXPECT_NEAR(expected_max({1, 2}, 1).value().value, 1.5, 1e-12) << "one draw: the mean";
  EXPECT_NEAR(expected_max({1, 2}, 2).value().value, 1.75, 1e-12);
  EXPECT_NEAR(expected_max({2, 1, 3}, 2).value().value, (1 * 1 + 2 * 3 + 3 * 5) / 9.0, 1e-12);
  EXPECT_NEAR(expected_max({5, 5, 5}, 100).value().value, 5, 1e-12);
  EXPECT_NEAR(expected_max(one_to(90), 10).value().beyond_samples, 0.1, 1e-12);
  EXPECT_TRUE(expected_max(one_to(90), 10).value().lower_bound);
  EXPECT_FALSE(expected_max(one_to(900), 10).value().lower_bound);
  // The mean of the largest of r exponentials is the r-th harmonic number.
  const double of_64 = expected_max(noisy(20000, 1, 1, 7), 64).value().value;
  double harmonic = 0;
  for (int r = 1; r <= 64; ++r) harmonic += 1.0 / r;
  EXPECT_NEAR(of_64, 1 + 0.1 * harmonic, 0.01);
}

TEST(Tail, JitterIsToldFromBadScaling) {
  const auto base = noisy(4000, 4, 1, 11);
  const TailGrowth jitter = tail_growth(base, 4, noisy(2000, 64, 1, 12), 64).value();
  EXPECT_EQ(jitter.verdict, TailVerdict::jitter) << jitter.sentence;
  EXPECT_NEAR(jitter.expected, jitter.measured, 0.02);
  const TailGrowth scaling = tail_growth(base, 4, noisy(2000, 4, 2.5, 13), 64).value();
  EXPECT_EQ(scaling.verdict, TailVerdict::scaling) << scaling.sentence;
  const TailGrowth both = tail_growth(base, 4, noisy(2000, 64, 1.2, 14), 64).value();
  EXPECT_EQ(both.verdict, TailVerdict::both) << both.sentence;
  const TailGrowth none = tail_growth(base, 4, base, 64).value();
  EXPECT_EQ(none.verdict, TailVerdict::no_growth);
}

TEST(Tail, AMillionSamples) {
  std::vector<double> values = noisy(1000000, 1, 1, 5);
  const TailSummary t = summarise_tail(values).value();
  EXPECT_LT(*t.p99.low, t.p99.value);
  EXPECT_GT(*t.p99.high, t.p99.value);
  EXPECT_NEAR(t.p99.value, 1 - 0.1 * std::log(0.01), 0.005);
}

TEST(Tail, RefusesWhatHasNoAnswer) {
  EXPECT_FALSE(summarise_tail({}));
  EXPECT_FALSE(expected_max({}, 2));
  for (const double bad : {kNoTail, 0.0, -1.0}) {
    EXPECT_FALSE(summarise_tail({1, bad}));
    EXPECT_FALSE(expected_max({1, bad}, 2));
    EXPECT_FALSE(expected_max({1, 2}, bad));
    EXPECT_FALSE(tail_growth({1}, 1, {bad}, 2));
    EXPECT_FALSE(tail_growth({1}, bad, {1}, 2));
  }
  EXPECT_FALSE(tail_growth({1}, 4, {1}, 4));
}

}  // namespace
}  // namespace kneepoint
