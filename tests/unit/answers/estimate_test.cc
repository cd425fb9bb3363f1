// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/answers/estimate.h"

#include <gtest/gtest.h>

namespace kneepoint {
namespace {

Point point(int nodes, double modelled_seconds) {
  Point p;
  p.shape.nodes = nodes;
  p.shape.ranks = nodes * 4;
  p.shape.ranks_per_node = 4;
  p.modelled_seconds = modelled_seconds;
  return p;
}

Study study(std::vector<Point> points) {
  Study s;
  s.points = std::move(points);
  s.plan.repeat = {5, 20, 0.02};
  s.plan.limits.timeout = 20 * kMinute;
  return s;
}

TEST(Estimate, ModelledPointsCostTimesRunsTimesNodes) {
  const CostEstimate e = estimate_cost(study({point(1, 3600), point(2, 1800)}), 5);
  EXPECT_EQ(e.modelled_runs, 10);
  EXPECT_EQ(e.bounded_runs, 0);
  EXPECT_DOUBLE_EQ(e.modelled_node_hours, 10);
  EXPECT_DOUBLE_EQ(e.seconds_in_turn, 5 * (3600 + 1800));
  EXPECT_EQ(to_text(e, 20 * kMinute),
            "10 node-hours by the workloads' models (10 runs, one after the other 7 h 30 min; "
            "start-up not counted)");
}

TEST(Estimate, WithoutAModelTheTimeLimitIsTheBoundAndIsCalledSo) {
  const CostEstimate e = estimate_cost(study({point(3, 0)}), 2);
  EXPECT_EQ(e.modelled_runs, 0);
  EXPECT_EQ(e.bounded_runs, 2);
  EXPECT_DOUBLE_EQ(e.bounded_node_hours, 2);
  EXPECT_EQ(to_text(e, 20 * kMinute),
            "at most 2 node-hours (2 runs without a model, each taken at its time limit of 20 min "
            "00 s)");
}

TEST(Estimate, TheTwoKindsAreNeverAddedUp) {
  const std::string text =
      to_text(estimate_cost(study({point(1, 360), point(1, 0)}), 10), 6 * kMinute);
  EXPECT_NE(text.find("1 node-hours by the workloads' models"), std::string::npos) << text;
  EXPECT_NE(text.find(", and at most "), std::string::npos) << text;
}

TEST(Estimate, TheSubmissionCountsRunsAndFindsTheLargest) {
  const Submission s = submission_of(study({point(1, 0), point(8, 0), point(2, 0)}));
  EXPECT_EQ(s.allocations, 15);
  EXPECT_EQ(s.allocations_at_most, 60);
  EXPECT_EQ(s.largest.nodes, 8);
  EXPECT_EQ(s.largest.ranks, 32);
  EXPECT_FALSE(s.largest_is_emulated);
}

}  // namespace
}  // namespace kneepoint
