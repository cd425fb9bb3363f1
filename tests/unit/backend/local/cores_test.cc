// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/backend/local/cores.h"

#include <gtest/gtest.h>

#include <set>

namespace kneepoint {
namespace {

std::vector<Core> four_cores_with_two_threads_each() {
  return {{0, {0, 4}}, {0, {1, 5}}, {1, {2, 6}}, {1, {3, 7}}};
}

std::vector<int> firsts(const std::vector<Core>& cores) {
  std::vector<int> cpus;
  for (const Core& core : cores) cpus.push_back(core.cpus.front());
  return cpus;
}

TEST(CoreSets, NeverGivesACoreTwice) {
  CoreSets sets(four_cores_with_two_threads_each());
  EXPECT_EQ(firsts(sets.take("a", 1)), (std::vector<int>{0}));
  EXPECT_EQ(firsts(sets.take("b", 2)), (std::vector<int>{1, 2}));
  EXPECT_EQ(firsts(sets.take("c", 1)), (std::vector<int>{3}));
  EXPECT_TRUE(sets.take("d", 1).empty());
}

TEST(CoreSets, GivesNothingRatherThanTooLittle) {
  CoreSets sets(four_cores_with_two_threads_each());
  EXPECT_EQ(sets.take("a", 3).size(), 3u);
  EXPECT_TRUE(sets.take("b", 2).empty());
  EXPECT_EQ(firsts(sets.take("c", 1)), (std::vector<int>{3})) << "the refused one held nothing";
}

TEST(CoreSets, GivesAgainWhatWasReleased) {
  CoreSets sets(four_cores_with_two_threads_each());
  EXPECT_EQ(sets.take("a", 4).size(), 4u);
  sets.release("a");
  sets.release("a");
  EXPECT_EQ(firsts(sets.take("b", 1)), (std::vector<int>{0}));
}

TEST(CoreSets, RespectsWhatAnEarlierControllerGave) {
  CoreSets sets(four_cores_with_two_threads_each());
  EXPECT_EQ(firsts(sets.hold("old", {6, 0})), (std::vector<int>{0, 2})) << "by any of its CPUs";
  EXPECT_EQ(firsts(sets.take("new", 2)), (std::vector<int>{1, 3}));
  EXPECT_TRUE(sets.hold("elsewhere", {99}).empty());
}

TEST(CoreSets, ReadsTheKernelsLists) {
  EXPECT_EQ(parse_cpu_list("0-3,8"), (std::vector<int>{0, 1, 2, 3, 8}));
  EXPECT_EQ(parse_cpu_list("5\n"), (std::vector<int>{5}));
  EXPECT_TRUE(parse_cpu_list("").empty());
  EXPECT_TRUE(parse_cpu_list("all").empty());
}

TEST(CoreSets, ThisMachineHasCoresAndTheSiteMayUseFewer) {
  const auto all = cores_of_this_machine(0);
  ASSERT_GE(all.size(), 1u);
  std::set<int> cpus;
  for (const Core& core : all) {
    ASSERT_FALSE(core.cpus.empty());
    for (const int cpu : core.cpus) EXPECT_TRUE(cpus.insert(cpu).second) << cpu << " twice";
  }
  EXPECT_EQ(cores_of_this_machine(1).size(), 1u);
  EXPECT_EQ(cores_of_this_machine(1 << 20), all);
}

}  // namespace
}  // namespace kneepoint
