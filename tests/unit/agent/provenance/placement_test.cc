// SPDX-License-Identifier: Apache-2.0
#include "agents/agent/provenance/provenance.h"

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

// Where ranks ran against where they were asked to run.

namespace {

record::RankTotal on(int rank, const std::string& host, const std::string& cpus) {
  return {rank, host, cpus, 0, 0, 0};
}

TEST(CpuList, reads_what_the_kernel_writes_and_nothing_else) {
  EXPECT_EQ(parse_cpu_list("0"), (std::set<int>{0}));
  EXPECT_EQ(parse_cpu_list("0-2,8\n"), (std::set<int>{0, 1, 2, 8}));
  for (const char* text : {"", "a", "1-", "3-1", "1,,2", "1,", "-1", "0-99999999", "1 2"}) {
    EXPECT_TRUE(parse_cpu_list(text).empty()) << text;
  }
}

TEST(Binding, ranks_on_cores_of_their_own_are_as_asked) {
  const BindingRequest request{"core", 1, 4, 1};
  EXPECT_EQ(verify_binding(request, {on(0, "a", "0"), on(1, "a", "1"), on(2, "b", "0")}),
            "as asked");
}

TEST(Binding, a_core_of_two_hardware_threads_is_as_asked) {
  EXPECT_EQ(verify_binding({"core", 1, 4, 1}, {on(0, "a", "0,2"), on(1, "a", "1,3")}), "as asked");
}

TEST(Binding, one_rank_with_as_many_threads_as_the_node_has_is_as_asked) {
  EXPECT_EQ(verify_binding({"core", 2, 2, 1}, {on(0, "a", "0-1")}), "as asked");
}

TEST(Binding, names_the_rank_that_may_run_anywhere) {
  EXPECT_EQ(verify_binding({"core", 1, 2, 1}, {on(0, "a", "0"), on(1, "a", "0-1")}),
            "differs: rank 1 may run on 0-1");
}

TEST(Binding, names_the_rank_with_too_few_cpus_for_its_threads) {
  EXPECT_EQ(verify_binding({"core", 2, 8, 1}, {on(0, "a", "0")}), "differs: rank 0 may run on 0");
}

TEST(Binding, names_the_ranks_that_share_a_cpu) {
  EXPECT_EQ(verify_binding({"core", 1, 4, 1}, {on(0, "a", "1"), on(1, "a", "1")}),
            "differs: rank 1 shares CPU 1 with rank 0");
}

TEST(Binding, sockets_are_shared_but_smaller_than_the_node) {
  EXPECT_EQ(verify_binding({"socket", 1, 8, 2}, {on(0, "a", "0-3"), on(1, "a", "0-3")}),
            "as asked");
  EXPECT_EQ(verify_binding({"socket", 1, 8, 2}, {on(0, "a", "0-7")}),
            "differs: rank 0 may run on 0-7");
  EXPECT_EQ(verify_binding({"socket", 1, 8, 1}, {on(0, "a", "0-7")}), "as asked");
}

TEST(Binding, says_when_nothing_was_asked_or_nothing_is_known) {
  EXPECT_EQ(verify_binding({"none", 1, 2, 1}, {on(0, "a", "0-1")}), "not asked");
  EXPECT_EQ(verify_binding({"core", 1, 2, 1}, {}), "unknown");
  EXPECT_EQ(verify_binding({"core", 1, 2, 1}, {on(0, "a", "?")}), "unknown");
}

}  // namespace

}  // namespace kneepoint::agent
