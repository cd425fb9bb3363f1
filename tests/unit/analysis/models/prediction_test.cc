// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/analysis/models/prediction.h"

#include <gtest/gtest.h>

#include "tests/unit/analysis/model_data.h"

namespace kneepoint {
namespace {

PredictionsAnswer predict(const Times& times, const std::vector<int>& ks,
                          const PredictionOptions& options = {}) {
  return predict_times(times, fit_models(Mode::strong, times), ks, options);
}

TEST(Prediction, ExactDataPredictsExactly) {
  const Coefficients truth = amdahl_log(0.05, 0.01);
  const PredictionsAnswer answer = predict(exact_times(truth, kPowersTo128), {64, 512});
  ASSERT_EQ(answer.predictions.size(), 2u);
  EXPECT_FALSE(answer.predictions[0].extrapolated);
  const Prediction& far = answer.predictions[1];
  EXPECT_TRUE(far.extrapolated);
  EXPECT_NEAR(far.seconds, truth.at(512), 1e-12);
  EXPECT_NEAR(far.low, truth.at(512), 1e-9);
  EXPECT_NEAR(far.high, truth.at(512), 1e-9);
  EXPECT_LE(far.low, far.seconds);  // whatever rounding does
  EXPECT_GE(far.high, far.seconds);
  EXPECT_EQ(far.note, "");
}

TEST(Prediction, StopsAtFourTimesTheLargestKAndNeverGoesBeyondTen) {
  const Times times = exact_times(amdahl_log(0.05, 0.01), kPowersTo128);
  const PredictionsAnswer plain = predict(times, {512, 513, 1281, 0});
  EXPECT_EQ(plain.predictions.size(), 1u);
  ASSERT_EQ(plain.refused.size(), 3u);
  EXPECT_EQ(plain.refused[0].why,
            "K=513 is more than 4 times the largest K measured (128): predicted only when asked "
            "for explicitly");
  EXPECT_EQ(plain.refused[1].why,
            "K=1281 is more than 10 times the largest K measured (128): no prediction");
  EXPECT_EQ(plain.refused[2].why, "K=0 is not a number of workers");
  const PredictionsAnswer asked = predict(times, {1280, 1281}, {.beyond_cap = true});
  EXPECT_EQ(asked.predictions.size(), 1u);
  EXPECT_EQ(asked.refused.size(), 1u);
}

TEST(Prediction, IsTheUnionOverPlausibleModelsAndNamesThemWhereTheyDiffer) {
  Random random(11);
  const Times times = noisy_times(amdahl_log(0.05, 0.01), powers_to(16), 5, 0.02, random);
  const ModelsAnswer models = fit_models(Mode::strong, times);
  const Prediction p = predict_times(times, models, {64}).predictions.at(0);
  ASSERT_GE(p.models.size(), 2u);
  for (const ModelPrediction& m : p.models) {
    EXPECT_LE(m.delta, kPlausible);
    EXPECT_LE(p.low, m.low);
    EXPECT_GE(p.high, m.high);
    EXPECT_LT(m.low, m.seconds);
    EXPECT_GT(m.high, m.seconds);
    EXPECT_NE(p.note.find(m.model), std::string::npos) << p.note;
  }
  EXPECT_EQ(p.seconds, models.fits.front().coefficients.at(64));
}

TEST(Prediction, IsTheSameWithAnyNumberOfThreads) {
  const Times times = reference_curve("A_noise2_pow2_128");
  const auto at = [&](int threads) {
    return predict(times, {96}, {.bootstrap = {.seed = 9, .threads = threads}}).predictions[0];
  };
  EXPECT_EQ(at(1).low, at(3).low);
  EXPECT_EQ(at(1).high, at(3).high);
}

TEST(Prediction, WithoutAModelThereIsNone) {
  const PredictionsAnswer answer = predict({{1, {1.0}}, {2, {0.6}}}, {4});
  EXPECT_TRUE(answer.predictions.empty());
  EXPECT_EQ(answer.refused.at(0).why, "no model could be fitted: no prediction");
}

TEST(Prediction, ARejectedModelPredictsOnlyBetweenTheKMeasured) {
  const Times times = exact_times(amdahl_log(0.05, 0.01), kPowersTo128, 3);
  ModelsAnswer models = fit_models(Mode::strong, times);
  models.fits.front().lack_of_fit = LackOfFit{.p = 1e-4};
  const PredictionsAnswer answer =
      predict_times(times, models, {48, 256}, {.bootstrap = {.replicates = 20}});
  ASSERT_EQ(answer.predictions.size(), 1u);
  EXPECT_EQ(answer.predictions.front().k, 48);
  ASSERT_EQ(answer.refused.size(), 1u);
  EXPECT_EQ(answer.refused.front().why,
            "K=256 is outside the K measured, and no model is adequate: no prediction");
}

}  // namespace
}  // namespace kneepoint
