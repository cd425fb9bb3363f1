// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/engine/spending.h"

#include <gtest/gtest.h>

namespace kneepoint {
namespace {

StudyPrice price_of(std::int64_t per_node_hour) {
  StudyPrice price{"p.yaml", "EUR", false, {}};
  price.item.name = "node";
  price.item.per_node_hour = per_node_hour;
  return price;
}

Point on(int nodes) {
  Point point;
  point.k = nodes;
  point.shape.nodes = nodes;
  point.shape.ranks = nodes;
  return point;
}

TEST(Spending, WithoutAPriceOnlyNodeHoursAreCounted) {
  Spending spending(std::nullopt);
  spending.add("a", on(4), 4, kHour);
  EXPECT_DOUBLE_EQ(spending.node_seconds(), 4 * 3600);
  EXPECT_EQ(spending.micros(), 0);
  const Point four = on(4);
  EXPECT_EQ(spending.added_by("", {&four}, 3600), 0);
  EXPECT_EQ(spending.text(), "");
}

TEST(Spending, IsTheSumOfTheBillsToTheMillionth) {
  Spending spending(price_of(2'500'001));
  spending.add("a", on(3), 3, kHour);
  spending.add("b", on(1), 1, kHour / 2);
  EXPECT_EQ(spending.micros(), 3 * 2'500'001 + 1'250'001);  // half a millionth is rounded up
  EXPECT_EQ(spending.text(), "8.75 EUR");
}

TEST(Spending, StepsOfOneAllocationAreBilledTogether) {
  StudyPrice price = price_of(1'000'000);
  price.item.per_job = 5'000'000;
  price.item.granularity = kHour;
  Spending spending(price);
  spending.add("packed", on(2), 4, kHour / 4);
  EXPECT_EQ(spending.micros(), 9'000'000);
  spending.add("packed", on(4), 4, kHour / 4);  // within the hour that is paid
  EXPECT_EQ(spending.micros(), 9'000'000);
  const Point one = on(1);
  EXPECT_EQ(spending.added_by("packed", {&one}, 1800), 0);
  EXPECT_EQ(spending.added_by("packed", {&one}, 1801), 4'000'000);
  EXPECT_EQ(spending.added_by("", {&one}, 1), 6'000'000);
}

TEST(Spending, BeginsWithWhatTheStoreHas) {
  StudyEvidence evidence;
  evidence.node_seconds = 7200;
  evidence.allocations = {{"a", 2, 0, 2, 2, kHour}};
  Spending spending(price_of(3'000'000));
  spending.begin(evidence);
  EXPECT_EQ(spending.micros(), 6'000'000);
  spending.begin(evidence);  // not twice
  EXPECT_EQ(spending.micros(), 6'000'000);
  EXPECT_EQ(spend_of(evidence, price_of(3'000'000)).micros, 6'000'000);
}

TEST(Spending, WhatWasBilledByAnotherPriceStaysSo) {
  StudyEvidence evidence;
  evidence.allocations = {{"a", 1, 0, 1, 1, kHour, 1}, {"b", 1, 0, 1, 1, kHour, 0}};
  Spending spending(price_of(5'000'000), {price_of(3'000'000)});
  spending.begin(evidence);
  EXPECT_EQ(spending.micros(), 8'000'000);
  EXPECT_EQ(spend_of(evidence, price_of(5'000'000), {price_of(3'000'000)}).micros, 8'000'000);
  const Point one = on(1);
  EXPECT_EQ(spending.added_by("", {&one}, 3600), 5'000'000) << "new ones by the new price";
}

class NeedsTest : public ::testing::Test {
 protected:
  NeedsTest() {
    study_.points = {on(2)};
    study_.plan.limits.timeout = 10 * kMinute;
  }
  StepTimes times() {
    return need_of_all({0}, table_, study_, {}, Spending(std::nullopt), false).claim.steps.at(0);
  }
  Study study_;
  RunTable table_;
};

RunRow open_run() {
  RunRow row;
  row.row = 1;
  row.point = 9;
  return row;
}

TEST_F(NeedsTest, ARunOfWhichNothingIsKnownIsTakenAtItsTimeLimit) {
  table_.load({open_run()}, {{9, 0}}, "/d");
  EXPECT_EQ(times().least, 10 * kMinute);
  study_.points[0].modelled_seconds = 60;
  EXPECT_EQ(times().least, kMinute);
  table_.note_elapsed(0, 30);
  EXPECT_EQ(times().least, 30 * kSecond);
  EXPECT_EQ(times().nodes, 2);
}

TEST_F(NeedsTest, ARunThatTheBudgetCutNeedsTwiceThatTime) {
  RunRow row = open_run();
  row.attempts = 1;
  row.last = AttemptRow{.state = AttemptState::cancelled, .reason = Reason::over_budget};
  row.last->limit_ns = 2 * kMinute;
  table_.load({row}, {{9, 0}}, "/d");
  table_.note_elapsed(0, 30);
  EXPECT_EQ(times().least, 4 * kMinute);
}

TEST_F(NeedsTest, AnAllocationThatRunsIsHeldBackAtTheLimitsOfItsSteps) {
  RunRow row = open_run();
  row.last = AttemptRow{.state = AttemptState::running, .allocation = "kp-1"};
  row.last->limit_ns = kMinute;
  table_.load({row}, {{9, 0}}, "/d");
  table_.allocation_of(0).nodes = 2;
  Capabilities backend;
  backend.overrun = 30 * kSecond;
  const Spending spending(price_of(6'000'000));
  const Usage usage = usage_of(table_, study_, backend, spending, false);
  EXPECT_DOUBLE_EQ(usage.node_seconds, 2 * 90);
  EXPECT_EQ(usage.micros, 300'000);
  EXPECT_EQ(usage.runs, 1);
}

}  // namespace
}  // namespace kneepoint
