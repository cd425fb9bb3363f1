// SPDX-License-Identifier: Apache-2.0
//
// One fit, and the whole analysis of a large curve with 2000 replicates, against stated limits.
#include <gtest/gtest.h>

#include <cstdio>
#include <ctime>

#include "orchestrator/analysis/knee/knees.h"
#include "orchestrator/analysis/models/prediction.h"
#include "tests/unit/analysis/model_data.h"

namespace kneepoint::bench {
namespace {

constexpr double kMostFitMicroseconds = 100;
constexpr double kMostAnalysisSeconds = 1;

// Of this process: other load on the machine doesn't count.
double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

std::vector<int> forty_ks() {
  std::vector<int> ks;
  for (int k = 1; k <= 20; ++k) ks.push_back(k);
  for (int k = 24; k <= 176; k += 8) ks.push_back(k);
  return ks;
}

TEST(AnalysisBench, OneFitTakesLessThan100Microseconds) {
  Random random(1);
  const Times times = noisy_times(amdahl_log(0.05, 0.01), kPowersTo128, 5, 0.02, random);
  const std::vector<SumsAtK> sums = sums_of(times);
  Fitter fitter;
  for (const ModelForm& form : model_forms(Mode::strong)) {
    constexpr int kFits = 2000;
    double sum = 0;
    const double start = cpu_seconds();
    for (int i = 0; i < kFits; ++i) sum += fitter.fit(sums, form.terms).inverse_k;
    const double microseconds = (cpu_seconds() - start) / kFits * 1e6;
    std::printf("bench: one fit of %s, 8 K: %.1f us\n", form.name, microseconds);
    EXPECT_GT(sum, 0);
    EXPECT_LT(microseconds, kMostFitMicroseconds);
  }
}

TEST(AnalysisBench, FortyPointsOfTwentyRepeatsWith2000ReplicatesTakeLessThanASecond) {
  Random random(2);
  const std::vector<int> ks = forty_ks();
  ASSERT_EQ(ks.size(), 40u);
  const Times times = noisy_times(amdahl_log(0.05, 0.01), ks, 20, 0.02, random);
  const double start = cpu_seconds();
  const ModelsAnswer models = fit_models(Mode::strong, times);
  const double fitted = cpu_seconds();
  const KneesAnswer knees = find_knees(Mode::strong, times);
  const double found = cpu_seconds();
  const PredictionsAnswer predictions = predict_times(times, models, {256, 512, 704});
  const double end = cpu_seconds();
  std::printf(
      "bench: 40 K x 20 runs, 2000 replicates: models %.3f s, knees %.3f s, predictions "
      "%.3f s, all %.3f s\n",
      fitted - start, found - fitted, end - found, end - start);
  EXPECT_EQ(models.fits.size(), 5u);
  EXPECT_EQ(predictions.predictions.size(), 3u);
  EXPECT_FALSE(knees.knees.empty());
  EXPECT_LT(end - start, kMostAnalysisSeconds);
}

}  // namespace
}  // namespace kneepoint::bench
