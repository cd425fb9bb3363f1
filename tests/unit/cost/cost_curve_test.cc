// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/cost/cost_curve.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/unit/analysis/evidence_builder.h"
#include "tests/unit/analysis/reference.h"

namespace kneepoint {
namespace {

PriceBook book_of(PriceItem item) {
  PriceBook book;
  book.currency = "USD";
  book.items = {std::move(item)};
  return book;
}

PriceItem per_core(std::int64_t micros) {
  PriceItem item;
  item.name = "core";
  item.per_core_hour = micros;
  return item;
}

// T(1) = 1 h with a serial share of 0.05, `repeats` runs that differ by a few per mille.
EvidenceBuilder amdahl(const std::vector<int>& ks, int repeats) {
  EvidenceBuilder builder;
  for (const int k : ks) {
    std::vector<double> times;
    for (int r = 0; r < repeats; ++r) {
      times.push_back(3600 * (0.05 + 0.95 / k) * (1 + 0.002 * (r - repeats / 2)));
    }
    builder.add(Mode::strong, k, times);
  }
  return builder;
}

std::vector<CostCurve> curves_of(const EvidenceBuilder& builder, const PriceItem& item) {
  BootstrapOptions bootstrap;
  bootstrap.seed = 7;
  bootstrap.replicates = 400;
  return cost_curves(builder.study, analyse(builder.study), book_of(item), item, bootstrap);
}

TEST(CostCurve, ACoreHourPriceGivesTheInverseOfEfficiency) {
  const auto curves = curves_of(amdahl({1, 2, 4, 8}, 5), per_core(1'000'000));
  ASSERT_EQ(curves.size(), 1U);
  ASSERT_EQ(curves[0].points.size(), 4U);
  const double base = to_units(curves[0].points[0].per_result.micros);
  for (const CostPoint& point : curves[0].points) {
    EXPECT_NEAR(to_units(point.per_result.micros) / base, 1 / point.efficiency, 2e-6);
    ASSERT_TRUE(point.per_result_interval);
    EXPECT_LE(point.per_result_interval->low, to_units(point.per_result.micros));
    EXPECT_GE(point.per_result_interval->high, to_units(point.per_result.micros));
    EXPECT_TRUE(point.on_frontier);  // more workers: faster and more expensive
    EXPECT_NEAR(point.frontier_share.value(), 1, 1e-12);
  }
}

TEST(CostCurve, AFixedFeeMovesTheCheapestK) {
  PriceItem item = per_core(1'000'000);
  item.per_hour = 10'000'000;  // F/p = 10
  std::vector<int> ks;
  for (int k = 1; k <= 32; ++k) ks.push_back(k);
  const auto curves = curves_of(amdahl(ks, 1), item);
  ASSERT_EQ(curves.size(), 1U);
  const CostPoint* best = &curves[0].points[0];
  for (const CostPoint& point : curves[0].points) {
    if (point.per_result.micros < best->per_result.micros) best = &point;
  }
  EXPECT_EQ(best->k, 14);
  for (const CostPoint& point : curves[0].points) {
    EXPECT_EQ(point.on_frontier, point.k >= 14) << point.k;
    EXPECT_FALSE(point.per_result_interval);  // single runs
  }
}

TEST(CostCurve, TheValueOfAnHourBetweenNeighbours) {
  const auto curves = curves_of(amdahl({1, 2}, 5), per_core(1'000'000));
  ASSERT_EQ(curves[0].break_evens.size(), 1U);
  const CostPoint &one = curves[0].points[0], &two = curves[0].points[1];
  const double want = (to_units(two.per_result.micros) - to_units(one.per_result.micros)) /
                      ((one.seconds - two.seconds) / 3600);
  EXPECT_NEAR(to_units(curves[0].break_evens[0].per_hour.micros), want, 1e-6);
  EXPECT_GT(want, 0);
}

TEST(CostCurve, FailedRunsArePaidFor) {
  EvidenceBuilder builder;
  PointEvidence& point = builder.add(Mode::strong, 1, {3600, 3600, 3600});
  builder.add_run(point, failed_run(AttemptState::failed, Reason::exit_code));
  const auto curves = curves_of(builder, per_core(1'000'000));
  ASSERT_EQ(curves.size(), 1U);
  EXPECT_NEAR(curves[0].points[0].success, 0.75, 1e-12);
  EXPECT_EQ(curves[0].points[0].per_result.micros, 1'333'333);
  EXPECT_EQ(curves[0].points[0].bill.total, 1'000'000);
}

TEST(CostCurve, AWeakCurveWithoutResultsSaysWhatItsCostIsOf) {
  EvidenceBuilder builder;
  builder.add(Mode::weak, 1, {10, 10, 10});
  builder.add(Mode::weak, 2, {11, 11, 11});
  const auto curves = curves_of(builder, per_core(1'000'000));
  ASSERT_EQ(curves.size(), 1U);
  bool said = false;
  for (const std::string& note : curves[0].notes) {
    said = said || note.find("grows with K") != std::string::npos;
  }
  EXPECT_TRUE(said);
}

TEST(CostCurve, AStudyWithoutARunHasNoCost) {
  EvidenceBuilder builder;
  builder.add(Mode::strong, 1, {});
  EXPECT_TRUE(curves_of(builder, per_core(1)).empty());
}

TEST(CostCurve, TheFrontierKeepsWhatNothingBeats) {
  EXPECT_EQ(frontier({4, 2, 3, 1}, {1, 2, 3, 2}), (std::vector<bool>{true, false, false, true}));
  EXPECT_EQ(frontier({1, 1}, {2, 2}), (std::vector<bool>{true, true}));
  EXPECT_EQ(frontier({1, 2}, {INFINITY, 2}), (std::vector<bool>{false, true}));
}

TEST(CostCurve, TimesInAWrongUnitAreSaidNotBilled) {
  EvidenceBuilder builder;
  builder.add(Mode::strong, 1, {10, 10});
  builder.add(Mode::strong, 2, {1e11, 1e11});
  PriceBook book;
  book.currency = "USD";
  PriceItem item;
  item.per_node_hour = 1'000'000;
  const auto curves = cost_curves(builder.study, analyse(builder.study), book, item, {});
  ASSERT_EQ(curves.at(0).points.size(), 1u);
  bool said = false;
  for (const std::string& note : curves[0].notes) {
    said = said || note.find("is its time in the right unit?") != std::string::npos;
  }
  EXPECT_TRUE(said);
}

}  // namespace
}  // namespace kneepoint
