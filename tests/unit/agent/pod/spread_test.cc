// SPDX-License-Identifier: Apache-2.0
#include "agents/agent/pod/pod.h"

#include <gtest/gtest.h>

#include <map>

namespace kneepoint::agent {
namespace {

TEST(Spread, ArgumentsAreReadOrRefused) {
  const auto spread = parse_spread({"3", "-r", "2", "-x", "A", "-x", "B", "--", "run", "--", "-r"});
  ASSERT_TRUE(spread);
  EXPECT_EQ(spread->pods, 3);
  EXPECT_EQ(spread->ranks_per_pod, 2);
  EXPECT_EQ(spread->passed, (std::vector<std::string>{"A", "B"}));
  EXPECT_EQ(spread->argv, (std::vector<std::string>{"run", "--", "-r"}));
  using Arguments = std::vector<std::string>;
  for (const Arguments& wrong :
       {Arguments{}, Arguments{"0", "--", "x"}, Arguments{"2", "x"}, Arguments{"2", "--"},
        Arguments{"2", "-r", "--", "x"}, Arguments{"2", "-q", "1", "--", "x"}}) {
    EXPECT_FALSE(parse_spread(wrong)) << wrong.size();
  }
}

TEST(Spread, EveryRankKnowsItsPlaceAndTheMeetingPoint) {
  Spread spread;
  spread.pods = 3;
  spread.ranks_per_pod = 2;
  const Environment list = rank_variables(spread, "j-0.j", 3);
  const std::map<std::string, std::string> v(list.begin(), list.end());
  EXPECT_EQ(v.at("RANK"), "3");
  EXPECT_EQ(v.at("WORLD_SIZE"), "6");
  EXPECT_EQ(v.at("LOCAL_RANK"), "1");
  EXPECT_EQ(v.at("LOCAL_WORLD_SIZE"), "2");
  EXPECT_EQ(v.at("NODE_RANK"), "1");
  EXPECT_EQ(v.at("MASTER_ADDR"), "j-0.j");
  EXPECT_EQ(v.at("PET_NNODES"), "3");
  EXPECT_EQ(v.at("PET_NODE_RANK"), "1");
  EXPECT_EQ(v.at("PET_MASTER_ADDR"), "j-0.j");
  EXPECT_EQ(v.at("PET_MASTER_PORT"), v.at("MASTER_PORT"));
}

TEST(Spread, NothingInAnArgumentMeansAnythingToTheShell) {
  EXPECT_EQ(shell_quoted("it's $(x) `y` \"z\"\n\\"), "'it'\\''s $(x) `y` \"z\"\n\\'");
  EXPECT_EQ(shell_text({{"A", "1 2"}}, {"echo", "", "$A"}), "export A='1 2'; exec 'echo' '' '$A'");
}

}  // namespace
}  // namespace kneepoint::agent
