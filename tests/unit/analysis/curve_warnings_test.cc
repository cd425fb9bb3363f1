// SPDX-License-Identifier: Apache-2.0
//
// Each doubt is raised by a curve that has it, and by none that has not.
#include "orchestrator/analysis/parts.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/unit/analysis/evidence_builder.h"
#include "tests/unit/analysis/model_data.h"

namespace kneepoint {
namespace {

// The messages of one code.
std::vector<std::string> said(const EvidenceBuilder& b, const std::string& code,
                              const AnalysisOptions& options = {}) {
  std::vector<std::string> messages;
  for (const CurveAnalysis& curve : analyse(b.study, options).curves) {
    for (const Warning& w : curve.warnings) {
      if (to_string(w.code) == std::string(code)) messages.push_back(w.message);
    }
  }
  return messages;
}

EvidenceBuilder noisy(const Coefficients& truth, const std::vector<int>& ks, int repeats = 5) {
  Random random(11);
  EvidenceBuilder b;
  for (const TimesAtK& at : noisy_times(truth, ks, repeats, 0.01, random)) {
    b.add(Mode::strong, at.k, at.seconds);
  }
  return b;
}

AnalysisOptions few() {
  AnalysisOptions options;
  options.bootstrap.replicates = 100;
  return options;
}

TEST(CurveWarnings, ACleanCurveHasNone) {
  EvidenceBuilder b;
  for (const int k : powers_to(128)) {
    std::vector<double> times;
    for (const double f : {0.98, 0.99, 1.0, 1.0, 1.01, 1.02}) {
      times.push_back(f * amdahl_log(0.05, 0).at(k));
    }
    b.add(Mode::strong, k, times);
  }
  const StudyAnalysis a = analyse(b.study, few());
  for (const Warning& w : a.curves.at(0).warnings) {
    EXPECT_TRUE(to_string(w.code) == std::string("models_differ") ||
                to_string(w.code) == std::string("knees_disagree"))
        << to_string(w.code) << w.message;
  }
}

TEST(CurveWarnings, FewPointsSayWhichKToAdd) {
  const auto messages = said(noisy(amdahl_log(0.05, 0), {1, 2, 4}), "few_points", few());
  ASSERT_EQ(messages.size(), 1u);
  EXPECT_NE(messages[0].find("amdahl needs 4 different K and there are 3: add K=8"),
            std::string::npos);
  EXPECT_NE(messages[0].find("full needs 6 different K"), std::string::npos);
}

TEST(CurveWarnings, OutliersAreNamedByRun) {
  EvidenceBuilder b;
  b.add(Mode::strong, 1, {1.00, 1.01, 1.02, 1.03, 9.0});
  b.add(Mode::strong, 2, {0.50, 0.51, 0.52, 0.53, 0.54});
  const auto messages = said(b, "outliers", few());
  ASSERT_EQ(messages.size(), 1u);
  EXPECT_EQ(messages[0], "K=1: r5 (9 s) is far from the median of 1.02 s; flagged and kept");
}

TEST(CurveWarnings, WorkThatIsNotConstantIsSaid) {
  EvidenceBuilder b;
  for (const int k : {1, 2}) {
    for (RunEvidence& run : b.add(Mode::strong, k, {1.0 / k, 1.0 / k}).runs) {
      run.work_total = 1000 * k;
    }
  }
  EXPECT_EQ(said(b, "work_not_constant", few()).size(), 1u);
}

TEST(CurveWarnings, LackOfFitIsSaidAndNothingIsExtrapolated) {
  EvidenceBuilder b;
  Random random(4);
  for (const int k : powers_to(64)) {
    std::vector<double> times;
    const double step = k >= 16 ? 1.6 : 1;  // another machine from here on
    for (int i = 0; i < 8; ++i) times.push_back(step / k * std::exp(0.005 * random.normal()));
    b.add(Mode::strong, k, times);
  }
  EXPECT_EQ(said(b, "lack_of_fit", few()).size(), 1u);
  EXPECT_EQ(said(b, "extrapolation_refused", few()).size(), 2u) << "2 and 4 times the largest K";
  const CurveAnalysis curve = analyse(b.study, few()).curves.at(0);
  EXPECT_TRUE(curve.predictions.predictions.empty());
  EXPECT_EQ(curve.band.back().k, 64) << "the band ends with the K measured";
  for (const Knee& knee : curve.knees.knees) EXPECT_FALSE(knee.extrapolated);
}

TEST(CurveWarnings, SoManyRunsThatReplicatesAreSavedAreSaid) {
  EvidenceBuilder b;
  b.add(Mode::strong, 1, std::vector<double>(11000, 1.0));
  b.add(Mode::strong, 2, std::vector<double>(11000, 0.6));
  const auto messages = said(b, "fewer_replicates");
  ASSERT_EQ(messages.size(), 1u);
  EXPECT_NE(messages[0].find("909 instead of 2000"), std::string::npos) << messages[0];
  EXPECT_TRUE(said(b, "fewer_replicates", few()).empty());
}

TEST(CurveWarnings, KneesThatDisagreeAreSaid) {
  const EvidenceBuilder b = noisy(amdahl_log(0.01, 0.0), powers_to(512));
  EXPECT_EQ(said(b, "knees_disagree", few()).size(), 1u);
}

TEST(CurveWarnings, ASawtoothIsSaid) {
  EvidenceBuilder b;
  Random random(9);
  for (int k = 1; k <= 16; ++k) {
    const double penalty = (k & (k - 1)) == 0 ? 1 : 1.6;
    std::vector<double> times;
    for (int i = 0; i < 5; ++i) times.push_back(penalty / k * std::exp(0.005 * random.normal()));
    b.add(Mode::strong, k, times);
  }
  EXPECT_EQ(said(b, "sawtooth", few()).size(), 1u);
}

TEST(CurveWarnings, MoreWorkersThanTheDecompositionHasAreSaid) {
  EvidenceBuilder b;
  b.add(Mode::strong, 1, {1});
  b.add(Mode::strong, 8, {0.2}).point.parallelism = 4;
  EXPECT_EQ(said(b, "beyond_parallelism", few()).size(), 1u);
}

}  // namespace
}  // namespace kneepoint
