// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/answers/study/predict.h"

#include <gtest/gtest.h>

#include <cmath>
#include <sstream>

#include "orchestrator/report/terminal/answers.h"
#include "orchestrator/report/text.h"

namespace kneepoint {
namespace {

// Strong runs of 100 s on one worker by s + (1-s)/K + c·log2 K, three at each K, within 1%.
StudyEvidence evidence(const std::vector<int>& ks, double s, double c, Mode mode = Mode::strong) {
  StudyEvidence out;
  out.id = "x-00000000-1";
  out.seed = 1;
  int number = 0;
  for (const int k : ks) {
    PointEvidence& at = out.points.emplace_back();
    at.point.build = "default";
    at.point.case_name = "solver";
    at.point.mode = mode;
    at.point.k = k;
    at.point.shape = {.nodes = k, .ranks = k, .ranks_per_node = 1};
    const double weak = s + (1 - s) + c * std::log2(k), strong = s + (1 - s) / k + c * std::log2(k);
    for (const double noise : {0.99, 1.0, 1.01}) {
      RunEvidence run;
      run.number = ++number;
      run.repeat = static_cast<int>(at.runs.size());
      run.finished = true;
      run.state = AttemptState::succeeded;
      run.seconds = 100 * noise * (mode == Mode::weak ? weak : strong);
      at.runs.push_back(run);
    }
  }
  return out;
}

const std::vector<int> kDoubling = {1, 2, 4, 8, 16, 32, 64};

void expect_in_study(const std::string& text, const std::string& part) {
  EXPECT_NE(text.find(part), std::string::npos) << part << " is not in\n" << text;
}

TEST(PredictStudy, FindsTheLawBehindTheRunsAndSaysThatItExtrapolates) {
  const auto answer = predict_study(evidence(kDoubling, 0.05, 0.01), {.to = {48, 64, 256}});
  ASSERT_TRUE(answer);
  const CurvePrediction& curve = answer->curves.at(0);
  ASSERT_EQ(curve.points.size(), 3U);
  const PredictedK& far = curve.points[2];
  const double truth = 100 * (0.05 + 0.95 / 256 + 0.08);
  EXPECT_NEAR(far.seconds.value / truth, 1, 0.02);
  EXPECT_LT(far.seconds.low, truth);
  EXPECT_GT(far.seconds.high, truth);
  EXPECT_NEAR(far.speedup.value, 100 / far.seconds.value, 0.01);
  EXPECT_DOUBLE_EQ(far.efficiency.low, far.speedup.low / 256);
  EXPECT_LT(far.speedup.low, far.speedup.value);
  EXPECT_TRUE(far.extrapolated);
  EXPECT_FALSE(far.measured);
  EXPECT_FALSE(curve.points[0].extrapolated);
  EXPECT_FALSE(curve.points[0].measured);
  ASSERT_TRUE(curve.points[1].measured);
  EXPECT_NEAR(*curve.points[1].measured, 12.484, 0.001);
  ASSERT_FALSE(curve.models.empty());
  EXPECT_TRUE(curve.models.front().fastest_k);
  const std::string text = to_text(*answer, 1000);
  expect_in_study(text, "extrapolation to 4 times the largest K measured (64)");
  expect_in_study(text, "extrapolated\n");
  expect_in_study(text, "between\n");
  expect_in_study(text, "FASTEST K");
}

TEST(PredictStudy, PredictsTwiceAndFourTimesUnlessAsked) {
  const auto answer = predict_study(evidence(kDoubling, 0.05, 0.01), {});
  ASSERT_TRUE(answer);
  ASSERT_EQ(answer->curves[0].points.size(), 2U);
  EXPECT_EQ(answer->curves[0].points[0].k, 128);
  EXPECT_EQ(answer->curves[0].points[1].k, 256);
}

TEST(PredictStudy, StopsAtFourTimesUnlessAskedForMoreAndAtTenAlways) {
  const StudyEvidence runs = evidence(kDoubling, 0.05, 0.01);
  const auto refused = predict_study(runs, {.to = {257, 640}});
  ASSERT_TRUE(refused);
  EXPECT_TRUE(refused->curves[0].points.empty());
  ASSERT_EQ(refused->curves[0].refused.size(), 2U);
  expect_in_study(refusals_of(refused->curves[0])[0], "(--beyond)");
  expect_in_study(to_text(*refused, 1000), "refused: K=257 is more than 4 times");
  const auto beyond = predict_study(runs, {.to = {640, 641}, .beyond = true});
  ASSERT_TRUE(beyond);
  ASSERT_EQ(beyond->curves[0].points.size(), 1U);
  EXPECT_EQ(beyond->curves[0].points[0].k, 640);
  expect_in_study(refusals_of(beyond->curves[0]).at(0), "K=641 is more than 10 times");
}

TEST(PredictStudy, WeakSpeedupCountsResults) {
  const auto answer =
      predict_study(evidence(kDoubling, 0.05, 0.01, Mode::weak), {.to = {128}, .beyond = false});
  ASSERT_TRUE(answer);
  const PredictedK& at = answer->curves[0].points.at(0);
  EXPECT_NEAR(at.efficiency.value, 1 / 1.07, 0.01);
  EXPECT_NEAR(at.speedup.value, 128 * at.efficiency.value, 1e-9);
  expect_in_study(to_text(*answer, 1000), "a problem that grows with K would take 107 s");
}

TEST(PredictStudy, LeavesOutRunsThatDoNotCount) {
  StudyEvidence with_failures = evidence(kDoubling, 0.05, 0.01);
  with_failures.points[3].runs[0].state = AttemptState::failed;
  with_failures.points[3].runs[0].seconds = 1e9;
  const auto answer = predict_study(with_failures, {.to = {128}});
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->curves[0].runs, 20);
  EXPECT_LT(answer->curves[0].points.at(0).seconds.high, 20);
}

TEST(PredictStudy, DoesNotAverageOverTwoProvenances) {
  StudyEvidence mixed = evidence(kDoubling, 0.05, 0.01);
  mixed.points[6].runs[0].provenance = "cpu.model=other";
  const auto answer = predict_study(mixed, {.to = {128}});
  ASSERT_TRUE(answer);
  EXPECT_TRUE(answer->curves[0].points.empty());
  expect_in_study(refusals_of(answer->curves[0]).at(0), "differ in provenance");
}

TEST(PredictStudy, TooFewKSayWhichToAdd) {
  const auto answer = predict_study(evidence({1, 2}, 0.05, 0.01), {.to = {4}});
  ASSERT_TRUE(answer);
  EXPECT_TRUE(answer->curves[0].points.empty());
  expect_in_study(refusals_of(answer->curves[0]).at(0), "measuring K=");
}

TEST(PredictStudy, AModelThatMissesTheRunsPredictsNothing) {
  StudyEvidence equal = evidence({1, 2, 4, 8}, 0, 0);
  for (PointEvidence& at : equal.points) {
    at.runs.resize(1);
    at.runs[0].seconds = 10;
  }
  const auto answer = predict_study(equal, {.to = {16}});
  ASSERT_TRUE(answer);
  EXPECT_TRUE(answer->curves[0].points.empty());
  expect_in_study(refusals_of(answer->curves[0]).at(0), "misses them by");
}

TEST(PredictStudy, SaysWhenTheBestModelDoesNotFit) {
  StudyEvidence odd = evidence(kDoubling, 0.05, 0.01);
  for (RunEvidence& run : odd.points[3].runs) run.seconds *= 1.3;
  const auto answer = predict_study(odd, {.to = {6, 128}});
  ASSERT_TRUE(answer);
  ASSERT_EQ(answer->curves[0].points.size(), 1U) << "only between the K measured";
  ASSERT_EQ(warnings_of(answer->curves[0]).size(), 1U);
  const std::string text = to_text(*answer, 1000);
  expect_in_study(text, "warning: the best model");
  expect_in_study(text, "refused: K=128 is outside the K measured, and no model is adequate");
  EXPECT_EQ(text.find("fastest K is"), std::string::npos) << text;
}

TEST(PredictStudy, NamesTheCurvesWhenThereIsNoSuchOne) {
  const auto answer =
      predict_study(evidence(kDoubling, 0.05, 0.01), {.to = {128}, .case_name = "other"});
  ASSERT_FALSE(answer);
  expect_in_study(answer.error().message, "it has: solver strong");
}

TEST(PredictStudy, TheTextKeepsItsWidthAndTheJsonHasEveryNumber) {
  StudyEvidence runs = evidence(kDoubling, 0.05, 0.01);
  runs.caveats = {{"speedup_only", "The table holds speedups only."}};
  const auto answer = predict_study(runs, {.to = {128, 256}});
  ASSERT_TRUE(answer);
  std::istringstream lines(to_text(*answer, 100));
  for (std::string line; std::getline(lines, line);) EXPECT_LE(display_width(line), 100) << line;
  expect_in_study(to_text(*answer, 100), "T (relative)");
  const std::string json = to_json(*answer);
  expect_in_study(json, R"("time_unit":"baseline")");
  for (const char* key : {"\"speedup\":{\"value\"", "\"efficiency\":{\"value\"", "\"extrapolated\"",
                          "\"measured\":null", "\"models\":[", "\"fastest_k\"", "\"refused\":[]"}) {
    expect_in_study(json, key);
  }
}

}  // namespace
}  // namespace kneepoint
