// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/analysis/parts.h"

#include <gtest/gtest.h>

#include "tests/unit/analysis/evidence_builder.h"

namespace kneepoint {
namespace {

double reduce_seconds(Allreduce algorithm, double bytes, double k, const LinkCost& cost) {
  return seconds_of(allreduce_columns(algorithm, bytes, k).value(), cost);
}

constexpr LinkCost kLink{.alpha = 5e-6, .beta = 1e-10};
constexpr double kLargest = 1048576;

// What the workload's sweep takes: `repeats` all-reduces of each size, 5 iterations.
PointEvidence& add(EvidenceBuilder& b, int k, double factor, bool with_metrics) {
  double all = 0;
  for (double bytes = kLargest; bytes >= 8; bytes /= factor) {
    all += reduce_seconds(Allreduce::ring, bytes, k, kLink);
  }
  PointEvidence& point = b.add(Mode::strong, k, {5 * 20 * all}, "allreduce");
  point.point.size = kLargest;
  point.point.has_size = true;
  point.point.iterations = 5;
  point.point.parameters = {{"factor", std::to_string(static_cast<int>(factor))},
                            {"repeats", "20"}};
  if (with_metrics) {
    const double alpha =
        reduce_seconds(Allreduce::ring, 8, k, kLink) - 8 * 2.0 * (k - 1) / k * kLink.beta;
    point.details = {
        {.number = point.runs[0].number,
         .metrics = {{"alpha", alpha, "s"}, {"beta", 2.0 * (k - 1) / k * kLink.beta, "s/byte"}}}};
  }
  return point;
}

TEST(CollectiveAnswers, AlphaAndBetaComeBackFromTheMetricsOfTheRuns) {
  EvidenceBuilder b;
  for (const int k : {2, 4, 8, 16}) add(b, k, 4, true);
  std::vector<Warning> warnings;
  const auto answers = collective_answers(b.study, warnings);
  ASSERT_EQ(answers.size(), 1u);
  EXPECT_EQ(answers[0].case_name, "allreduce");
  const AllreduceFit& best = answers[0].model.fits.front();
  EXPECT_EQ(best.algorithm, Allreduce::ring);
  EXPECT_NEAR(best.cost.alpha / kLink.alpha, 1, 1e-6);
  EXPECT_NEAR(best.cost.beta / kLink.beta, 1, 1e-6);
  ASSERT_EQ(answers[0].predictions.size(), 4u);  // two sizes at 32 and 64 ranks
  const AllreducePrediction& last = answers[0].predictions.back();
  EXPECT_EQ(last.bytes, kLargest);
  EXPECT_EQ(last.k, 64);
  EXPECT_NEAR(last.seconds / reduce_seconds(Allreduce::ring, kLargest, 64, kLink), 1, 1e-6);
  EXPECT_TRUE(last.extrapolated);
}

TEST(CollectiveAnswers, WithoutMetricsTheTimesOfTheSweepsDo) {
  EvidenceBuilder b;
  for (const int k : {2, 4, 8, 16}) {
    add(b, k, 4, false);
    add(b, k, 64, false).point.shape.ranks_per_node = 1;  // another sweep of the same case
  }
  std::vector<Warning> warnings;
  const auto answers = collective_answers(b.study, warnings);
  ASSERT_EQ(answers.size(), 1u);
  EXPECT_NEAR(answers[0].model.fits.front().cost.alpha / kLink.alpha, 1, 1e-6);
  EXPECT_NEAR(answers[0].model.fits.front().cost.beta / kLink.beta, 1, 1e-6);
}

TEST(CollectiveAnswers, OtherWorkloadsHaveNone) {
  EvidenceBuilder b;
  b.add(Mode::strong, 2, {1}).point.size = 64;
  std::vector<Warning> warnings;
  EXPECT_TRUE(collective_answers(b.study, warnings).empty());
  EXPECT_TRUE(warnings.empty());
}

TEST(CollectiveAnswers, TheProgramIsKnownWhateverThePlanCallsIt) {
  EvidenceBuilder b;
  for (const int k : {2, 4}) {
    PointEvidence& point = add(b, k, 4, true);
    point.point.workload = point.point.case_name = "network";
    point.point.command.argv = {"/opt/kneepoint/bin/kp-allreduce", "--size", "1048576"};
  }
  std::vector<Warning> warnings;
  EXPECT_EQ(collective_answers(b.study, warnings).at(0).case_name, "network");
}

TEST(CollectiveAnswers, TheGradientsOfTheStudysTrainingArePredicted) {
  EvidenceBuilder b;
  for (const int k : {2, 4, 8, 16}) add(b, k, 4, true);
  PointEvidence& training = b.add(Mode::strong, 2, {1}, "train");
  training.point.workload = "data_parallel";
  training.point.parameters = {{"width", "512"}, {"layers", "6"}};
  std::vector<Warning> warnings;
  const auto answers = collective_answers(b.study, warnings);
  ASSERT_EQ(answers.at(0).predictions.size(), 7u);
  const AllreducePrediction& last = answers[0].predictions.back();
  EXPECT_EQ(last.bytes, 4.0 * 6 * (512 * 512 + 512));
  EXPECT_EQ(last.k, 64);
  EXPECT_NEAR(last.seconds / reduce_seconds(Allreduce::ring, last.bytes, 64, kLink), 1, 1e-6);
  EXPECT_EQ(last.sentence.substr(0, 29), "gradient of train: at K=64 th");
}

TEST(CollectiveAnswers, OneRankOnlyIsARefusal) {
  EvidenceBuilder b;
  add(b, 1, 4, false).runs[0].seconds = 1;
  std::vector<Warning> warnings;
  EXPECT_TRUE(collective_answers(b.study, warnings).empty());
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_EQ(warnings[0].code, WarningCode::collective_not_fitted);
}

}  // namespace
}  // namespace kneepoint
