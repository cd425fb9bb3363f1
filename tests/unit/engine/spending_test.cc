// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/engine/spending.h"

#include <gtest/gtest.h>

#include "orchestrator/engine/needs.h"

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

TEST(Needs, ARunOfWhichNothingIsKnownIsTakenAtItsTimeLimit) {
  Study study;
  study.points = {on(2)};
  study.plan.limits.timeout = 10 * kMinute;
  RunRow row;
  row.row = 1;
  row.point = 9;
  RunTable table;
  table.load({row}, {{9, 0}}, "/d");
  const Spending spending(price_of(6'000'000));
  Need need = need_of_all({0}, table, study, {}, spending);
  EXPECT_DOUBLE_EQ(need.node_seconds, 1200);
  EXPECT_EQ(need.micros, 2'000'000);
  study.points[0].modelled_seconds = 60;
  EXPECT_EQ(need_of_all({0}, table, study, {}, spending).micros, 200'000);
  table.note_elapsed(0, 30);
  EXPECT_EQ(need_of_all({0}, table, study, {}, spending).micros, 100'000);
}

}  // namespace
}  // namespace kneepoint
