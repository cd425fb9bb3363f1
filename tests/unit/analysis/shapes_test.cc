// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/analysis/parts.h"

#include <gtest/gtest.h>

#include "tests/unit/analysis/evidence_builder.h"

namespace kneepoint {
namespace {

PointEvidence& add(EvidenceBuilder& b, Mode mode, int k, int ranks_per_node, int threads,
                   const std::vector<double>& times) {
  PointEvidence& point = b.add(mode, k, times);
  point.point.shape = {.nodes = k,
                       .ranks = k * ranks_per_node,
                       .ranks_per_node = ranks_per_node,
                       .threads_per_rank = threads};
  return point;
}

const std::vector<double> kFast = {1.00, 1.01, 1.02, 1.03, 1.04};
const std::vector<double> kSlow = {1.20, 1.21, 1.22, 1.23, 1.24};
const std::vector<double> kNearly = {1.005, 1.015, 1.025, 1.035, 1.001};

TEST(Shapes, TheFasterOfEqualCoresWinsWithAnInterval) {
  EvidenceBuilder b;
  add(b, Mode::strong, 2, 16, 1, kSlow);
  add(b, Mode::strong, 2, 4, 4, kFast);
  std::vector<Warning> warnings;
  const auto found = contests(b.study, warnings);
  ASSERT_EQ(found.size(), 1u);
  ASSERT_EQ(found[0].entries.size(), 1u);
  const auto& entry = found[0].entries[0];
  EXPECT_EQ(entry.k, 2);
  EXPECT_EQ(entry.cores, 32);
  EXPECT_EQ(entry.winner, "2n x 4r x 4t");
  EXPECT_EQ(entry.runner_up, "2n x 16r x 1t");
  EXPECT_NEAR(entry.ratio, 1.22 / 1.02, 1e-12);
  ASSERT_TRUE(entry.interval);
  EXPECT_GT(entry.interval->low, 1);
  EXPECT_FALSE(entry.tie);
  EXPECT_TRUE(warnings.empty());
}

TEST(Shapes, AnIntervalThatHoldsOneIsATie) {
  EvidenceBuilder b;
  add(b, Mode::strong, 1, 16, 1, kFast);
  add(b, Mode::strong, 1, 4, 4, kNearly);
  std::vector<Warning> warnings;
  EXPECT_TRUE(contests(b.study, warnings).at(0).entries.at(0).tie);
}

TEST(Shapes, OtherNumbersOfCoresAreNoContest) {
  EvidenceBuilder b;
  add(b, Mode::strong, 1, 16, 1, kFast);
  add(b, Mode::strong, 1, 4, 2, kSlow);
  add(b, Mode::strong, 2, 16, 1, kSlow);
  std::vector<Warning> warnings;
  EXPECT_TRUE(contests(b.study, warnings).empty());
}

TEST(Shapes, WeakProblemsOfOtherKAreNotCompared) {
  for (const Mode mode : {Mode::strong, Mode::weak}) {
    EvidenceBuilder b;
    add(b, mode, 2, 8, 1, kFast);
    add(b, mode, 1, 16, 1, kSlow);
    std::vector<Warning> warnings;
    EXPECT_EQ(contests(b.study, warnings).empty(), mode == Mode::weak);
  }
}

TEST(Shapes, ShapesWithoutACommonProvenanceAreNotCompared) {
  EvidenceBuilder b;
  add(b, Mode::strong, 1, 16, 1, kFast);
  for (RunEvidence& run : add(b, Mode::strong, 1, 4, 4, kSlow).runs) run.provenance = "gpu=x";
  std::vector<Warning> warnings;
  EXPECT_TRUE(contests(b.study, warnings).empty());
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_EQ(warnings[0].code, WarningCode::mixed_provenance);
}

TEST(Shapes, AShapeWithoutAValidRunDoesNotTakePart) {
  EvidenceBuilder b;
  add(b, Mode::strong, 1, 16, 1, kFast);
  add(b, Mode::strong, 1, 4, 4, {});
  std::vector<Warning> warnings;
  EXPECT_TRUE(contests(b.study, warnings).empty());
  EXPECT_TRUE(warnings.empty());
}

}  // namespace
}  // namespace kneepoint
