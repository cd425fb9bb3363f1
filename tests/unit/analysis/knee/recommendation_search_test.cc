// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/analysis/knee/adaptive_search.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/unit/analysis/recommendation_simulation.h"

namespace kneepoint {
namespace {

// T = 0.05 + 0.95/K, without noise unless said.
PricedCurve amdahl(double fee_rate, double noise = 0) {
  PricedCurve priced;
  priced.curve.truth.one = 0.05;
  priced.curve.truth.inverse_k = 0.95;
  priced.curve.noise = noise;
  priced.fee_rate = fee_rate;
  return priced;
}

TEST(RecommendationSearch, BeginsCoarselyAndSaysSo) {
  const PricedCurve priced = amdahl(10);
  const auto first = next_recommendation_step({Mode::strong, kSearchScale, {}, {}}, priced.rules());
  EXPECT_EQ(to_string(first.steps), "K=1 x 2, K=2 x 2, K=4 x 2");
  EXPECT_EQ(first.why, "coarse doubling from K=1");
}

TEST(RecommendationSearch, FindsTheCheapestKAndMeasuresWhatIsNearIt) {
  const RecommendationEnd end = play(amdahl(10), amdahl(10).rules());
  EXPECT_EQ(end.decision.best, 12);  // sqrt(10 x 0.95 / 0.05) = 13.78, and 12 is nearer than 16
  EXPECT_EQ(end.decision.rival, 16);
  EXPECT_FALSE(end.decision.tie);
  EXPECT_FALSE(end.runs.contains(128)) << "surely more expensive";
  EXPECT_FALSE(end.runs.contains(3));
  EXPECT_EQ(end.runs.at(1), 2);
  EXPECT_EQ(end.runs.at(12), 5);
  EXPECT_NE(end.decision.why.find("K=12 is best by cost, K=16 is "), std::string::npos)
      << end.decision.why;
}

TEST(RecommendationSearch, ByTimeItGoesAsFarAsThatIsFaster) {
  PricedCurve priced = amdahl(0);
  priced.by_time = true;
  priced.curve.truth.k_minus_1 = 0.001;  // fastest at sqrt(0.95 / 0.001) = 30.8
  const RecommendationEnd end = play(priced, priced.rules());
  EXPECT_EQ(end.decision.best, 32);
}

TEST(RecommendationSearch, ATieWithinTheShareAskedForEndsIt) {
  RecommendationRules rules = amdahl(10, 0.002).rules();
  rules.within = 0.2;
  const RecommendationEnd end = play(amdahl(10, 0.002), rules);
  EXPECT_TRUE(end.decision.steps.empty());
  EXPECT_LE(amdahl(10).truth(end.decision.best), 1.2 * amdahl(10).least());
}

TEST(RecommendationSearch, MoreRunsWhereTheyTellApartUpToWhatRepeatAllows) {
  RecommendationRules rules = amdahl(10, 0.1).rules();
  rules.most = 20;
  const RecommendationEnd end = play(amdahl(10, 0.1), rules);
  int most = 0;
  for (const auto& [k, runs] : end.runs) most = std::max(most, runs);
  EXPECT_GT(most, 5);
  EXPECT_LE(most, 20);
  bool told = false;
  for (const std::string& line : end.story) {
    told = told || line.find("to tell K=") != std::string::npos;
  }
  EXPECT_TRUE(told);
}

TEST(RecommendationSearch, KThatFailAreGoneAroundAndNothingMeasuredIsAnAnswer) {
  const RecommendationRules rules = amdahl(10).rules();
  SearchCurve curve{Mode::strong, {1, 2, 4}, {{1, 2}, {2, 2}, {4, 2}}, {}};
  EXPECT_EQ(next_recommendation_step(curve, rules).why, "no run has a valid time");
  curve.times = {{.k = 2, .seconds = {1, 1}}};
  curve.asked = {{1, 2}, {2, 5}, {4, 2}};
  const auto end = next_recommendation_step(curve, rules);
  EXPECT_EQ(end.best, 2);
  EXPECT_TRUE(end.steps.empty()) << to_string(end.steps);
  EXPECT_EQ(end.why, "K=2 is the only K that could be measured");
}

TEST(RecommendationSearch, WhatCanNotBePricedIsNoAnswer) {
  RecommendationRules rules = amdahl(10).rules();
  rules.score = [](int, double) { return INFINITY; };
  const auto end = next_recommendation_step(
      {Mode::strong, {1, 2}, {{1, 5}, {2, 5}}, {{.k = 1, .seconds = {1, 1}}}}, rules);
  EXPECT_TRUE(end.steps.empty());
  EXPECT_EQ(end.why, "no K that was measured can be priced");
}

TEST(RecommendationSearch, TheSameRunsGiveTheSameDecision) {
  const RecommendationEnd a = play(amdahl(10, 0.05), amdahl(10, 0.05).rules());
  const RecommendationEnd b = play(amdahl(10, 0.05), amdahl(10, 0.05).rules());
  EXPECT_EQ(a.story, b.story);
}

}  // namespace
}  // namespace kneepoint
