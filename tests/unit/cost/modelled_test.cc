// SPDX-License-Identifier: Apache-2.0
//
// K that were not measured: which ones, what they hold and cost, and that they carry their mark.
#include "orchestrator/cost/cost_curve.h"

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

#include "orchestrator/cost/recommend.h"
#include "tests/unit/analysis/evidence_builder.h"

namespace kneepoint {
namespace {

double time_at(int k) {
  return 3600 * (0.05 + 0.95 / k) + 36 * std::log2(k);
}

PriceItem core_price() {
  PriceItem item;
  item.name = "core";
  item.per_core_hour = 1'000'000;
  return item;
}

CostCurve price(const std::vector<int>& ks, bool modelled = true) {
  EvidenceBuilder builder;
  for (const int k : ks) {
    std::vector<double> times;
    for (int r = 0; r < 5; ++r) times.push_back(time_at(k) * (1 + 0.004 * (r - 2)));
    builder.add(Mode::strong, k, times);
  }
  PriceBook book;
  book.currency = "USD";
  BootstrapOptions bootstrap;
  bootstrap.seed = 3;
  bootstrap.replicates = 400;
  const StudyAnalysis analysis = analyse(builder.study);
  CostCurve curve = cost_curves(builder.study, analysis, book, core_price(), bootstrap).at(0);
  if (modelled) add_modelled(analysis.curves[0], book, core_price(), bootstrap, curve);
  return curve;
}

const CostPoint& at(const CostCurve& curve, int k) {
  for (const CostPoint& point : curve.points) {
    if (point.k == k) return point;
  }
  throw std::out_of_range("no such K");
}

TEST(Modelled, DoublingsAndHalfStepsThatWereNotMeasured) {
  EXPECT_EQ(modelled_ks(price({1, 2, 4, 8, 16, 32}, false)),
            (std::vector<int>{3, 6, 12, 24, 48, 64, 96, 128}));
}

TEST(Modelled, TimesAreNearTheTruthAndItsCostInsideTheInterval) {
  const CostCurve curve = price({1, 2, 4, 8, 16, 32});
  for (const int k : {3, 12, 24, 64}) {
    const CostPoint& point = at(curve, k);
    EXPECT_TRUE(point.modelled);
    EXPECT_NEAR(point.seconds / time_at(k), 1, 0.03) << k;
    const double truth = time_at(k) / 3600 * k;
    ASSERT_TRUE(point.per_result_interval);
    EXPECT_LT(point.per_result_interval->low, truth) << k;
    EXPECT_GT(point.per_result_interval->high, truth) << k;
    EXPECT_EQ(point.use.cores, k);
    EXPECT_EQ(point.flags.at(0), k <= 32 ? "modelled" : "modelled, beyond the K measured");
  }
  EXPECT_FALSE(at(curve, 16).modelled);
}

TEST(Modelled, PointsStayInOrderWithTheirDraws) {
  const CostCurve curve = price({1, 2, 4, 8, 16, 32});
  ASSERT_EQ(curve.cost_draws.size(), curve.points.size());
  for (std::size_t i = 0; i < curve.points.size(); ++i) {
    if (i > 0) {
      EXPECT_LT(curve.points[i - 1].k, curve.points[i].k);
    }
    EXPECT_EQ(curve.cost_draws[i].empty(), curve.points[i].modelled);
  }
}

TEST(Modelled, TheFastestMayBeOneNobodyMeasuredAndIsToBeMeasuredNext) {
  const CostCurve curve = price({1, 2, 4, 8, 16, 32});
  RecommendRequest request;
  request.objective = Objective::time;
  const Recommendation choice = recommend(curve, core_price(), request);
  ASSERT_NE(choice.chosen, nullptr);
  EXPECT_TRUE(choice.chosen->modelled);
  EXPECT_GT(choice.chosen->k, 32);
  EXPECT_EQ(choice.next_k, choice.chosen->k);
  ASSERT_TRUE(choice.next_cost);
  EXPECT_EQ(choice.next_cost->micros, 5 * choice.chosen->bill.total);
}

TEST(Modelled, TooFewKAreSaidInsteadOfGuessed) {
  const CostCurve curve = price({1, 2});
  EXPECT_EQ(curve.points.size(), 2u);
  bool said = false;
  for (const std::string& note : curve.notes) said = said || note.starts_with("nothing modelled: ");
  EXPECT_TRUE(said);
}

}  // namespace
}  // namespace kneepoint
