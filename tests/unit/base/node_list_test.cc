// SPDX-License-Identifier: Apache-2.0
//
// Node lists in the forms that Slurm writes.
#include "orchestrator/base/node_list.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace kneepoint {
namespace {

TEST(NodeList, IsUnfolded) {
  using Names = std::vector<std::string>;
  EXPECT_EQ(expand_node_list(""), Names{});
  EXPECT_EQ(expand_node_list("n1"), Names{"n1"});
  EXPECT_EQ(expand_node_list("n[01-03,7],m2"), (Names{"n01", "n02", "n03", "n7", "m2"}));
  EXPECT_EQ(expand_node_list("r[1-2]n[3-4]"), (Names{"r1n3", "r1n4", "r2n3", "r2n4"}));
  EXPECT_EQ(expand_node_list("n[1-2"), Names{"n[1-2"}) << "what can't be read stays";
  EXPECT_LE(expand_node_list("n[1-999999999]").size(), 100'000U);
}

TEST(NodeList, IsFoldedAsSlurmDoesIt) {
  EXPECT_EQ(fold_node_list({}), "");
  EXPECT_EQ(fold_node_list({"n1"}), "n1");
  EXPECT_EQ(fold_node_list({"n3", "n1", "n2"}), "n[1-3]");
  EXPECT_EQ(fold_node_list({"n1", "n5", "n6", "m2"}), "m2,n[1,5-6]");
  EXPECT_EQ(fold_node_list({"n9", "n10", "n11"}), "n[9-11]");
  EXPECT_EQ(fold_node_list({"n10", "n09", "n08"}), "n[08-10]");
  EXPECT_EQ(fold_node_list({"login", "n2"}), "n2,login");
  EXPECT_EQ(fold_node_list({"n123456789012"}), "n123456789012") << "no number of ours";
}

TEST(NodeList, FoldingLosesNoNode) {
  const std::vector<std::string> names = {"a1", "a2", "a01", "a02", "r1n3", "r2n3", "r2n4", "x"};
  std::vector<std::string> back = expand_node_list(fold_node_list(names));
  std::sort(back.begin(), back.end());
  std::vector<std::string> sorted = names;
  std::sort(sorted.begin(), sorted.end());
  EXPECT_EQ(back, sorted);
}

}  // namespace
}  // namespace kneepoint
