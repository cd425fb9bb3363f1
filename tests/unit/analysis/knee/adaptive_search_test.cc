// SPDX-License-Identifier: Apache-2.0
//
// Single decisions of the adaptive search; what they come to on many curves is in the slow tests.
#include "orchestrator/analysis/knee/adaptive_search.h"

#include <gtest/gtest.h>

#include "tests/unit/analysis/search_simulation.h"

namespace kneepoint {
namespace {

// T = s + (1-s)/K without noise: E(K) = 0.7 at K = 1 + 0.43/s.
SyntheticCurve amdahl_curve(double serial) {
  SyntheticCurve curve;
  curve.truth = {.one = serial, .inverse_k = 1 - serial};
  curve.noise = 0;
  return curve;
}

SearchDecision decide(const SyntheticCurve& curve, std::map<int, int> runs,
                      const SearchRules& rules = {}, const std::vector<int>& scale = kSearchScale) {
  return next_step({curve.mode, scale, runs, measure(curve, runs)}, rules);
}

std::string steps(const SearchDecision& decision) {
  return to_string(decision.steps);
}

TEST(AdaptiveStep, BeginsWithAFewDoublings) {
  const SearchDecision first = decide(amdahl_curve(0.02), {});
  EXPECT_EQ(steps(first), "K=1 x 2, K=2 x 2, K=4 x 2");
  EXPECT_EQ(first.why, "coarse doubling from K=1");
}

TEST(AdaptiveStep, DoublesWhileEfficiencyIsAboveTheFloor) {
  const SearchDecision next = decide(amdahl_curve(0.02), {{1, 2}, {2, 2}, {4, 2}});
  EXPECT_EQ(steps(next), "K=8 x 2");
  EXPECT_EQ(next.why, "E=0.94 at K=4 is not under 0.7");
  EXPECT_FALSE(next.knee);
}

TEST(AdaptiveStep, LooksBetweenTheTwoKAroundTheKnee) {
  const SearchDecision next =
      decide(amdahl_curve(0.02), {{1, 2}, {2, 2}, {4, 2}, {8, 2}, {16, 2}, {32, 2}});
  EXPECT_EQ(steps(next), "K=24 x 2");
  EXPECT_EQ(next.why, "narrows the knee between 16 and 32");
  EXPECT_NEAR(next.knee.value(), 1 + 0.3 / 0.7 / 0.02, 0.01);
}

TEST(AdaptiveStep, RepeatsOnlyTheBaselineAndTheKAroundTheKnee) {
  const std::map<int, int> runs = {{1, 2}, {2, 2}, {4, 2}, {8, 2}, {16, 2}, {24, 2}, {32, 2}};
  const SearchDecision next = decide(amdahl_curve(0.02), runs);
  EXPECT_EQ(steps(next), "K=1 x 3, K=16 x 3, K=24 x 3");
  EXPECT_EQ(next.why, "an interval for the knee between 16 and 24");
}

TEST(AdaptiveStep, EndsWhenTheIntervalIsNarrow) {
  const SearchDecision last =
      decide(amdahl_curve(0.02), {{1, 5}, {2, 2}, {4, 2}, {8, 2}, {16, 5}, {24, 5}, {32, 2}});
  EXPECT_TRUE(last.steps.empty());
  EXPECT_EQ(last.why, "the knee is at K=22.4 [22.4, 22.4]: within 10%");
}

TEST(AdaptiveStep, SaysWhenThePlanAllowsNoMoreRuns) {
  SyntheticCurve noisy = amdahl_curve(0.02);
  noisy.noise = 0.1;
  std::map<int, int> runs;
  for (const int k : kSearchScale) runs[k] = 5;
  const SearchDecision last = decide(noisy, runs);
  EXPECT_TRUE(last.steps.empty());
  EXPECT_NE(last.why.find("wider than 10% either way, but repeat: 5 allows no more runs"),
            std::string::npos)
      << last.why;
  SearchRules more;
  more.most = 20;
  const SearchDecision next = decide(noisy, runs, more);
  ASSERT_FALSE(next.steps.empty());
  for (const SearchStep& step : next.steps) EXPECT_EQ(step.runs, 2);
  EXPECT_NE(next.why.find("most for their node-hours ["), std::string::npos) << next.why;
}

TEST(AdaptiveStep, AKneeBeyondTheScaleEndsThere) {
  std::map<int, int> runs;
  for (const int k : doublings(kSearchScale)) runs[k] = 2;
  const SearchDecision sure = decide(amdahl_curve(0.001), runs);
  EXPECT_EQ(steps(sure), "K=1 x 3, K=128 x 3");
  runs[1] = runs[128] = 5;
  const SearchDecision last = decide(amdahl_curve(0.001), runs);
  EXPECT_TRUE(last.steps.empty());
  EXPECT_EQ(last.why, "E=0.89 at K=128 is not under 0.7, and the scale ends there");
}

TEST(AdaptiveStep, AKneeInTheFirstStepNeedsNoLargerK) {
  const SearchDecision next = decide(amdahl_curve(0.9), {{1, 2}, {2, 2}, {4, 2}});
  EXPECT_EQ(steps(next), "K=1 x 3, K=2 x 3");
  EXPECT_TRUE(decide(amdahl_curve(0.9), {{1, 5}, {2, 5}, {4, 2}}).steps.empty());
}

TEST(AdaptiveStep, KThatFailAreGoneAround) {
  const SyntheticCurve curve = amdahl_curve(0.02);
  const auto without = [&](std::map<int, int> runs, int failed) {
    Times times = measure(curve, runs);
    std::erase_if(times, [&](const TimesAtK& at) { return at.k == failed; });
    return next_step({curve.mode, kSearchScale, runs, times}, {});
  };
  // In between: the search goes on around it.
  EXPECT_EQ(steps(without({{1, 2}, {2, 2}, {4, 2}, {8, 2}}, 4)), "K=16 x 2");
  // At the top: what is below it, and no larger one.
  EXPECT_EQ(steps(without({{1, 2}, {2, 2}, {4, 2}, {8, 2}, {16, 2}}, 16)), "K=12 x 2");
  const SearchDecision top = without({{1, 5}, {2, 2}, {4, 2}, {8, 2}, {12, 5}, {16, 2}}, 16);
  EXPECT_TRUE(top.steps.empty());
  EXPECT_NE(top.why.find("K=16 has no valid time"), std::string::npos) << top.why;
}

TEST(AdaptiveStep, WhenNothingRunsTheNextKAreTriedOnce) {
  const SearchCurve nothing{Mode::strong, kSearchScale, {{1, 2}, {2, 2}, {4, 2}}, {}};
  EXPECT_EQ(steps(next_step(nothing, {})), "K=8 x 2, K=16 x 2, K=32 x 2");
  SearchCurve again = nothing;
  again.asked = {{1, 2}, {2, 2}, {4, 2}, {8, 2}, {16, 2}, {32, 2}};
  EXPECT_EQ(next_step(again, {}).why, "no run has a valid time");
  const SearchCurve small{Mode::strong, {1, 2}, {{1, 2}, {2, 2}}, {}};
  EXPECT_TRUE(next_step(small, {}).steps.empty());
}

TEST(AdaptiveStep, OnADenseScaleItStopsAtTheWishedNarrowness) {
  std::vector<int> dense;
  for (int k = 1; k <= 128; ++k) dense.push_back(k);
  std::map<int, int> runs = {{1, 2}, {2, 2}, {4, 2}, {8, 2}, {16, 2}, {32, 2}};
  const SyntheticCurve curve = amdahl_curve(0.02);
  int rounds = 0;
  for (;; ++rounds) {
    const SearchDecision next = decide(curve, runs, {}, dense);
    if (next.steps.empty()) break;
    for (const SearchStep& step : next.steps) runs[step.k] += step.runs;
    ASSERT_LT(rounds, 10);
  }
  EXPECT_LE(runs.size(), 10U);
}

TEST(AdaptiveStep, TheSameRunsGiveTheSameDecision) {
  const SyntheticCurve curve = synthetic_curve(7, 0.05);
  const SearchEnd a = play(curve, {.most = 20, .seed = 3}),
                  b = play(curve, {.most = 20, .seed = 3});
  EXPECT_EQ(a.story, b.story);
  EXPECT_GT(a.story.size(), 4U);
}

TEST(AdaptiveStep, DoublingsStayOnTheScale) {
  EXPECT_EQ(doublings(kSearchScale), (std::vector<int>{1, 2, 4, 8, 16, 32, 64, 128}));
  EXPECT_EQ(doublings({4, 8, 12, 16, 20}), (std::vector<int>{4, 8, 16, 20}));
  EXPECT_EQ(doublings({1, 10, 11, 100}), (std::vector<int>{1, 10, 11, 100}));
  EXPECT_EQ(doublings({3}), (std::vector<int>{3}));
}

TEST(AdaptiveStep, ExpectedWorkIsExactForAmdahlAndNeverNegative) {
  const SyntheticCurve curve = amdahl_curve(0.05);
  const Times times = measure(curve, {{1, 1}, {4, 1}, {16, 1}});
  for (const int k : {1, 2, 8, 16, 64}) {
    EXPECT_NEAR(expected_work(times, k), k * curve.truth.at(k), 1e-9) << k;
  }
  EXPECT_GT(expected_work({{1, {1.0}}, {2, {0.1}}}, 64), 0);
  EXPECT_DOUBLE_EQ(expected_work({{2, {3.0}}}, 4), 12);
}

}  // namespace
}  // namespace kneepoint
