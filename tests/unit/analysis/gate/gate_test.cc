// SPDX-License-Identifier: Apache-2.0
//
// The parts of the nightly gate against reference values, and its verdicts on series made by hand.
#include "orchestrator/analysis/gate/gate.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/unit/analysis/nights.h"

namespace kneepoint {
namespace {

std::vector<double> logs(const std::vector<double>& values) {
  std::vector<double> out;
  for (const double value : values) out.push_back(std::log(value));
  return out;
}

TEST(NightTest, AgreesWithTheReference) {
  const auto test = night_test(
      logs({100.0, 101.0, 99.0, 100.5, 100.2, 99.4, 100.9, 99.7, 100.3, 100.1, 104.0}), 1, {});
  ASSERT_TRUE(test);
  EXPECT_EQ(test->history, 10);
  EXPECT_NEAR(test->sd, 0.006259898361365324, 1e-12);
  EXPECT_NEAR(test->t, 5.809048738374674, 1e-9);
  EXPECT_NEAR(test->p_slower, 0.0001282754179230588, 1e-12);
  EXPECT_NEAR(test->p_slower + test->p_faster, 1, 1e-12);
  EXPECT_LT(test->low, 1 + test->effect);
  EXPECT_GT(test->high, 1 + test->effect);
  EXPECT_NEAR(minimal_detectable(test->sd, 10, 0.01), 0.02462214391533779, 1e-9);
}

TEST(NightTest, NeedsEightNightsBeforeItsWindowAndTakesThirtyAtMost) {
  EXPECT_FALSE(night_test(std::vector<double>(8, 0.0), 1, {}));
  EXPECT_TRUE(night_test(std::vector<double>(9, 0.0), 1, {}));
  EXPECT_FALSE(night_test(std::vector<double>(10, 0.0), 3, {}));
  EXPECT_EQ(night_test(std::vector<double>(100, 0.0), 3, {})->history, 30);
}

TEST(NightTest, NightsThatAreAllTheSameHaveALeastDeviation) {
  std::vector<double> nights(10, 0.0);
  nights.push_back(0.002);
  const auto test = night_test(nights, 1, {});
  EXPECT_EQ(test->sd, 0.003);
  EXPECT_GT(test->p_slower, 0.1);
}

TEST(Holm, StepsDown) {
  EXPECT_EQ(holm({0.01, 0.04, 0.03, 0.005}, 0.05), (std::vector<bool>{true, false, false, true}));
  EXPECT_EQ(holm({0.02, 0.02}, 0.025), (std::vector<bool>{false, false}));
  EXPECT_EQ(holm({0.012, 0.02}, 0.025), (std::vector<bool>{true, true}));
  EXPECT_TRUE(holm({}, 0.05).empty());
}

TEST(MannWhitney, IsExact) {
  // The smallest p of 3 against 3 is 1/20.
  EXPECT_NEAR(mann_whitney_slower({4, 5, 6}, {1, 2, 3}), 0.05, 1e-12);
  EXPECT_NEAR(mann_whitney_slower({1, 2, 3}, {4, 5, 6}), 1, 1e-12);
}

TEST(Gate, QuietNightsPass) {
  NightMaker maker(1, {.runs = 0.01});
  const GateAnswer answer = gate(maker.series(20));
  EXPECT_EQ(answer.verdict, Verdict::pass) << answer.why;
  EXPECT_EQ(answer.nights, 20);
  EXPECT_GT(answer.curve_detectable, 0);
  EXPECT_LT(answer.curve_detectable, 0.05);
  EXPECT_EQ(answer.points.size(), 16u);
  EXPECT_EQ(answer.curves.size(), 2u);
}

TEST(Gate, OneBadNightIsSuspectAndASecondProvesIt) {
  NightMaker maker(2, {.runs = 0.01});
  std::vector<GateSeries> series = maker.series(20);
  maker.add_night(series, [](int) { return 1.10; });
  EXPECT_EQ(gate(series).verdict, Verdict::suspect);
  maker.add_night(series, [](int) { return 1.10; });
  const GateAnswer second = gate(series);
  EXPECT_EQ(second.verdict, Verdict::regressed) << second.why;
  for (const GateFinding& curve : second.curves) {
    EXPECT_TRUE(curve.slower && curve.slower_before);
    EXPECT_NEAR(curve.decisive()->effect, 0.1, 0.05);
  }
}

TEST(Gate, BuildsInTurnsDecideTheSameNight) {
  NightMaker maker(3, {.runs = 0.01});
  std::vector<GateSeries> series = maker.series(20);
  maker.add_night(series, [](int i) { return i == 5 ? 1.10 : 1.0; });
  const GateAnswer alone = gate(series);
  ASSERT_EQ(alone.verdict, Verdict::suspect) << alone.why;
  EXPECT_TRUE(alone.points[5].slower);
  const GateAnswer slower = gate(series, {}, maker.turns(series, [](int) { return 1.10; }));
  EXPECT_EQ(slower.verdict, Verdict::regressed) << slower.why;
  EXPECT_NEAR(slower.confirmed.at(0).ratio, 1.1, 0.02);
  const GateAnswer same = gate(series, {}, maker.turns(series, [](int) { return 1.0; }));
  EXPECT_EQ(same.verdict, Verdict::suspect) << same.why;
}

TEST(Gate, FasterTwiceIsAnImprovement) {
  NightMaker maker(4, {.runs = 0.01});
  std::vector<GateSeries> series = maker.series(20);
  maker.add_night(series, [](int) { return 0.9; });
  EXPECT_EQ(gate(series).verdict, Verdict::pass);
  EXPECT_TRUE(gate(series).curves[0].faster);
  maker.add_night(series, [](int) { return 0.9; });
  EXPECT_EQ(gate(series).verdict, Verdict::improved);
}

TEST(Gate, NightsThatDifferTooMuchAreInconclusiveNotFine) {
  NightMaker maker(9, {.runs = 0.02, .common = 0.05, .point = 0.02});
  const GateAnswer answer = gate(maker.series(20));
  EXPECT_EQ(answer.verdict, Verdict::inconclusive);
  EXPECT_NE(answer.why.find("would not be seen"), std::string::npos) << answer.why;
}

TEST(Gate, TooFewNightsAreNoBaselineAndAFailedPointIsFailed) {
  NightMaker maker(6, {.runs = 0.01});
  const GateAnswer young = gate(maker.series(5));
  EXPECT_EQ(young.verdict, Verdict::no_baseline);
  EXPECT_EQ(young.why, "5 nights before this one; 8 are needed");
  std::vector<GateSeries> series = maker.series(20);
  series[3].failed = true;
  series[3].log_medians.back().reset();
  const GateAnswer failed = gate(series);
  EXPECT_EQ(failed.verdict, Verdict::failed);
  EXPECT_NE(failed.why.find(series[3].key), std::string::npos);
  EXPECT_EQ(gate(std::vector<GateSeries>{}).verdict, Verdict::failed);
}

TEST(Gate, MissingNightsLeaveGapsNotZeroes) {
  NightMaker maker(7, {.runs = 0.01});
  std::vector<GateSeries> series = maker.series(20);
  for (std::size_t night = 2; night < 8; ++night) series[0].log_medians[night].reset();
  const GateAnswer answer = gate(series);
  EXPECT_EQ(answer.verdict, Verdict::pass) << answer.why;
  EXPECT_EQ(answer.points[0].tests.front().history, 14);
  EXPECT_EQ(answer.points[1].tests.front().history, 20);
  EXPECT_EQ(answer.curves[0].tests.front().history, 14);
}

TEST(ChangePoints, AgreeWithTheReference) {
  const std::vector<double> values = {100, 101, 99,  100, 102, 98,  100,
                                      101, 106, 105, 107, 106, 104, 106};
  const Split split = best_split(values, 0, values.size(), 2);
  EXPECT_EQ(split.tau, 8u);
  EXPECT_EQ(split.kappa, 14u);
  EXPECT_NEAR(split.q, 28.865306122448978, 1e-9);
  const auto found = change_points(logs(values));
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].night, 8u);
  EXPECT_NEAR(found[0].ratio, 1.055, 0.005);
  EXPECT_LT(found[0].p, 1e-5);
}

TEST(ChangePoints, SmallStepsShortSeriesAndFlatOnesHaveNone) {
  EXPECT_TRUE(change_points({}).empty());
  EXPECT_TRUE(change_points({0, 0.1, 0}).empty());
  EXPECT_TRUE(change_points(std::vector<double>(40, 0.0)).empty());
  std::vector<double> small(20, 0.0);
  for (std::size_t i = 10; i < 20; ++i) small[i] = 0.02;
  EXPECT_TRUE(change_points(small).empty());
}

TEST(ChangePoints, TwoStepsAreBothDated) {
  std::vector<double> values;
  for (int i = 0; i < 36; ++i) {
    const double level = i < 12 ? 0 : i < 24 ? 0.08 : -0.02;
    values.push_back(level + 0.004 * ((i * 7) % 5 - 2));
  }
  const auto found = change_points(values);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].night, 12u);
  EXPECT_EQ(found[1].night, 24u);
  EXPECT_GT(found[0].ratio, 1);
  EXPECT_LT(found[1].ratio, 1);
}

}  // namespace
}  // namespace kneepoint
