// SPDX-License-Identifier: Apache-2.0
//
// analyse() as a whole: the figures that must hold, and an answer or a refusal to every odd input.
#include "orchestrator/analysis/study_analysis.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "tests/unit/analysis/evidence_builder.h"
#include "tests/unit/analysis/model_data.h"

namespace kneepoint {
namespace {

constexpr double kNoStudyTime = std::numeric_limits<double>::quiet_NaN();

const Warning* find(const std::vector<Warning>& warnings, const std::string& code) {
  const auto it = std::find_if(warnings.begin(), warnings.end(), [&](const Warning& w) {
    return to_string(w.code) == std::string(code);
  });
  return it == warnings.end() ? nullptr : &*it;
}

std::string message(const std::vector<Warning>& warnings, const std::string& code) {
  const Warning* warning = find(warnings, code);
  return warning == nullptr ? "" : warning->message;
}

template <typename T>
EvidenceBuilder exact(T time, const std::vector<int>& ks, Mode mode = Mode::strong) {
  EvidenceBuilder b;
  for (const int k : ks) b.add(mode, k, {time(k)});
  return b;
}

const PointSummary& at(const StudyAnalysis& a, int k) {
  const auto& points = a.summary.curves.at(0).points;
  return *std::find_if(points.begin(), points.end(),
                       [&](const PointSummary& p) { return p.point.k == k; });
}

TEST(StudyAnalysis, AmdahlWithFivePercentSerialReaches19At512) {
  const auto b =
      exact([](int k) { return 600 * (0.05 + 0.95 / k); }, {1, 2, 4, 8, 16, 32, 64, 128, 256, 512});
  const StudyAnalysis a = analyse(b.study);
  EXPECT_NEAR(at(a, 512).speedup, 19.2844, 5e-5);
  EXPECT_NEAR(at(a, 512).efficiency, 0.0377, 5e-5);
  const ModelFit& best = a.curves.at(0).models.fits.front();
  EXPECT_EQ(best.name, "amdahl");
  EXPECT_NEAR(*best.serial_fraction, 0.05, 1e-12);
  EXPECT_NEAR(*best.ceiling, 20, 1e-9);
  EXPECT_NEAR(*best.ceiling_reached, 0.9642, 5e-5);
  ASSERT_TRUE(a.curves[0].loss);
  EXPECT_EQ(a.curves[0].loss->basis, "model amdahl");
  EXPECT_NEAR(a.curves[0].loss->serial, 1, 1e-12);
}

TEST(StudyAnalysis, SerialPlusLogarithmHasItsSpeedupsKneesAndOptimum) {
  EvidenceBuilder b;
  for (const int k : kPowersTo128) {
    b.add(Mode::strong, k, {0.05 + 0.95 / k + 0.01 * std::log2(k)});
  }
  for (const int k : kPowersTo128) b.add(Mode::weak, k, {1 + 0.01 * std::log2(k)});
  const StudyAnalysis a = analyse(b.study);
  EXPECT_NEAR(at(a, 64).speedup, 8.010, 5e-4);
  EXPECT_NEAR(at(a, 128).speedup, 7.848, 5e-4);
  EXPECT_NEAR(a.summary.curves.at(1).points.back().efficiency, 0.935, 5e-4);

  const CurveAnalysis& strong = a.curves.at(0);
  EXPECT_EQ(strong.models.fits.front().name, "amdahl_log");
  EXPECT_NEAR(*strong.models.fits.front().fastest_k, 65.849, 5e-4);
  ASSERT_GE(strong.knees.knees.size(), 3u);
  EXPECT_EQ(strong.knees.knees[0].floor, 0.7);
  EXPECT_EQ(strong.knees.knees[1].floor, 0.8);
  EXPECT_EQ(strong.knees.knees[2].floor, 0.5);
  EXPECT_EQ(strong.knees.knees[0].place, KneePlace::inside);
  EXPECT_NEAR(*strong.knees.knees[0].k, 6.2063, 5e-4);
  ASSERT_EQ(strong.predictions.predictions.size(), 2u);
  EXPECT_EQ(strong.predictions.predictions[0].k, 256);
  EXPECT_NEAR(strong.predictions.predictions[1].seconds, 0.05 + 0.95 / 512 + 0.09, 1e-9);
  // The band of the figures: the K measured and twice the largest, around the model.
  ASSERT_EQ(strong.band.size(), kPowersTo128.size() + 1);
  EXPECT_EQ(strong.band.back().k, 256);
  EXPECT_EQ(strong.band.back().seconds, strong.predictions.predictions[0].seconds);
  for (const Prediction& at : strong.band) {
    EXPECT_LE(at.low, at.seconds) << at.k;
    EXPECT_GE(at.high, at.seconds) << at.k;
  }
  // Gustafson with the strong sibling's s: lower than K·E.
  EXPECT_NEAR(*a.curves.at(1).points.back().gustafson, 113.69, 5e-3);
  EXPECT_FALSE(strong.points.back().gustafson);
  EXPECT_NE(message(a.curves[1].warnings, "weak_no_serial_fraction"), "");
}

TEST(StudyAnalysis, TenTimesFasterOnEightWorkersIsAudited) {
  EvidenceBuilder b;
  b.add(Mode::strong, 1, {600});
  b.add(Mode::strong, 8, {60});
  const StudyAnalysis a = analyse(b.study);
  const auto& audit = a.curves.at(0).points.at(1).audit;
  ASSERT_TRUE(audit);
  EXPECT_TRUE(audit->triggered);
  EXPECT_EQ(audit->efficiency, 1.25);
  EXPECT_EQ(audit->finding, Finding::unexplained);
  EXPECT_NE(message(a.curves[0].warnings, "superlinear").find("E=1.25 is above ideal"),
            std::string::npos);
}

TEST(StudyAnalysis, AClaimOf180TimesOn256IsAnEfficiencyOf70Percent) {
  EvidenceBuilder b;
  b.add(Mode::strong, 1, {180});
  b.add(Mode::strong, 256, {1});
  const StudyAnalysis a = analyse(b.study);
  EXPECT_NEAR(at(a, 256).efficiency, 0.70, 5e-3);
  EXPECT_NE(message(a.curves.at(0).warnings, "few_points").find("add K="), std::string::npos);
}

TEST(StudyAnalysis, TheResultIsTheSameWithAnyNumberOfThreadsAndFollowsTheStudysSeed) {
  Random random(3);
  EvidenceBuilder b;
  for (const TimesAtK& t : noisy_times(amdahl_log(0.05, 0.01), kPowersTo128, 5, 0.02, random)) {
    b.add(Mode::strong, t.k, t.seconds);
  }
  b.study.seed = 7;
  const auto low = [&](const AnalysisOptions& options) {
    const StudyAnalysis a = analyse(b.study, options);
    return std::vector{*a.curves.at(0).knees.knees.at(0).low,
                       a.curves[0].predictions.predictions.at(1).low,
                       a.curves[0].best_intervals->serial_fraction->low};
  };
  AnalysisOptions one, three, seeded;
  three.bootstrap.threads = 3;
  seeded.bootstrap.seed = 7;
  const auto expected = low(one);
  EXPECT_EQ(low(three), expected);
  EXPECT_EQ(low(seeded), expected);
  b.study.seed = 8;
  EXPECT_NE(low(one), expected);
}

TEST(StudyAnalysis, TimesThatAreNoTimesAreNamedAndEnterNoNumber) {
  EvidenceBuilder b;
  b.add(Mode::strong, 1, {1, 1.01, kNoStudyTime});
  b.add(Mode::strong, 2, {0.5, 0.51, 0});
  b.add(Mode::strong, 4, {-0.25, 0.26, 0.27, std::numeric_limits<double>::infinity()});
  const StudyAnalysis a = analyse(b.study);
  EXPECT_EQ(at(a, 1).valid, 2);
  EXPECT_EQ(at(a, 2).valid, 2);
  EXPECT_EQ(at(a, 4).valid, 2);
  std::vector<std::string> said;
  for (const Warning& w : a.curves.at(0).warnings) {
    if (to_string(w.code) == std::string("invalid_time")) said.push_back(w.message);
  }
  ASSERT_EQ(said.size(), 4u);
  EXPECT_NE(said[0].find("run r3 at K=1: its time is not a number"), std::string::npos);
  EXPECT_NE(said[1].find("run r6 at K=2: its time is 0 s"), std::string::npos);
  EXPECT_NE(said[2].find("run r7 at K=4: its time is -0.25 s"), std::string::npos);
  EXPECT_NE(said[3].find("run r10 at K=4: its time is infinite"), std::string::npos);
}

TEST(StudyAnalysis, NothingValidIsARefusal) {
  EvidenceBuilder b;
  b.add(Mode::strong, 1, {kNoStudyTime});
  b.add(Mode::strong, 2, {0});
  const StudyAnalysis a = analyse(b.study);
  EXPECT_TRUE(a.curves.at(0).times.empty());
  EXPECT_NE(message(a.curves[0].warnings, "no_valid_run"), "");
  EXPECT_EQ(a.curves[0].points.size(), 2u);
  EXPECT_NE(message(analyse(StudyEvidence{}).warnings, "no_points"), "");
}

TEST(StudyAnalysis, OneKOnlyHasATimeAndSaysWhatToAdd) {
  EvidenceBuilder b;
  b.add(Mode::strong, 4, {1, 1.1, 1.2, 1.3, 1.4});
  const StudyAnalysis a = analyse(b.study);
  EXPECT_EQ(at(a, 4).seconds, 1.2);
  EXPECT_TRUE(a.curves.at(0).models.fits.empty());
  EXPECT_TRUE(a.curves[0].knees.knees.empty());
  EXPECT_NE(message(a.curves[0].warnings, "one_k").find("add K=8, K=16, K=32"), std::string::npos);
  EXPECT_NE(message(a.curves[0].warnings, "relative_baseline").find("K0=4"), std::string::npos);
}

TEST(StudyAnalysis, EqualTimesAreAnswered) {
  EvidenceBuilder b;
  for (const int k : {1, 2, 4, 8, 16, 32}) b.add(Mode::strong, k, {1, 1, 1, 1, 1});
  const StudyAnalysis a = analyse(b.study);
  EXPECT_EQ(at(a, 32).speedup, 1);
  EXPECT_EQ(a.curves.at(0).knees.knees.at(0).place, KneePlace::below);
  EXPECT_NEAR(*a.curves[0].models.fits.front().serial_fraction, 1, 1e-9);
  EXPECT_NE(message(a.curves[0].warnings, "equal_times"), "");
}

TEST(StudyAnalysis, OneRepeatHasNoIntervals) {
  const auto b = exact([](int k) { return 0.1 + 0.9 / k; }, {1, 2, 4, 8, 16, 32});
  const StudyAnalysis a = analyse(b.study);
  EXPECT_FALSE(at(a, 8).efficiency_interval);
  EXPECT_FALSE(a.curves.at(0).knees.knees.at(0).low);
  EXPECT_FALSE(a.curves[0].best_intervals);
  EXPECT_NE(message(a.curves[0].warnings, "one_repeat").find("one run at K=1, K=2"),
            std::string::npos);
}

TEST(StudyAnalysis, ThreeRepeatsAreCalledFew) {
  EvidenceBuilder b;
  for (const int k : {1, 2, 4, 8}) b.add(Mode::strong, k, {1.0 / k, 1.01 / k, 1.02 / k});
  const StudyAnalysis a = analyse(b.study);
  EXPECT_NE(message(a.curves.at(0).warnings, "few_repeats")
                .find("n=3 at K=1, K=2, K=4, K=8: no distribution-free 95% interval exists"),
            std::string::npos);
}

TEST(StudyAnalysis, TenThousandRepeatsAreAnswered) {
  Random random(5);
  EvidenceBuilder b;
  for (const TimesAtK& t : noisy_times(amdahl_log(0.05, 0.0), {1, 2, 4, 8}, 10000, 0.02, random)) {
    b.add(Mode::strong, t.k, t.seconds);
  }
  AnalysisOptions options;
  options.bootstrap.replicates = 50;  // what is tested is the number of runs
  const StudyAnalysis a = analyse(b.study, options);
  EXPECT_EQ(at(a, 8).valid, 10000);
  ASSERT_TRUE(at(a, 8).efficiency_interval);
  EXPECT_LT(at(a, 8).efficiency_interval->high - at(a, 8).efficiency_interval->low, 0.002);
  EXPECT_EQ(a.curves.at(0).models.fits.front().name, "amdahl");
}

TEST(StudyAnalysis, KOutOfOrderGivesTheSameAsInOrder) {
  EvidenceBuilder in, out;
  const auto time = [](int k) { return 0.05 + 0.95 / k; };
  for (const int k : {1, 2, 4, 8, 16, 32}) in.add(Mode::strong, k, {time(k)});
  for (const int k : {16, 1, 32, 4, 2, 8}) out.add(Mode::strong, k, {time(k)});
  const StudyAnalysis a = analyse(in.study), b = analyse(out.study);
  ASSERT_EQ(b.summary.curves.at(0).points.size(), 6u);
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_EQ(b.summary.curves[0].points[i].efficiency, a.summary.curves[0].points[i].efficiency);
  }
  EXPECT_EQ(b.curves.at(0).knees.knees.at(0).k, a.curves.at(0).knees.knees.at(0).k);
}

TEST(LossShares, TheLargestPartIsTheMainOne) {
  EXPECT_FALSE(LossShares{}.main());
  const auto most = LossShares{.imbalance = 0.2, .communication = 0.9, .computation = -0.1}.main();
  ASSERT_TRUE(most);
  EXPECT_EQ(most->part, LossPart::communication);
  EXPECT_EQ(most->share, 0.9);
}

TEST(TurningPoint, TheModelHasItUnlessItIsRejected) {
  using Basis = TurningPoint::Basis;
  Curve curve;
  for (const int k : {1, 2, 4, 8}) {
    PointSummary p;
    p.point.k = k;
    p.valid = 3;
    curve.points.push_back(p);
  }
  CurveAnalysis analysis;
  EXPECT_FALSE(turning_point(curve, analysis));
  analysis.models.fits.resize(1);
  ModelFit& best = analysis.models.fits.front();
  EXPECT_FALSE(turning_point(curve, analysis)) << "it falls for ever";
  best.name = "usl";
  best.fastest_k = 32;
  EXPECT_EQ(turning_point(curve, analysis)->basis, Basis::extrapolated);
  best.fastest_k = 33;
  EXPECT_FALSE(turning_point(curve, analysis)) << "more than 4 times the largest K";
  best.fastest_k = 5;
  best.fastest_in_range = true;
  EXPECT_EQ(turning_point(curve, analysis)->basis, Basis::model);
  EXPECT_EQ(turning_point(curve, analysis)->k, 5);

  best.lack_of_fit = LackOfFit{.p = 1e-4};
  EXPECT_EQ(turning_point(curve, analysis)->basis, Basis::refused);
  analysis.knees.knees.push_back({.rule = KneeRule::min_time, .k = 4, .place = KneePlace::inside});
  EXPECT_EQ(turning_point(curve, analysis)->basis, Basis::runs);
  EXPECT_EQ(turning_point(curve, analysis)->k, 4);
  curve.mode = Mode::weak;
  EXPECT_FALSE(turning_point(curve, analysis));
}

}  // namespace
}  // namespace kneepoint
