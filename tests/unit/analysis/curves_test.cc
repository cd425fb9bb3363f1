// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/analysis/curves.h"

#include <gtest/gtest.h>

#include "tests/unit/analysis/evidence_builder.h"

namespace kneepoint {
namespace {

void set_shape(PointEvidence& p, int nodes, int ranks_per_node, int threads = 1) {
  p.point.shape.nodes = nodes;
  p.point.shape.ranks_per_node = ranks_per_node;
  p.point.shape.ranks = p.point.k;
  p.point.shape.threads_per_rank = threads;
}

TEST(Curves, RanksThatFillUpNodesAreOneCurve) {
  EvidenceBuilder b;
  set_shape(b.add(Mode::strong, 8, {1}), 2, 4);
  set_shape(b.add(Mode::strong, 1, {1}), 1, 1);
  set_shape(b.add(Mode::strong, 4, {1}), 1, 4);
  set_shape(b.add(Mode::strong, 2, {1}), 1, 2);
  const auto curves = group_curves(b.study);
  ASSERT_EQ(curves.size(), 1u);
  EXPECT_EQ(curves[0].points, (std::vector<int>{1, 3, 2, 0})) << "K ascending";
  EXPECT_EQ(curves[0].shape_name, "1 thread per rank, bind core");
}

TEST(Curves, ModesCasesBuildsAndThreadsAreApart) {
  EvidenceBuilder b;
  b.add(Mode::strong, 1, {1});
  b.add(Mode::weak, 1, {1});
  b.add(Mode::strong, 1, {1}, "cg");
  b.add(Mode::strong, 1, {1}).point.build = "new";
  set_shape(b.add(Mode::strong, 1, {1}), 1, 1, 2);
  const auto curves = group_curves(b.study);
  ASSERT_EQ(curves.size(), 5u);
  EXPECT_EQ(curves[0].case_name, "jacobi");
  EXPECT_EQ(curves[1].mode, Mode::weak);
  EXPECT_EQ(curves[2].case_name, "cg");
  EXPECT_EQ(curves[3].build, "new");
  EXPECT_EQ(curves[4].shape_name, "1 rank per node, 2 threads per rank, bind core");
}

TEST(Curves, SeveralRanksPerNodeAtOneKAreFamilies) {
  EvidenceBuilder b;
  for (const int k : {1, 2}) {
    set_shape(b.add(Mode::strong, k, {1}), k, 8);
    set_shape(b.add(Mode::strong, k, {1}), k, 16);
  }
  const auto curves = group_curves(b.study);
  ASSERT_EQ(curves.size(), 2u);
  EXPECT_EQ(curves[0].points, (std::vector<int>{0, 2}));
  EXPECT_EQ(curves[1].points, (std::vector<int>{1, 3}));
  EXPECT_EQ(curves[1].shape_name, "16 ranks per node, 1 thread per rank, bind core");
}

TEST(Curves, AKWithOneShapeBelongsToEveryFamily) {
  EvidenceBuilder b;
  set_shape(b.add(Mode::strong, 1, {1}), 1, 1);
  set_shape(b.add(Mode::strong, 4, {1}), 1, 4);
  set_shape(b.add(Mode::strong, 8, {1}), 2, 4);
  set_shape(b.add(Mode::strong, 8, {1}), 1, 8);
  const auto curves = group_curves(b.study);
  ASSERT_EQ(curves.size(), 2u);
  EXPECT_EQ(curves[0].points, (std::vector<int>{0, 1, 2}));
  EXPECT_EQ(curves[1].points, (std::vector<int>{0, 1, 3}));
}

TEST(Curves, NoPointsGiveNoCurves) {
  EXPECT_TRUE(group_curves(StudyEvidence{}).empty());
}

}  // namespace
}  // namespace kneepoint
