// SPDX-License-Identifier: Apache-2.0
//
// One table of objectives on one curve, then the odd ends: nothing feasible, ties, what to measure.
#include "orchestrator/cost/recommend.h"

#include <gtest/gtest.h>

#include "tests/unit/analysis/evidence_builder.h"

namespace kneepoint {
namespace {

struct Answer {
  std::vector<CostCurve> curves;
  Recommendation choice;
};

// K = 1, 2, 4, 8, 16 with a serial share of 0.05: T falls, the cost rises.
Answer ask(const RecommendRequest& request, const PriceItem& item, double noise = 0.002,
           std::vector<int> ks = {1, 2, 4, 8, 16}) {
  EvidenceBuilder builder;
  for (const int k : ks) {
    std::vector<double> times;
    for (int r = 0; r < 5; ++r) {
      times.push_back(3600 * (0.05 + 0.95 / k) * (1 + noise * (r - 2)));
    }
    builder.add(Mode::strong, k, times);
  }
  PriceBook book;
  book.currency = "USD";
  BootstrapOptions bootstrap;
  bootstrap.seed = 3;
  bootstrap.replicates = 400;
  Answer answer;
  answer.curves = cost_curves(builder.study, analyse(builder.study), book, item, bootstrap);
  answer.choice = recommend(answer.curves.at(0), item, request);
  return answer;
}

PriceItem core_price_with_energy() {
  PriceItem item;
  item.name = "core";
  item.per_core_hour = 1'000'000;
  item.energy = {0, 100, 1, 0};
  return item;
}

TEST(Recommend, EveryObjectiveHasItsK) {
  struct Row {
    RecommendRequest request;
    int k;
  };
  // T: 3600, 1890, 1035, 607.5, 393.75 s; cost: 1, 1.05, 1.15, 1.35, 1.75.
  const Row rows[] = {
      {{.objective = Objective::cost}, 1},
      {{.objective = Objective::time}, 16},
      {{.objective = Objective::deadline, .deadline_seconds = 1100}, 4},
      {{.objective = Objective::budget, .budget_micros = 1'400'000}, 8},
      {{.objective = Objective::efficiency, .floor = 0.8}, 4},
      {{.objective = Objective::energy_delay}, 16},
      {{.objective = Objective::value_of_hour, .value_of_hour = 1}, 1},
      {{.objective = Objective::value_of_hour, .value_of_hour = 1'000'000'000}, 16},
  };
  for (const Row& row : rows) {
    const Answer answer = ask(row.request, core_price_with_energy());
    ASSERT_NE(answer.choice.chosen, nullptr) << to_string(row.request.objective);
    EXPECT_EQ(answer.choice.chosen->k, row.k) << to_string(row.request.objective);
    EXPECT_FALSE(answer.choice.tie);
  }
}

// Every margin by hand: T 3600, 1890, 1035, 607.5, 393.75 s; cost 1, 1.05, 1.15, 1.35, 1.75.
TEST(Recommend, EveryObjectiveWinsByWhatAHandReckons) {
  struct Row {
    RecommendRequest request;
    int k, second;
    double margin;
  };
  const Row rows[] = {
      {{.objective = Objective::cost}, 1, 2, 0.05},
      {{.objective = Objective::time}, 16, 8, 607.5 / 393.75 - 1},
      {{.objective = Objective::deadline, .deadline_seconds = 1100}, 4, 8, 1.35 / 1.15 - 1},
      {{.objective = Objective::budget, .budget_micros = 1'400'000}, 8, 4, 1035 / 607.5 - 1},
      // K x T x T: 8 x 607.5^2 over 16 x 393.75^2
      {{.objective = Objective::energy_delay}, 16, 8, 2952450.0 / 2480625.0 - 1},
      // Cost + 4 an hour: 1.35 + 0.675 at K=8, 1.75 + 0.4375 at K=16
      {{.objective = Objective::value_of_hour, .value_of_hour = 4'000'000},
       8,
       16,
       2.1875 / 2.025 - 1},
  };
  for (const Row& row : rows) {
    const Answer answer = ask(row.request, core_price_with_energy());
    const std::string which = to_string(row.request.objective);
    ASSERT_TRUE(answer.choice.chosen != nullptr && answer.choice.runner_up != nullptr) << which;
    EXPECT_EQ(answer.choice.chosen->k, row.k) << which;
    EXPECT_EQ(answer.choice.runner_up->k, row.second) << which;
    EXPECT_NEAR(answer.choice.margin, row.margin, 2e-6) << which;
  }
  const Answer floor =
      ask({.objective = Objective::efficiency, .floor = 0.8}, core_price_with_energy());
  EXPECT_NEAR(floor.choice.chosen->efficiency, 1 / 1.15, 1e-6);
  EXPECT_NEAR(floor.choice.runner_up->efficiency, 1 / 1.35, 1e-6);
  // 100 W x 16 workers x 393.75 s
  const Answer energy = ask({.objective = Objective::energy_delay}, core_price_with_energy());
  EXPECT_NEAR(energy.choice.chosen->kwh_per_result, 0.175, 1e-9);
}

TEST(Recommend, AnHourInTheQueueIsWorthAsMuchAsOneOfTheRun) {
  EvidenceBuilder builder;
  for (const int k : {4, 8, 16}) {
    PointEvidence& point = builder.add(Mode::strong, k, {});
    for (int r = 0; r < 3; ++r) {
      RunEvidence run = run_of(3600 * (0.05 + 0.95 / k));
      run.queue_seconds = k == 8 ? 3600 : 0;
      builder.add_run(point, run);
    }
  }
  PriceBook book;
  book.currency = "USD";
  const PriceItem item = core_price_with_energy();
  const auto curves = cost_curves(builder.study, analyse(builder.study), book, item, {});
  const Recommendation choice = recommend(
      curves.at(0), item, {.objective = Objective::value_of_hour, .value_of_hour = 4'000'000});
  // 1.15 + 1.15 at K=4; 1.35 + 0.675 + 4 at K=8; 1.75 + 0.4375 at K=16
  ASSERT_NE(choice.chosen, nullptr);
  EXPECT_EQ(choice.chosen->k, 16);
  EXPECT_EQ(choice.runner_up->k, 4);
  EXPECT_NEAR(choice.margin, 2.3 / 2.1875 - 1, 2e-6);
}

TEST(Recommend, InterruptionsCountAgainstADeadline) {
  PriceItem item = core_price_with_energy();
  item.tier = Tier::spot;
  item.spot.interruptions_per_node_hour = 1;
  // (e^0.2875 - 1) h = 1199 s at K=4, (e^0.16875 - 1) h = 662 s at K=8
  const Answer within = ask({.objective = Objective::deadline, .deadline_seconds = 1100}, item);
  ASSERT_NE(within.choice.chosen, nullptr);
  EXPECT_EQ(within.choice.chosen->k, 8);
  EXPECT_NE(within.choice.why.find("time that interruptions cost"), std::string::npos);
  const Answer late = ask({.objective = Objective::deadline, .deadline_seconds = 400}, item);
  EXPECT_EQ(late.choice.chosen, nullptr);
  EXPECT_NE(late.choice.why.find("the fastest, K=16, takes up to 418 s"), std::string::npos)
      << late.choice.why;
  bool said = false;
  for (const std::string& note : within.curves[0].notes) {
    // e - 1 hours for one at K=1
    said = said || note ==
                       "at K=1 interruptions make a run last 1.72 times as long: spot pays there "
                       "while its price is below 58.2% of what uninterrupted nodes cost";
  }
  EXPECT_TRUE(said);
}

TEST(Recommend, OfTwoThatCostTheSameTheFasterOne) {
  PriceItem item;
  item.name = "fee";
  item.per_job = 5'000'000;
  const Answer answer = ask({.objective = Objective::cost}, item);
  ASSERT_NE(answer.choice.chosen, nullptr);
  EXPECT_EQ(answer.choice.chosen->k, 16);
  EXPECT_TRUE(answer.choice.chosen->on_frontier);
}

TEST(Recommend, TheRunnerUpAndItsMargin) {
  const Answer answer = ask({.objective = Objective::cost}, core_price_with_energy());
  ASSERT_NE(answer.choice.runner_up, nullptr);
  EXPECT_EQ(answer.choice.runner_up->k, 2);
  EXPECT_NEAR(answer.choice.margin, 0.05, 1e-6);
  ASSERT_TRUE(answer.choice.margin_interval);
  EXPECT_GT(answer.choice.margin_interval->low, 0);
  EXPECT_LT(answer.choice.margin_interval->low, 0.05);
}

TEST(Recommend, NoisyRunsAreATie) {
  const Answer answer = ask({.objective = Objective::cost}, core_price_with_energy(), 0.05);
  EXPECT_TRUE(answer.choice.tie);
}

TEST(Recommend, WhatCannotBeDoneIsSaidWithTheBestThereIs) {
  const Answer late =
      ask({.objective = Objective::deadline, .deadline_seconds = 10}, core_price_with_energy());
  EXPECT_EQ(late.choice.chosen, nullptr);
  EXPECT_NE(late.choice.why.find("the fastest, K=16, takes up to 395 s"), std::string::npos)
      << late.choice.why;
  const Answer dear =
      ask({.objective = Objective::budget, .budget_micros = 1}, core_price_with_energy());
  EXPECT_EQ(dear.choice.chosen, nullptr);
  EXPECT_NE(dear.choice.why.find("the cheapest, K=1, costs up to 1"), std::string::npos)
      << dear.choice.why;
}

TEST(Recommend, ADeadlineGoesByTheUpperEndOfTheInterval) {
  // The median of K=4 is 1035 s, its slowest run 1039 s.
  const auto k_within = [](double seconds) {
    return ask({.objective = Objective::deadline, .deadline_seconds = seconds},
               core_price_with_energy())
        .choice.chosen->k;
  };
  EXPECT_EQ(k_within(1036), 8);
  EXPECT_EQ(k_within(1040), 4);
}

TEST(Recommend, TheGapBesideTheAnswerIsWorthMeasuring) {
  const Answer answer =
      ask({.objective = Objective::efficiency, .floor = 0.8}, core_price_with_energy());
  EXPECT_EQ(answer.choice.next_k, 6);
  ASSERT_TRUE(answer.choice.next_cost);
  EXPECT_GT(answer.choice.next_cost->micros, 5 * 1'000'000);
  EXPECT_LT(answer.choice.next_cost->micros, 5 * 1'500'000);
  const Answer edge = ask({.objective = Objective::time}, core_price_with_energy());
  EXPECT_EQ(edge.choice.next_k, 32);
  // 393.75^2 / 607.5 s on 32 cores, five times
  ASSERT_TRUE(edge.choice.next_cost);
  EXPECT_NEAR(to_units(edge.choice.next_cost->micros), 5 * 32 * 255.208333 / 3600, 1e-4);
  const Answer none =
      ask({.objective = Objective::cost}, core_price_with_energy(), 0.002, {1, 2, 3});
  EXPECT_FALSE(none.choice.next_k);
}

TEST(Recommend, EnergyNeedsWatts) {
  PriceItem item = core_price_with_energy();
  item.energy = {};
  const auto checked = check({.objective = Objective::energy_delay}, item);
  ASSERT_FALSE(checked);
  EXPECT_NE(checked.error().message.find("idle_watts_per_node"), std::string::npos);
}

TEST(Recommend, FreeMachinesGiveAnAnswerToo) {
  PriceItem item;
  item.name = "free";
  const Answer answer = ask({.objective = Objective::cost}, item);
  ASSERT_NE(answer.choice.chosen, nullptr);
  EXPECT_EQ(answer.choice.chosen->per_result.micros, 0);
  EXPECT_EQ(answer.choice.margin, 0);
  EXPECT_EQ(answer.curves[0].notes.front().rfind("item 'free' charges nothing for what", 0), 0u)
      << answer.curves[0].notes.front();
}

TEST(Recommend, ASingleKHasNoEfficiencyAsInTheReport) {
  const Answer answer =
      ask({.objective = Objective::efficiency}, core_price_with_energy(), 0.002, {4});
  EXPECT_EQ(answer.choice.chosen, nullptr);
  EXPECT_EQ(answer.choice.why, "only K=4 has a valid run");
}

TEST(Recommend, ASingleKHasAnAnswerAndANextOne) {
  const Answer answer = ask({.objective = Objective::cost}, core_price_with_energy(), 0.002, {4});
  ASSERT_NE(answer.choice.chosen, nullptr);
  EXPECT_EQ(answer.choice.chosen->k, 4);
  EXPECT_EQ(answer.choice.runner_up, nullptr);
  EXPECT_EQ(answer.choice.next_k, 8);
  ASSERT_TRUE(answer.choice.next_cost);  // as long on twice the cores
  EXPECT_NEAR(to_units(answer.choice.next_cost->micros), 5 * 8 * 1035.0 / 3600, 1e-4);
}

}  // namespace
}  // namespace kneepoint
