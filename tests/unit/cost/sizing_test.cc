// SPDX-License-Identifier: Apache-2.0
//
// Sizing on mixes whose answer can be reasoned out, and what it says where there is none.
#include "orchestrator/cost/sizing.h"

#include <gtest/gtest.h>

#include "tests/unit/cost/mix_builder.h"

namespace kneepoint {
namespace {

// The vendor's curves: strong retraining with its knee at 64, weak pre-training that holds to 256,
// which takes 1/K of the time for the same tokens.
SizingMix vendor_mix() {
  const std::vector<std::pair<int, double>> strong = {
      {1, 1}, {8, 7.9}, {16, 15.6}, {32, 30.5}, {64, 57.9}, {128, 106}, {256, 180}};
  const std::vector<std::pair<int, double>> weak = {
      {64, 62.1}, {128, 123}, {192, 183.7}, {256, 244}};
  SizingMix mix;
  mix.nodes = 256;
  mix.node_hour_micros = 1'000'000;
  const auto workload = [](const std::string& name, Mode mode, double hours,
                           const std::vector<std::pair<int, double>>& speedups) {
    SizingWorkload one;
    one.name = name;
    one.mode = mode;
    for (const auto& [k, speedup] : speedups) {
      const double seconds = 3600 * hours / speedup;
      one.options.push_back(
          {k, k, seconds, {seconds}, false, std::llround(seconds * k / 3600 * 1e6)});
    }
    return one;
  };
  mix.workloads.push_back(workload("retraining", Mode::strong, 100, strong));
  mix.workloads.back().per_hour = 2.0 / 24;
  mix.workloads.back().deadline_seconds = 3.2 * 3600;
  mix.workloads.push_back(workload("pretraining", Mode::weak, 2400, weak));
  mix.workloads.back().per_hour = 1.0 / 24;
  mix.workloads.back().periodic = true;
  mix.workloads.back().deadline_seconds = 18 * 3600;
  return mix;
}

TEST(Sizing, TheVendorsStrongJobsGetSixtyFourAndTheWeakOnesTheRest) {
  const SizingMix mix = vendor_mix();
  const SizingAnswer answer = size_partitions(mix);
  ASSERT_TRUE(answer.cut) << answer.why;
  ASSERT_EQ(answer.cut->partitions.size(), 2u);
  EXPECT_EQ(answer.cut->partitions[0].nodes, 64);
  EXPECT_EQ(answer.cut->partitions[1].nodes, 192);
  EXPECT_EQ(mix.workloads[0].options[static_cast<std::size_t>(answer.cut->options[0])].k, 64);
  EXPECT_EQ(mix.workloads[1].options[static_cast<std::size_t>(answer.cut->options[1])].k, 192);
  EXPECT_TRUE(answer.outcome.feasible);
  EXPECT_LE(answer.outcome.workloads[0].queue.missed, 0.05);
  // Running everything as large as the slide says costs more and keeps nobody's deadline better.
  const auto large = largest_k(mix);
  ASSERT_TRUE(large);
  const CutOutcome other = assess(mix, *large);
  EXPECT_GT(other.hour_micros, answer.outcome.hour_micros);
}

TEST(Sizing, WithoutDeadlinesTheCheapestKWins) {
  SizingMix mix;
  mix.nodes = 8;
  mix.workloads = {amdahl_workload("a", 3600, 0.1, 0, {1, 2, 4}, 1),
                   amdahl_workload("b", 1800, 0.1, 0, {2, 4}, 1)};
  const SizingAnswer answer = size_partitions(mix);
  ASSERT_TRUE(answer.cut);
  EXPECT_EQ(answer.cut->options, (std::vector<int>{0, 0}));
  EXPECT_EQ(answer.cut->nodes(), 4);  // offered 1 of a node: two of them, or the queue grows
  EXPECT_EQ(answer.outcome.hour_micros, 1'000'000 + 550'000);
  ASSERT_TRUE(answer.outcome.results_per_unit);
  EXPECT_NEAR(*answer.outcome.results_per_unit, 2 / 1.55, 1e-9);
  EXPECT_NEAR(*answer.cost_bound, 1.55, 1e-6);
}

// Jobs of 100 s on one node each, half an hour's worth of them an hour: one node is an M/D/1 queue
// at load 0.5, where (1 - 0.5) e^(0.5 x 0.6) of them wait no longer than 60 s.
TEST(Sizing, SoManyJobsKeepTheDeadlineAsIsAskedFor) {
  SizingMix mix;
  mix.nodes = 4;
  mix.workloads = {amdahl_workload("a", 100, 0, 0, {1}, 18)};
  mix.workloads[0].deadline_seconds = 160;
  Cut one_node;
  one_node.partitions = {{{0}, 1}};
  one_node.options = {0};
  const CutOutcome apart = assess(mix, one_node);
  EXPECT_NEAR(apart.workloads[0].queue.missed, 1 - 0.5 * std::exp(0.3), 0.03);  // 0.325
  // On average wait + run are 150 s, within the deadline: that is not enough.
  EXPECT_LT(apart.workloads[0].queue.wait.mean + 100, 160);
  EXPECT_FALSE(apart.feasible);
  mix.workloads[0].in_time = 0.6;
  EXPECT_TRUE(assess(mix, one_node).feasible);
  mix.workloads[0].in_time = 0.95;
  mix.pay = Pay::held;
  mix.node_hour_micros = 1'000'000;
  const SizingAnswer answer = size_partitions(mix);
  ASSERT_TRUE(answer.cut) << answer.why;
  EXPECT_EQ(answer.cut->nodes(), 2);  // the fewest that do
  EXPECT_LE(answer.outcome.workloads[0].queue.missed, 0.05);
}

TEST(Sizing, TimesThatVaryTooMuchAreNotBlamedOnTheQueue) {
  SizingMix mix;
  mix.nodes = 4;
  mix.workloads = {amdahl_workload("a", 100, 0, 0, {1}, 1)};
  mix.workloads[0].deadline_seconds = 120;
  mix.workloads[0].options[0].times = {90, 95, 100, 110, 130};
  EXPECT_EQ(size_partitions(mix).why,
            "a: its times vary too much: 95% of the jobs must keep the deadline of 2 min, and "
            "without any wait at most 80% would, at K=1");
  mix.workloads[0].in_time = 0.75;
  EXPECT_TRUE(size_partitions(mix).cut);
  mix.workloads[0].options[0].times = {100};
  mix.workloads[0].spread = 0.5;
  // P(N <= (ln 1.2 + ln(1.25)/2) / sqrt(ln 1.25)) = P(N <= 0.6222) = 0.733
  mix.workloads[0].in_time = 0.95;
  EXPECT_NE(size_partitions(mix).why.find("at most 73.3% would"), std::string::npos)
      << size_partitions(mix).why;
}

TEST(Sizing, TheOnlyPartitionGetsTheNodesThatNobodyElseNeeds) {
  SizingMix mix;
  mix.nodes = 4;
  mix.node_hour_micros = 1'000'000;
  mix.workloads = {amdahl_workload("a", 100, 0, 0, {1}, 18)};
  SizingAnswer answer = size_partitions(mix);
  ASSERT_TRUE(answer.cut);
  EXPECT_EQ(answer.cut->nodes(), 4);
  EXPECT_LT(answer.outcome.workloads[0].queue.wait.mean, 1);
  mix.pay = Pay::held;  // where idle nodes are paid for it has what it needs
  answer = size_partitions(mix);
  ASSERT_TRUE(answer.cut);
  EXPECT_EQ(answer.cut->nodes(), 1);
}

TEST(Sizing, SharingIsFoundWhereApartDoesNotFit) {
  // Each needs all four nodes for its deadline, and is there a tenth of the time.
  SizingMix mix;
  mix.nodes = 4;
  mix.workloads = {amdahl_workload("a", 400, 0.001, 0, {4}, 3.6),
                   amdahl_workload("b", 400, 0.001, 0, {4}, 3.6)};
  for (SizingWorkload& one : mix.workloads) one.deadline_seconds = 250;
  for (const int enumerate : {0, 1000}) {
    const SizingAnswer answer = size_partitions(mix, {.enumerate_up_to = enumerate});
    ASSERT_TRUE(answer.cut) << answer.why;
    ASSERT_EQ(answer.cut->partitions.size(), 1u);
    EXPECT_EQ(answer.cut->partitions[0].nodes, 4);
    EXPECT_TRUE(answer.outcome.feasible);
  }
}

TEST(Sizing, WhatNoCutCanDoIsSaid) {
  SizingMix mix;
  mix.nodes = 4;
  mix.workloads = {amdahl_workload("late", 3600, 0.1, 0, {1, 2, 4, 8}, 0.1)};
  mix.workloads[0].deadline_seconds = 60;
  EXPECT_EQ(size_partitions(mix).why,
            "late: no K that fits is fast enough; the fastest, K=4, takes 19.5 min without any "
            "wait, and its deadline is 60 s");
  mix.workloads = {amdahl_workload("large", 3600, 0.1, 0, {8, 16}, 0.1)};
  EXPECT_EQ(size_partitions(mix).why, "large: its smallest K, 8, needs 8 nodes; there are 4");
  mix.workloads = {amdahl_workload("much", 3600, 0.1, 0, {1, 2}, 5)};
  const SizingAnswer over = size_partitions(mix);
  EXPECT_FALSE(over.cut);
  EXPECT_NE(over.why.find("overload: at best 5 of 4 nodes"), std::string::npos) << over.why;
  EXPECT_EQ(over.nodes_needed, 6);
  mix.workloads = {amdahl_workload("tight", 3600, 0.1, 0, {1}, 3.5)};
  mix.workloads[0].deadline_seconds = 3601;
  const SizingAnswer tight = size_partitions(mix);
  EXPECT_NE(tight.why.find("no cut of 4 nodes keeps every deadline"), std::string::npos)
      << tight.why;
  ASSERT_TRUE(tight.nodes_needed);
  EXPECT_GT(*tight.nodes_needed, 4);
}

TEST(Sizing, AnOverloadedCutHasNoResultsPerCostAndNoNumberThatIsNone) {
  SizingMix mix;
  mix.nodes = 4;
  mix.workloads = {amdahl_workload("much", 3600, 0.1, 0, {1, 2}, 5)};
  const auto shared = one_shared_partition(mix);
  ASSERT_TRUE(shared);
  const CutOutcome outcome = assess(mix, *shared);
  EXPECT_TRUE(outcome.saturated);
  EXPECT_FALSE(outcome.feasible);
  EXPECT_FALSE(outcome.results_per_unit);
  EXPECT_EQ(outcome.workloads[0].queue.wait.mean, 0);
}

TEST(Sizing, FreeMachinesGiveACutWithoutResultsPerCost) {
  SizingMix mix;
  mix.nodes = 4;
  mix.workloads = {amdahl_workload("a", 3600, 0.1, 0, {1, 2}, 0.5)};
  for (SizingOption& option : mix.workloads[0].options) option.job_micros = 0;
  const SizingAnswer answer = size_partitions(mix);
  ASSERT_TRUE(answer.cut);
  EXPECT_FALSE(answer.outcome.results_per_unit);
}

TEST(Sizing, HeldNodesArePaidIdleOrNot) {
  SizingMix mix = vendor_mix();
  mix.pay = Pay::held;
  const SizingAnswer answer = size_partitions(mix);
  ASSERT_TRUE(answer.cut);
  EXPECT_EQ(answer.outcome.hour_micros, answer.cut->nodes() * std::int64_t{1'000'000});
}

TEST(Sizing, EvenPartsAndAJobTooLargeForItsPart) {
  SizingMix mix = vendor_mix();
  const auto even = even_partitions(mix);
  ASSERT_TRUE(even);
  EXPECT_EQ(even->partitions.at(0).nodes, 128);
  EXPECT_FALSE(assess(mix, *even).feasible);  // pre-training at 128 is too slow
  Cut cut = *even;
  cut.options[1] = 3;
  const CutOutcome outcome = assess(mix, cut);
  EXPECT_TRUE(outcome.workloads[1].too_large);
  EXPECT_FALSE(outcome.feasible);
}

}  // namespace
}  // namespace kneepoint
