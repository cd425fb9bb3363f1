// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/answers/estimate.h"

#include <gtest/gtest.h>

namespace kneepoint {
namespace {

// 10, 20 and 40 node-minutes a run: 70 of each repeat, 5 repeats = 5.83 node-hours.
Study study(double node_hours) {
  Study s;
  for (const int k : {1, 2, 4}) {
    Point p;
    p.case_name = "x";
    p.k = k;
    p.shape.nodes = k;
    p.shape.ranks = k;
    p.modelled_seconds = 600;
    s.points.push_back(p);
  }
  s.plan.limits.node_hours = node_hours;
  return s;
}

StudyPrice price(const std::string& currency = "USD") {
  StudyPrice p{"prices.yaml", currency, false, {}};
  p.item.name = "node";
  p.item.per_node_hour = 3'000'000;
  return p;
}

Study with_amount(std::int64_t micros) {
  Study s = study(0);
  s.plan.limits.amount_micros = micros;
  s.plan.limits.currency = "USD";
  return s;
}

std::string refusal(const Study& s, const std::optional<StudyPrice>& p = std::nullopt) {
  const BudgetAnswer answer = fit_budget(s, {}, p);
  return answer.refusals.empty() ? "" : answer.refusals.front();
}

TEST(Budget, NoBudgetNoAnswer) {
  const BudgetAnswer answer = fit_budget(study(0), {}, std::nullopt);
  EXPECT_EQ(answer.sentence, "");
  EXPECT_TRUE(answer.refusals.empty());
}

TEST(Budget, APlanThatFitsIsTakenAndItsBudgetTold) {
  const BudgetAnswer answer = fit_budget(study(6), {}, std::nullopt);
  EXPECT_EQ(answer.sentence, "6 node-hours");
  EXPECT_TRUE(answer.refusals.empty());
  EXPECT_TRUE(answer.warnings.empty());
}

TEST(Budget, APlanThatCanNotFitIsToldWhatWould) {
  EXPECT_EQ(refusal(study(4)),
            "the plan comes to 5.83 node-hours by the workloads' models, and the budget "
            "(limits.budget) is 4 node-hours. What would fit: repeat: 3 (3.5 node-hours); or K up "
            "to 2 (2.5 node-hours); or a budget of 5.84 node-hours");
  SiteLimits site;
  site.node_hours = 1;
  const BudgetAnswer answer = fit_budget(study(4), site, std::nullopt);
  ASSERT_EQ(answer.refusals.size(), 1U);
  EXPECT_NE(answer.refusals[0].find("limits.node_hours of the site) is 1 node-hours"),
            std::string::npos)
      << answer.refusals[0];
}

TEST(Budget, MoneyIsComparedToTheMillionth) {
  EXPECT_EQ(refusal(with_amount(17'500'000), price()), "");  // 70 x 5 minutes at 3 an hour
  EXPECT_EQ(
      refusal(with_amount(17'499'999), price()),
      "the plan comes to 17.50 USD by the workloads' models, and the budget (limits.budget) "
      "is 17.499999 USD. What would fit: repeat: 4 (14.00 USD); or K up to 2 (7.50 USD); or a "
      "budget of 17.50 USD");
}

TEST(Budget, MissingPriceMixedCurrenciesAndPricesOfNothingHaveClearAnswers) {
  EXPECT_NE(refusal(with_amount(1'000'000)).find("nothing says what runs cost: give a price book"),
            std::string::npos);
  EXPECT_EQ(refusal(with_amount(100'000'000), price("EUR")),
            "limits.budget is in USD, and the prices of prices.yaml are in EUR: give both in one "
            "currency, rates are not known here");
  StudyPrice gpu = price();
  gpu.item.per_node_hour = 0;
  gpu.item.per_gpu_hour = 2'000'000;
  EXPECT_NE(refusal(with_amount(100'000'000), gpu).find("charges nothing for runs of this plan"),
            std::string::npos);
}

TEST(Budget, RunsWithoutAModelAreTakenAtTheirTimeLimit) {
  Study s = study(6);
  s.points[2].modelled_seconds = 0;  // 4 nodes x 20 minutes = 1.33 node-hours, five times
  BudgetAnswer answer = fit_budget(s, {}, std::nullopt);
  EXPECT_TRUE(answer.refusals.empty());
  ASSERT_EQ(answer.warnings.size(), 1U);
  EXPECT_NE(answer.warnings[0].find("comes to 9.17 node-hours"), std::string::npos)
      << answer.warnings[0];
  s.plan.limits.node_hours = 1;
  EXPECT_NE(refusal(s).find("K=4 has no model and may take its time limit of 20 min 00 s: "
                            "estimated 1.33 node-hours per run"),
            std::string::npos)
      << refusal(s);
}

TEST(Budget, AnAdaptiveSearchIsRefusedOnlyWhenItsFirstRoundDoesNotFit) {
  Study s = study(4);
  s.plan.search.adaptive = true;  // round 0: two runs at each, 2.33 node-hours
  const BudgetAnswer answer = fit_budget(s, {}, std::nullopt);
  EXPECT_TRUE(answer.refusals.empty());
  EXPECT_EQ(answer.warnings.size(), 1U);
  s.plan.limits.node_hours = 2;
  EXPECT_NE(refusal(s).find("the first round of the search comes to 2.33 node-hours"),
            std::string::npos)
      << refusal(s);
}

}  // namespace
}  // namespace kneepoint
