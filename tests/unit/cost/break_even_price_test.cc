// SPDX-License-Identifier: Apache-2.0
//
// The price at which another machine costs the same: docs/methods.md's p_B / p_A < n_A T_A /
// (n_B T_B), and what fees and steps do to it.
#include "orchestrator/cost/billing.h"

#include <gtest/gtest.h>

#include "orchestrator/analysis/statistics/intervals.h"

namespace kneepoint {
namespace {

PriceItem nodes_at(std::int64_t micros) {
  PriceItem item;
  item.per_node_hour = micros;
  return item;
}

PricedRuns runs(int nodes, std::vector<double> seconds) {
  PricedRuns out;
  out.use.nodes = nodes;
  out.use.gpus = 8 * nodes;
  out.use.cores = out.use.workers = 64 * nodes;
  out.seconds = std::move(seconds);
  return out;
}

const BootstrapOptions kBootstrap = {7, 400, 1};

TEST(BreakEvenPrice, PlainNodeHoursFollowTheFormula) {
  const auto a = runs(4, {3600}), b = runs(2, {5760});
  const BreakEvenPrice answer =
      break_even_price(4, nodes_at(2'500'000), a, nodes_at(1'000'000), b, "EUR", kBootstrap);
  ASSERT_TRUE(answer.below);
  // 2.50 * (4 * 3600) / (2 * 5760) = 3.125
  EXPECT_EQ(answer.below->micros, 3'125'000);
  EXPECT_EQ(answer.below->currency, "EUR");
  EXPECT_EQ(answer.unit, PriceUnit::node);
  EXPECT_FALSE(answer.interval);  // one value
}

TEST(BreakEvenPrice, AtThatPriceAResultCostsTheSame) {
  auto item_b = nodes_at(900'000);
  item_b.per_job = 250'000;
  item_b.granularity = kMinute;
  item_b.setup = 90 * kSecond;
  const auto a = runs(4, {3000, 3100, 3200}), b = runs(3, {2000, 2100, 2200});
  const PriceItem item_a = nodes_at(2'000'000);
  const BreakEvenPrice answer = break_even_price(8, item_a, a, item_b, b, "EUR", kBootstrap);
  ASSERT_TRUE(answer.below && answer.interval);
  item_b.per_node_hour = answer.below->micros;
  const std::int64_t here = bill_run(item_a, a.use, 3100 * kSecond).total;
  const std::int64_t there = bill_run(item_b, b.use, 2100 * kSecond).total;
  EXPECT_NEAR(static_cast<double>(here), static_cast<double>(there), 3);
  EXPECT_LE(answer.interval->low, to_units(answer.below->micros));
  EXPECT_GE(answer.interval->high, to_units(answer.below->micros));
  EXPECT_EQ(answer.interval->method, "bootstrap");
}

TEST(BreakEvenPrice, TheIntervalOfPlainHoursIsThatOfTheRatio) {
  const std::vector<double> ta = {98, 99, 100, 101, 102}, tb = {78, 79, 80, 81, 82};
  const BreakEvenPrice answer = break_even_price(1, nodes_at(1'000'000), runs(1, ta),
                                                 nodes_at(1'000'000), runs(1, tb), "X", kBootstrap);
  const auto ratio = ratio_interval(ta, tb);
  ASSERT_TRUE(answer.interval);
  EXPECT_NEAR(answer.interval->low, ratio->low, 1e-6);
  EXPECT_NEAR(answer.interval->high, ratio->high, 1e-6);
  EXPECT_EQ(answer.interval->method, ratio->method);
}

TEST(BreakEvenPrice, RunsOfAMillisecondLoseNoDigit) {
  const BreakEvenPrice answer =
      break_even_price(1, nodes_at(1'000'000), runs(1, {0.001}), nodes_at(1'000'000),
                       runs(1, {0.0008}), "X", kBootstrap);
  ASSERT_TRUE(answer.below);
  EXPECT_EQ(answer.below->micros, 1'250'000);
}

TEST(BreakEvenPrice, GpusAndOwnedNodesHaveTheirOwnUnit) {
  PriceItem gpus;
  gpus.per_gpu_hour = 1'000'000;
  const BreakEvenPrice answer = break_even_price(1, nodes_at(16'000'000), runs(1, {100}), gpus,
                                                 runs(1, {100}), "EUR", kBootstrap);
  EXPECT_EQ(answer.unit, PriceUnit::gpu);
  EXPECT_EQ(answer.below->micros, 2'000'000);  // 8 GPUs for the price of a node
  PriceItem owned;
  owned.owned = OwnedPrice{};
  EXPECT_EQ(price_unit(owned), PriceUnit::node);
}

TEST(BreakEvenPrice, WhatIsNotHeldHasNoPrice) {
  PriceItem gpus;
  gpus.per_gpu_hour = 1'000'000;
  PricedRuns without = runs(1, {100});
  without.use.gpus = 0;
  const BreakEvenPrice answer =
      break_even_price(1, nodes_at(1'000'000), runs(1, {100}), gpus, without, "EUR", kBootstrap);
  EXPECT_TRUE(answer.unused);
  EXPECT_FALSE(answer.below);
  EXPECT_FALSE(answer.interval);
  EXPECT_FALSE(break_even_price(1, nodes_at(1'000'000), runs(1, {100}), gpus, runs(1, {100}), "EUR",
                                kBootstrap)
                   .unused);
}

TEST(BreakEvenPrice, FeesAboveTheCostOfALeaveNoPrice) {
  auto item_b = nodes_at(1'000'000);
  item_b.per_job = 50'000'000;
  const BreakEvenPrice answer = break_even_price(1, nodes_at(1'000'000), runs(1, {3600}), item_b,
                                                 runs(1, {10}), "EUR", kBootstrap);
  EXPECT_FALSE(answer.below);
  EXPECT_FALSE(answer.interval);
}

}  // namespace
}  // namespace kneepoint
