// SPDX-License-Identifier: Apache-2.0
//
// Two builds in turns: ratio, what moved, verdict; how often it cries wolf and how much it sees.
#include "orchestrator/analysis/comparison/build_comparison.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "orchestrator/analysis/statistics/intervals.h"
#include "tests/unit/analysis/evidence_builder.h"

namespace kneepoint {
namespace {

TEST(SignedRank, TheNullDistributionIsThatOfTheTables) {
  const std::vector<double> three = signed_rank_null(3);
  EXPECT_EQ(three, (std::vector<double>{.125, .125, .125, .25, .125, .125, .125}));
  const std::vector<double> ten = signed_rank_null(10);
  EXPECT_NEAR(std::accumulate(ten.begin(), ten.end(), 0.0), 1, 1e-12);
  // One-sided .05 of ten pairs: W <= 10 has .0420, W <= 11 has .0527.
  EXPECT_NEAR(std::accumulate(ten.begin(), ten.begin() + 11, 0.0), 43.0 / 1024, 1e-12);
  EXPECT_NEAR(std::accumulate(ten.begin(), ten.begin() + 12, 0.0), 54.0 / 1024, 1e-12);
  EXPECT_EQ(least_signed_rank_p(7), 1.0 / 128);
}

TEST(SignedRank, EstimateIntervalAndTestAgree) {
  const RatioTest up = paired_ratio({.04, .05, .06, .05, .07, .03, .05});
  EXPECT_NEAR(up.ratio, std::exp(.05), 1e-9);
  EXPECT_EQ(up.p_above, 1.0 / 128);
  EXPECT_EQ(up.p_below, 1);
  ASSERT_TRUE(up.interval);
  EXPECT_GT(up.interval->low, 1);
  EXPECT_GE(up.interval->level, .95);
  const RatioTest none = paired_ratio({0, 0, 0, 0, 0, 0, 0});
  EXPECT_EQ(none.ratio, 1);
  EXPECT_GT(none.p_above, .4);
  EXPECT_FALSE(paired_ratio({.1, .2}).interval) << "two pairs have no interval of 95%";
}

TEST(SignedRank, TheApproximationTakesOverWithoutAStep) {
  std::vector<double> logs;
  for (int i = 0; i < 60; ++i) logs.push_back(i % 3 == 0 ? -.01 - i * 1e-5 : .01 + i * 1e-5);
  const double exact = paired_ratio(logs).p_above;
  logs.push_back(-.015);
  const double approximate = paired_ratio(logs).p_above;
  EXPECT_GT(approximate, exact) << "one more against it";
  EXPECT_LT(approximate, 4 * exact);
}

class Study2 : public EvidenceBuilder {
 public:
  void add_build(const std::string& build, int k, const std::vector<double>& times) {
    add(Mode::strong, k, times).point.build = build;
  }
  // T made of compute and communication.
  void split(double compute, double communication) {
    for (RunEvidence& run : study.points.back().runs) {
      run.compute_seconds = compute;
      run.communication_seconds = communication;
    }
  }
};

std::vector<double> times(double middle, int count, double step = .001) {
  std::vector<double> all;
  for (int i = 0; i < count; ++i) all.push_back(middle * (1 + step * ((i * 3) % 7 - 3)));
  return all;
}

TEST(BuildComparison, ASlowerBuildIsRegressedAndTheTermThatMovedIsNamed) {
  Study2 s;
  s.add_build("old", 1, times(1, 6));
  s.split(.9, .05);
  s.add_build("old", 2, times(.6, 6));
  s.split(.45, .1);
  s.add_build("new", 1, times(1.06, 6));
  s.split(.9, .11);
  s.add_build("new", 2, times(.636, 6));
  s.split(.45, .136);
  const auto answer = compare_builds(s.study);
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->verdict, Verdict::regressed);
  EXPECT_EQ(answer->reference, "old");
  EXPECT_EQ(answer->candidate, "new");
  ASSERT_EQ(answer->curves.size(), 1U);
  const BuildCurve& curve = answer->curves[0];
  EXPECT_EQ(curve.pairs, 12);
  EXPECT_NEAR(*curve.ratio, 1.06, .001);
  EXPECT_TRUE(curve.slower);
  EXPECT_EQ(curve.moved->name, "communication");
  EXPECT_GT(curve.moved->share, .95);
  ASSERT_EQ(curve.points.size(), 2U);
  EXPECT_TRUE(curve.points[0].slower && curve.points[1].slower);
  EXPECT_NEAR(*curve.points[0].ratio, 1.06, .001);
  EXPECT_EQ(curve.points[1].interval->method, "Hodges-Lehmann");
  EXPECT_EQ(answer->why, "new against old: slower");
}

TEST(BuildComparison, AFasterBuildIsImprovedAndWhatShrankIsNamed) {
  Study2 s;
  s.add_build("old", 2, times(1, 8));
  s.split(.8, .15);
  s.add_build("new", 2, times(.9, 8));
  s.split(.7, .15);
  const auto answer = compare_builds(s.study);
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->verdict, Verdict::improved);
  EXPECT_EQ(answer->curves[0].moved->name, "compute");
}

TEST(BuildComparison, TheSameBuildShowsNoDifferenceAndSaysWhatItCouldHaveSeen) {
  Study2 s;
  for (const char* build : {"a", "b"}) {
    for (const int k : {1, 2}) s.add_build(build, k, times(1.0 / k, 8));
  }
  const auto answer = compare_builds(s.study);
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->verdict, Verdict::pass);
  ASSERT_TRUE(answer->detectable);
  EXPECT_LT(*answer->detectable, .02);
  EXPECT_NE(answer->why.find("no difference seen; a change of 1.0% would have been seen"),
            std::string::npos)
      << answer->why;
}

TEST(BuildComparison, RunsTooFewOrTooNoisyAreInconclusive) {
  Study2 few;
  few.add_build("a", 1, times(1, 3));
  few.add_build("b", 1, times(1, 3));
  EXPECT_EQ(compare_builds(few.study)->verdict, Verdict::inconclusive);
  EXPECT_NE(compare_builds(few.study)->why.find("so few pairs"), std::string::npos);
  Study2 noisy;
  noisy.add_build("a", 1, times(1, 8, .1));
  noisy.add_build("b", 1, times(1, 8, .08));
  const auto answer = compare_builds(noisy.study);
  EXPECT_EQ(answer->verdict, Verdict::inconclusive);
  EXPECT_NE(answer->why.find("and the plan asks for 5.0%"), std::string::npos) << answer->why;
}

TEST(BuildComparison, FailedRunsAreNoResult) {
  Study2 s;
  s.add_build("a", 1, times(1, 8));
  s.add_build("b", 1, times(2, 7));
  s.add_run(s.study.points.back(), failed_run(AttemptState::failed, Reason::exit_code));
  EXPECT_EQ(compare_builds(s.study)->verdict, Verdict::failed);
  EXPECT_EQ(compare_builds(s.study)->why, "1 run failed");
}

TEST(BuildComparison, OnlyTwoBuildsOfTheSamePointsCompare) {
  Study2 one;
  one.add_build("default", 1, times(1, 5));
  EXPECT_FALSE(compare_builds(one.study));
  Study2 apart;
  apart.add_build("a", 1, times(1, 5));
  apart.add_build("b", 2, times(1, 5));
  EXPECT_FALSE(compare_builds(apart.study));
  Study2 three;
  for (const char* build : {"a", "b", "c"}) three.add_build(build, 1, times(1, 5));
  EXPECT_FALSE(compare_builds(three.study));
}

TEST(BuildComparison, PairsGoByRepeat) {
  Study2 s;
  s.add_build("a", 1, {1, 2, 3});
  s.study.points[0].runs[1] = failed_run(AttemptState::failed, Reason::exit_code);
  s.add_build("b", 1, {2, 2, 9});
  const auto points = pairs_of(s.study, "a", "b");
  ASSERT_EQ(points.size(), 1U);
  EXPECT_EQ(points[0].key, s.study.points[0].point.key_without_build());
  EXPECT_EQ(points[0].baseline, (std::vector<double>{1, 3}));
  EXPECT_EQ(points[0].candidate, (std::vector<double>{2, 2, 9}));
}

}  // namespace
}  // namespace kneepoint
