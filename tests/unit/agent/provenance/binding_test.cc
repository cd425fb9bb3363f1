// SPDX-License-Identifier: Apache-2.0
//
// Where ranks ran against where they were asked to run.
#include "agents/agent/provenance/placement.h"

#include <gtest/gtest.h>

namespace kneepoint::agent {
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
