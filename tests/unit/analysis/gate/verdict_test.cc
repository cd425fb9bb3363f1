// SPDX-License-Identifier: Apache-2.0
//
// What decides beside the tests of tonight's times: a step that was dated and is still there, a
// failed run, a study that is not finished, another environment.
#include <gtest/gtest.h>

#include "orchestrator/analysis/gate/history.h"
#include "tests/unit/analysis/nights.h"

namespace kneepoint {
namespace {

// Quiet nights, then `slow` ones that take `factor` times as long.
GateHistory stepped(int quiet, int slow, double factor, NightNoise noise = {.runs = 0.01}) {
  NightMaker maker(11, noise);
  GateHistory history;
  history.series = maker.series(quiet - 1);
  for (int i = 0; i < slow; ++i) {
    maker.add_night(history.series, [&](int) { return factor; });
  }
  for (int i = 1; i <= quiet + slow; ++i) history.nights.push_back("s-" + std::to_string(i));
  return history;
}

TEST(Verdict, AStepThatIsStillThereStaysRegressedWhenItsNightsAreHistory) {
  const GateAnswer answer = gate(stepped(15, 25, 1.08));
  EXPECT_EQ(answer.verdict, Verdict::regressed) << answer.why;
  EXPECT_EQ(answer.why, "slower since s-16, and still so");
  for (const GateFinding& curve : answer.curves) {
    EXPECT_TRUE(curve.slower);
    EXPECT_FALSE(curve.tests.front().slower) << "the nights before are as slow";
  }
}

TEST(Verdict, AStepSmallerThanThePointsEffectHoldsNothing) {
  const GateHistory history = stepped(15, 25, 1.08);
  GateOptions options;
  options.min_effect = 0.10;
  const GateAnswer answer = gate(history, options);
  EXPECT_EQ(answer.verdict, Verdict::inconclusive) << "nights of both levels differ much";
  EXPECT_FALSE(answer.curves.front().slower);
  EXPECT_EQ(gate(stepped(15, 25, 0.92)).verdict, Verdict::inconclusive) << "a step down";
}

TEST(Verdict, AStepEndsWhenTheLevelIsBack) {
  NightMaker maker(12, {.runs = 0.01});
  GateHistory history;
  history.series = maker.series(14);
  for (int i = 0; i < 20; ++i) maker.add_night(history.series, [](int) { return 1.08; });
  for (int i = 0; i < 31; ++i) maker.add_night(history.series, [](int) { return 1.0; });
  for (int i = 1; i <= 66; ++i) history.nights.push_back("s-" + std::to_string(i));
  EXPECT_EQ(gate(history).verdict, Verdict::pass) << gate(history).why;
}

TEST(Verdict, AStepOutweighsNightsThatCannotShowWhatMatters) {
  const GateHistory history = stepped(30, 30, 1.5, {.runs = 0.02, .common = 0.05, .point = 0.02});
  GateOptions options;
  options.min_effect = 9;
  ASSERT_EQ(gate(history, options).verdict, Verdict::inconclusive);
  EXPECT_EQ(gate(history).verdict, Verdict::regressed) << gate(history).why;
}

TEST(Verdict, BuildsInTurnsThatShowNothingDoNotEndADatedStep) {
  NightMaker maker(13, {.runs = 0.01});
  const GateHistory history = stepped(15, 25, 1.08);
  const auto turns = maker.turns(history.series, [](int) { return 1.0; });
  EXPECT_EQ(gate(history, {}, turns).verdict, Verdict::regressed);
}

TEST(Verdict, AFailedRunOutweighsAStepAndMarksNoCurve) {
  GateHistory history = stepped(15, 25, 1.08);
  history.series[3].failed = true;
  history.state = "running";
  history.changed = "cpu.model=A before, cpu.model=B tonight";
  const GateAnswer answer = gate(history);
  EXPECT_EQ(answer.verdict, Verdict::failed);
  EXPECT_EQ(answer.why, "a run failed at " + history.series[3].key);
  EXPECT_FALSE(answer.curves.front().slower);
}

TEST(Verdict, AStudyThatIsNotFinishedIsInconclusive) {
  GateHistory history = stepped(15, 25, 1.08);
  history.state = "interrupted";
  history.runs = 12;
  history.runs_to_go = 3;
  history.changed = "cpu.model=A before, cpu.model=B tonight";
  const GateAnswer answer = gate(history);
  EXPECT_EQ(answer.verdict, Verdict::inconclusive);
  EXPECT_EQ(answer.why, "the study is interrupted: 3 of 12 runs to go");
}

TEST(Verdict, AnotherEnvironmentOutweighsWhatTheTimesSay) {
  GateHistory history = stepped(20, 2, 1.2);
  ASSERT_EQ(gate(history).verdict, Verdict::regressed);
  history.changed = "cpu.model=A before, cpu.model=B tonight";
  const GateAnswer answer = gate(history);
  EXPECT_EQ(answer.verdict, Verdict::env_change);
  EXPECT_EQ(answer.why,
            "the environment differs from the night before, so a new segment begins: cpu.model=A "
            "before, cpu.model=B tonight");
}

TEST(Verdict, SeriesAloneAreJudgedByTheSameRule) {
  const GateHistory history = stepped(15, 25, 1.08);
  const GateAnswer alone = gate(history.series);
  EXPECT_EQ(alone.verdict, gate(history).verdict);
  EXPECT_EQ(alone.why, "slower since night 16, and still so");
}

}  // namespace
}  // namespace kneepoint
