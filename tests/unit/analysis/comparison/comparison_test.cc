// SPDX-License-Identifier: Apache-2.0
//
// Two studies against each other: which T are compared, with which interval, and what stands in
// the way.
#include "orchestrator/analysis/comparison/comparison.h"

#include <gtest/gtest.h>

#include "orchestrator/analysis/statistics/intervals.h"
#include "tests/unit/analysis/evidence_builder.h"

namespace kneepoint {
namespace {

const std::vector<double> kFive = {0.98, 0.99, 1.0, 1.01, 1.02};

std::vector<double> times(double seconds, const std::vector<double>& factors = kFive) {
  std::vector<double> out;
  for (const double one : factors) out.push_back(seconds * one);
  return out;
}

// T = 0.05 + 0.95/K, times `factor`.
EvidenceBuilder amdahl_evidence(double factor, const std::vector<int>& ks,
                                const std::vector<double>& factors = kFive) {
  EvidenceBuilder builder;
  for (const int k : ks) builder.add(Mode::strong, k, times(factor * (0.05 + 0.95 / k), factors));
  return builder;
}

StudyComparison compared(const StudyEvidence& a, const StudyEvidence& b) {
  AnalysisOptions options;
  options.bootstrap.replicates = 50;
  const StudyAnalysis left = analyse(a, options), right = analyse(b, options);
  return compare_studies({a, left}, {b, right});
}

TEST(Comparison, TheRatioIsTOfBOverTOfAWithTheTwoSampleInterval) {
  const auto a = amdahl_evidence(1, {1, 2, 4, 8}), b = amdahl_evidence(0.8, {1, 2, 4, 8});
  const StudyComparison answer = compared(a.study, b.study);
  ASSERT_EQ(answer.curves.size(), 1U);
  ASSERT_EQ(answer.curves[0].points.size(), 4U);
  for (const ComparedPoint& at : answer.curves[0].points) {
    ASSERT_TRUE(at.ratio && at.interval);
    EXPECT_NEAR(*at.ratio, 0.8, 1e-12);
    const double t = 0.05 + 0.95 / at.k;
    const auto expected = ratio_interval(times(0.8 * t), times(t));
    EXPECT_DOUBLE_EQ(at.interval->low, expected->low);
    EXPECT_DOUBLE_EQ(at.interval->high, expected->high);
    EXPECT_EQ(at.interval->method, "Hodges-Lehmann");
    EXPECT_EQ(at.faster, Faster::b);
  }
  EXPECT_NEAR(answer.curves[0].points[3].a.efficiency, answer.curves[0].points[3].b.efficiency,
              1e-12);
  EXPECT_TRUE(answer.anything());
  EXPECT_TRUE(answer.differences.empty());
  EXPECT_TRUE(answer.curves[0].differences.empty());
}

TEST(Comparison, EqualStudiesAreUnclearAndTheSwapInvertsTheRatio) {
  const auto a = amdahl_evidence(1, {1, 4}), b = amdahl_evidence(1.3, {1, 4});
  const StudyComparison same = compared(a.study, a.study);
  EXPECT_EQ(same.curves[0].points[1].faster, Faster::unclear);
  const ComparedPoint there = compared(a.study, b.study).curves[0].points[1];
  const ComparedPoint back = compared(b.study, a.study).curves[0].points[1];
  EXPECT_EQ(there.faster, Faster::a);
  EXPECT_EQ(back.faster, Faster::b);
  EXPECT_NEAR(*there.ratio * *back.ratio, 1, 1e-12);
  EXPECT_NEAR(there.interval->low * back.interval->high, 1, 1e-12);
}

TEST(Comparison, OneValueHasARatioButNoInterval) {
  const auto a = amdahl_evidence(1, {1, 2}), b = amdahl_evidence(0.5, {1, 2}, {1.0});
  const ComparedPoint at = compared(a.study, b.study).curves[0].points[0];
  EXPECT_NEAR(*at.ratio, 0.5, 1e-12);
  EXPECT_FALSE(at.interval);
  EXPECT_EQ(at.why, "no interval, one value in B");
  EXPECT_EQ(at.faster, Faster::unknown);
  EXPECT_EQ(compared(b.study, b.study).curves[0].points[0].why, "no interval, one value each");
}

TEST(Comparison, KOfOneSideAloneAreListedAndNoCommonKIsAnObstacle) {
  const auto a = amdahl_evidence(1, {1, 2, 4}), b = amdahl_evidence(1, {2, 4, 8}),
             c = amdahl_evidence(1, {3, 6});
  const CurveComparison some = compared(a.study, b.study).curves[0];
  EXPECT_EQ(some.only_a, std::vector<int>({1}));
  EXPECT_EQ(some.only_b, std::vector<int>({8}));
  EXPECT_EQ(some.points.size(), 2U);
  const StudyComparison none = compared(a.study, c.study);
  EXPECT_FALSE(none.anything());
  EXPECT_EQ(none.curves[0].obstacles.front(), "A and B have no K in common");
}

TEST(Comparison, AnotherModeOrCaseIsNotComparedAndSaysSo) {
  auto a = amdahl_evidence(1, {1, 2});
  EvidenceBuilder weak, other;
  weak.add(Mode::weak, 1, times(1));
  weak.add(Mode::weak, 2, times(1));
  other.add(Mode::strong, 1, times(1), "vendor");
  const StudyComparison modes = compared(a.study, weak.study);
  EXPECT_TRUE(modes.curves.empty());
  ASSERT_EQ(modes.not_compared.size(), 2U);
  EXPECT_NE(modes.not_compared[0].find("jacobi, strong: only A has it; the other has this case in "
                                       "another mode"),
            std::string::npos);
  const StudyComparison cases = compared(a.study, other.study);
  ASSERT_EQ(cases.not_compared.size(), 2U);
  EXPECT_NE(cases.not_compared[0].find("other cases (vendor)"), std::string::npos);
  EXPECT_NE(cases.not_compared[0].find("--case jacobi"), std::string::npos);
}

TEST(Comparison, ProblemsOfOtherSizeResultsOrIterationsAreNotComparedAtThatK) {
  auto a = amdahl_evidence(1, {1, 2, 4, 8}), b = amdahl_evidence(1, {1, 2, 4, 8});
  for (auto& point : a.study.points) point.point.has_size = true, point.point.size = 512;
  for (auto& point : b.study.points) point.point.has_size = true, point.point.size = 512;
  b.study.points[1].point.size = 256;
  b.study.points[2].point.results = 2;
  b.study.points[3].point.iterations = 9;
  const auto points = compared(a.study, b.study).curves[0].points;
  EXPECT_TRUE(points[0].ratio);
  EXPECT_EQ(points[1].why, "the total problem differs: size 512 and 256");
  EXPECT_EQ(points[2].why, "one run makes 1 and 2 runs");
  EXPECT_EQ(points[3].why, "T is of 1 and 9 iterations");
  for (int i = 1; i < 4; ++i) EXPECT_FALSE(points[static_cast<std::size_t>(i)].ratio);
}

TEST(Comparison, ParametersAndWorkThatDifferAreNotTheSameProblem) {
  auto a = amdahl_evidence(1, {1, 2, 4}), b = amdahl_evidence(1, {1, 2, 4});
  for (auto& point : a.study.points) point.point.parameters = {{"order", "2"}};
  for (auto& point : b.study.points) point.point.parameters = {{"order", "2"}};
  b.study.points[0].point.parameters[0].value = "4";
  for (auto& run : a.study.points[1].runs) run.work_total = 100;
  for (auto& run : b.study.points[1].runs) run.work_total = 200;
  for (auto& run : b.study.points[2].runs) run.work_total = 200;  // A reports none
  b.study.points[2].point.command.argv = {"app", "--fast"};
  const CurveComparison curve = compared(a.study, b.study).curves[0];
  EXPECT_EQ(curve.points[0].why, "the problem differs: order is 2 and 4");
  EXPECT_EQ(curve.points[1].why, "the ranks report another amount of work: 100 and 200 units");
  EXPECT_TRUE(curve.points[2].ratio);
  ASSERT_EQ(curve.differences.size(), 1U);
  EXPECT_EQ(curve.differences[0].what, "arguments at K=4");
}

TEST(Comparison, WorkersOfAnotherKindAndSpeedupsWithoutTimesStandInTheWay) {
  auto a = amdahl_evidence(1, {1, 2}), b = amdahl_evidence(1, {1, 2});
  b.study.worker = WorkerUnit::gpu;
  b.study.caveats.push_back({"speedup_only", "x"});
  const StudyComparison answer = compared(a.study, b.study);
  EXPECT_FALSE(answer.anything());
  ASSERT_EQ(answer.curves[0].obstacles.size(), 2U);
  EXPECT_NE(answer.curves[0].obstacles[0].find("a worker is a rank in A and a gpu in B"),
            std::string::npos);
  EXPECT_EQ(answer.curves[0].obstacles[1], "B holds speedups only, no times");
  EXPECT_GT(answer.curves[0].points[1].b.efficiency, 0.9);  // still side by side
}

TEST(Comparison, WhatDiffersIsListedNotHidden) {
  auto a = amdahl_evidence(1, {1, 2}), b = amdahl_evidence(1, {1, 2});
  b.study.site = "cluster-b";
  b.study.backend = "import";
  for (auto& point : a.study.points) {
    for (auto& run : point.runs) run.provenance = "cpu.model=X; mpi=Open MPI 4";
  }
  for (auto& point : b.study.points) {
    point.point.build = "clang";
    point.point.shape.ranks_per_node = 1;
    point.point.shape.nodes = point.point.k;
    for (auto& run : point.runs) run.provenance = "cpu.model=Y; mpi=Open MPI 4; gpu=Z";
  }
  const StudyComparison answer = compared(a.study, b.study);
  ASSERT_EQ(answer.differences.size(), 2U);
  EXPECT_EQ(answer.differences[0].what, "site");
  const auto& differences = answer.curves[0].differences;
  ASSERT_EQ(differences.size(), 4U);
  EXPECT_EQ(differences[0].what, "build");
  EXPECT_EQ(differences[1].what, "cpu.model");
  EXPECT_EQ(differences[1].b, "Y");
  EXPECT_EQ(differences[2].what, "gpu");
  EXPECT_EQ(differences[2].a, "not recorded");
  EXPECT_EQ(differences[3].what, "shape at K=2");
  ASSERT_EQ(answer.notes.size(), 1U);
  EXPECT_NE(answer.notes[0].find("B is a claim"), std::string::npos);
  EXPECT_TRUE(answer.anything());
}

TEST(Comparison, SeveralBuildsGoTogetherByName) {
  EvidenceBuilder a, b;
  for (EvidenceBuilder* one : {&a, &b}) {
    for (const char* build : {"gcc", "clang"}) {
      for (const int k : {1, 2}) one->add(Mode::strong, k, times(1.0 / k)).point.build = build;
    }
  }
  for (auto& point : b.study.points) {
    if (point.point.build == "clang") point.point.build = "icx";
  }
  const StudyComparison answer = compared(a.study, b.study);
  ASSERT_EQ(answer.curves.size(), 1U);
  EXPECT_EQ(answer.curves[0].build_a, "gcc");
  EXPECT_EQ(answer.curves[0].build_b, "gcc");
  EXPECT_EQ(answer.not_compared.size(), 2U);
}

}  // namespace
}  // namespace kneepoint
