// SPDX-License-Identifier: Apache-2.0
//
// The what-ifs without a study: training, utilisation, isoefficiency, and the values of flags.
#include <gtest/gtest.h>

#include "orchestrator/answers/study/predict.h"
#include "orchestrator/base/json_put.h"
#include "orchestrator/cli/shell/flags.h"
#include "orchestrator/report/terminal/answers.h"

namespace kneepoint::cli {
namespace {

void expect_in_forms(const std::string& text, const std::string& part) {
  EXPECT_NE(text.find(part), std::string::npos) << part << " is not in\n" << text;
}

TEST(PredictUtilisation, FiftySaggingToThirtyIsToldAsWhatItIs) {
  const auto points = predict_utilisation({{256, 0.5}, {2048, 0.3}});
  ASSERT_TRUE(points);
  EXPECT_DOUBLE_EQ(points->points[1].kept, 0.6);
  EXPECT_DOUBLE_EQ(points->points[1].speedup, 4.8);
  EXPECT_DOUBLE_EQ(points->points[1].cost, 1 / 0.6);
  expect_in_forms(
      to_text(*points, 1000),
      "50% of peak on 256 GPUs, 30% on 2048: each GPU does 0.6 of what it did. 8 times the "
      "GPUs bring 4.8 times the work, and a result costs 1.67 times the GPU time.");
  expect_in_forms(json_text(*points), R"("k":2048,"utilisation":0.3,"kept":0.6)");
}

TEST(PredictUtilisation, ComesFromTokensParametersAndPeak) {
  // 6 · 7e9 · 1.5e6 = 6.3e16 flops each second, of 256 · 312e12.
  const auto points = predict_utilisation({{256, 1.5e6}}, 7e9, 312e12);
  ASSERT_TRUE(points);
  EXPECT_NEAR(points->points[0].utilisation, 6.3e16 / (256 * 312e12), 1e-12);
  expect_in_forms(to_text(*points, 100), "One K says nothing of scaling");
  const auto wrong = predict_utilisation({{8, 1.5e6}}, 7e9, 312e12);
  ASSERT_FALSE(wrong);
  expect_in_forms(wrong.error().message, "K=8: the utilisation would be");
}

TEST(PredictTraining, SplitsTheModelBeyondTheCriticalBatch) {
  TrainingRequest request{.critical_batch = 4e6, .micro = 4, .sequence = 4096};
  request.gpus = {128, 1024};
  request.comm_ratio = 0.25;
  const auto answer = predict_training(request);
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->cap.replicas, 244);
  const TrainingPoint& small = answer->points[0];
  EXPECT_EQ(small.plan.model_ways, 1);
  EXPECT_NEAR(*small.efficiency, 1 / (1 + 128 * 16384 / 4e6), 1e-12);
  const TrainingPoint& large = answer->points[1];
  EXPECT_EQ(large.plan.model_ways, 5);
  EXPECT_EQ(large.plan.replicas, 204);
  EXPECT_EQ(large.plan.idle, 4);
  EXPECT_NEAR(*large.efficiency, 0.8 / (1 + 204 * 16384 / 4e6) * 1020 / 1024, 1e-12);
  EXPECT_NEAR(large.all_replicas.efficiency, 1 / (1 + 1024 * 16384 / 4e6), 1e-12);
  const std::string text = to_text(*answer, 1000);
  expect_in_forms(
      text,
      "One replica takes 4 x 1 x 4096 = 16384 at a step, so a critical batch of 4000000 "
      "allows 244 replicas.");
  expect_in_forms(text, "the model must be split 5 ways over 204 replicas, with 4 GPUs idle");
  expect_in_forms(text, "splitting keeps 80%");
}

TEST(PredictTraining, DoesNotInventTheCostOfSplitting) {
  TrainingRequest request{.critical_batch = 1000, .micro = 10};
  request.gpus = {50, 200};
  const auto answer = predict_training(request);
  ASSERT_TRUE(answer);
  EXPECT_TRUE(answer->points[0].efficiency);
  EXPECT_FALSE(answer->points[1].efficiency);
  expect_in_forms(to_text(*answer, 1000), "say --comm-ratio");
  expect_in_forms(json_text(*answer), R"("comm_ratio":null)");
}

TEST(PredictIso, TellsThreeFormsAndWhereNoWorkSuffices) {
  const auto answer =
      predict_iso(0.8, 64, {{0.01, 0.005, Growth::logarithmic}, {0.001, 0.01, Growth::linear}});
  ASSERT_TRUE(answer);
  const IsoCurve& log = answer->curves[0];
  ASSERT_EQ(log.points.size(), 6U);
  EXPECT_EQ(log.points.back().k, 64);
  // (0.8 · 64 · (0.01 + 0.005 · 6) - 0.01) / 0.2
  EXPECT_NEAR(log.points.back().fixed_serial.work, 10.19, 1e-9);
  EXPECT_EQ(log.points.back().proportional.status, IsoStatus::unattainable);
  EXPECT_EQ(answer->curves[1].points.back().proportional.status, IsoStatus::grows);
  const std::string text = to_text(*answer, 1000);
  expect_in_forms(text,
                  "s=0.01, c=0.005 log2 K: to hold E at 0.8 on K=64 it takes W=10.19 (0.159 on");
  expect_in_forms(text, "no amount of work does from K=32 on");
  expect_in_forms(text, "s=0.001, d=0.01 (K-1)");
  expect_in_forms(json_text(*answer), R"("status":"unattainable","work":null)");
}

TEST(PredictFlags, ReadListsOfWorkersAndOfValues) {
  EXPECT_EQ(worker_list("--to", "64,8").value(), (std::vector<int>{8, 64}));
  EXPECT_FALSE(worker_list("--to", "8,8"));
  EXPECT_FALSE(worker_list("--to", "8,"));
  EXPECT_FALSE(worker_list("--to", "0"));
  const auto at = values_at_workers("--mfu", "2048=0.3,256:50%", true);
  ASSERT_TRUE(at);
  EXPECT_EQ(at->front().k, 256);
  EXPECT_DOUBLE_EQ(at->front().value, 0.5);
  for (const char* text : {"256", "256:", "256:x", "256:-1", "256:nan", "256:1,256:2", ":5"}) {
    EXPECT_FALSE(values_at_workers("--mfu", text, true)) << text;
  }
  EXPECT_FALSE(positive_number("--peak", "inf"));
  EXPECT_FALSE(positive_number("--peak", "50%"));
  EXPECT_DOUBLE_EQ(positive_number("--peak", "312e12").value(), 312e12);
}

}  // namespace
}  // namespace kneepoint::cli
