// SPDX-License-Identifier: Apache-2.0
#include "agents/agent/provenance/placement.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace kneepoint::agent {
namespace {

using Names = std::vector<std::string>;

std::string joined(const Names& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

StepSpec step_of(const std::string& starter, int nodes) {
  StepSpec step;
  step.argv = {starter, "-n", "4", "prog"};
  step.nodes = nodes;
  step.ranks = 2 * nodes;
  step.place = starter;
  return step;
}

const Names kOrder = {"n3", "n7", "n1", "n2"};

TEST(Placement, the_agents_own_node_comes_first_and_none_is_missing) {
  for (int i = 0; i < 50; ++i) {
    Names order = node_order("n[1-8]", "n3", "kp-1-" + std::to_string(i));
    ASSERT_EQ(order.size(), 8u);
    EXPECT_EQ(order.front(), "n3");
    std::sort(order.begin(), order.end());
    EXPECT_EQ(order, (Names{"n1", "n2", "n3", "n4", "n5", "n6", "n7", "n8"}));
  }
}

TEST(Placement, the_others_are_drawn_from_the_allocations_name) {
  EXPECT_EQ(node_order("n[1-8]", "n1", "kp-1"), node_order("n[1-8]", "n1", "kp-1"));
  std::set<std::string> second;
  for (int i = 0; i < 200; ++i) {
    second.insert(node_order("n[1-8]", "n1", "kp-1-" + std::to_string(i))[1]);
  }
  EXPECT_EQ(second.size(), 7u) << "every other node is the second one some day";
}

TEST(Placement, nodes_that_are_not_understood_have_no_order) {
  EXPECT_EQ(node_order("", "", "kp-1"), Names{});
  EXPECT_EQ(node_order("n[1-2", "n1", "kp-1"), Names{});
  EXPECT_EQ(node_order("(null)", "n1", "kp-1"), Names{});
  EXPECT_EQ(node_order("n[1-4]", "login7", "kp-1"), Names{}) << "names of another kind";
}

TEST(Placement, a_starter_is_told_the_first_nodes) {
  const Placement srun = place_step(step_of("srun", 2), kOrder);
  EXPECT_EQ(joined(srun.argv), "srun --nodelist=n3,n7 -n 4 prog");
  EXPECT_EQ(srun.nodes, "n[3,7]");
  const Placement mpirun = place_step(step_of("mpirun", 3), kOrder);
  EXPECT_EQ(joined(mpirun.argv), "mpirun --host n3:2,n7:2,n1:2 -n 4 prog");
  EXPECT_EQ(mpirun.nodes, "n[1,3,7]");
}

TEST(Placement, without_names_srun_takes_the_first_and_mpirun_what_it_finds) {
  EXPECT_EQ(joined(place_step(step_of("srun", 2), {}).argv), "srun --relative=0 -n 4 prog");
  EXPECT_EQ(joined(place_step(step_of("mpirun", 2), {}).argv), "mpirun -n 4 prog");
  EXPECT_EQ(place_step(step_of("srun", 2), {}).nodes, "");
  EXPECT_EQ(joined(place_step(step_of("srun", 5), kOrder).argv), "srun --relative=0 -n 4 prog")
      << "more nodes than there are";
}

TEST(Placement, who_is_not_told_is_where_it_must_be_or_nobody_knows) {
  StepSpec step = step_of("srun", 4);
  step.place = "";
  EXPECT_EQ(place_step(step, kOrder).argv, step.argv);
  EXPECT_EQ(place_step(step, kOrder).nodes, "n[1-3,7]") << "it has them all";
  step.nodes = 2;
  EXPECT_EQ(place_step(step, kOrder).nodes, "") << "srun chose";
  step.nodes = 1;
  step.argv = {"prog"};
  EXPECT_EQ(place_step(step, kOrder).nodes, "n3") << "beside the agent";
  step.nodes = 0;
  EXPECT_EQ(place_step(step, kOrder).nodes, "");
}

}  // namespace
}  // namespace kneepoint::agent
