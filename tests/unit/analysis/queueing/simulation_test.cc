// SPDX-License-Identifier: Apache-2.0
//
// The simulation against closed forms, and the rules of the queue on cases small enough to see
// through.
#include "orchestrator/analysis/queueing/simulation.h"

#include <gtest/gtest.h>

#include <cmath>

namespace kneepoint {
namespace {

QueueClass jobs_of(double per_hour, double seconds, int nodes = 1) {
  QueueClass one;
  one.name = "jobs";
  one.per_hour = per_hour;
  one.seconds = {seconds};
  one.nodes = nodes;
  return one;
}

QueueOptions long_run(int nodes) {
  QueueOptions options;
  options.nodes = nodes;
  options.seed = 7;
  options.replications = 20;
  options.jobs = 10'000;
  options.most_jobs = 20'000;
  return options;
}

// The closed form lies within three half-widths, and those are narrow enough to mean something.
void expect_wait(const QueueResult& result, double expected, const std::string& what) {
  const Estimate& wait = result.classes.at(0).wait;
  ASSERT_TRUE(wait.interval) << what;
  const double half = wait.interval->high - wait.mean;
  EXPECT_NEAR(wait.mean, expected, 3 * half) << what;
  EXPECT_LT(half, 0.15 * expected) << what;
}

TEST(QueueFormulas, ErlangCOfKnownCases) {
  EXPECT_NEAR(erlang_c(1, 0.6), 0.6, 1e-12);
  EXPECT_NEAR(erlang_c(2, 1.0), 1.0 / 3, 1e-12);
  EXPECT_NEAR(erlang_c(3, 2.0), 4.0 / 9, 1e-12);
  EXPECT_LT(erlang_c(1000, 500), 1e-12);
}

TEST(QueueFormulas, WaitsOfKnownQueues) {
  // M/M/1: rho T / (1 - rho). M/D/1: half of it. M/M/2 at offered 1: T/3.
  EXPECT_NEAR(expected_wait({1, 0.005, 100, 1, 1}), 100, 1e-9);
  EXPECT_NEAR(expected_wait({1, 0.005, 100, 1, 0}), 50, 1e-9);
  EXPECT_NEAR(expected_wait({2, 0.01, 100, 1, 1}), 100.0 / 3, 1e-9);
  EXPECT_EQ(expected_wait({1, 0.005, 100, 0, 0}), 0);
  EXPECT_TRUE(std::isinf(expected_wait({1, 0.01, 100, 1, 1})));
  EXPECT_EQ(expected_wait({1, 0, 100, 1, 1}), 0);
}

TEST(QueueFormulas, TailsOfKnownQueues) {
  // M/M/1: rho e^(-(1 - rho) t/T). M/M/2 at offered 1: e^(-t/T) / 3.
  EXPECT_NEAR(late_share({1, 0.005, 100, 1, 1}, 100), 0.5 * std::exp(-0.5), 1e-12);
  EXPECT_NEAR(late_share({2, 0.01, 100, 1, 1}, 50), std::exp(-0.5) / 3, 1e-12);
  EXPECT_EQ(late_share({1, 0.005, 100, 0, 0}, 0), 0);
  EXPECT_EQ(late_share({1, 0.01, 100, 1, 1}, 1e9), 1);
  EXPECT_EQ(late_share({1, 0, 100, 1, 1}, 0), 0);
}

TEST(QueueSimulation, MM1WaitsAsTheClosedForm) {
  for (const double load : {0.3, 0.6, 0.8}) {
    QueueClass one = jobs_of(36 * load, 100);
    one.exponential = true;
    const QueueResult result = simulate_queue({one}, long_run(1));
    expect_wait(result, load / (1 - load) * 100, "load " + std::to_string(load));
    EXPECT_NEAR(result.utilisation.mean, load, 0.02);
    EXPECT_NEAR(result.offered, load, 1e-12);
    // P(wait > t) = load e^(-(1-load) t/T).
    const double p95 = std::max(0.0, std::log(load / 0.05) / (1 - load) * 100);
    EXPECT_NEAR(result.classes[0].wait_p95.mean, p95, 0.1 * p95) << load;
  }
}

TEST(QueueSimulation, MMcWaitsAsTheClosedForm) {
  struct Row {
    int servers;
    double load;
  };
  for (const Row& row : {Row{2, 0.7}, Row{4, 0.8}, Row{16, 0.9}}) {
    QueueClass one = jobs_of(36 * row.load * row.servers, 100, 8);
    one.exponential = true;
    // Five nodes beside the slots are of no use to jobs of eight.
    const QueueResult result = simulate_queue({one}, long_run(8 * row.servers + 5));
    const WaitTerms terms{row.servers, one.per_hour / 3600, 100, 1, 1};
    expect_wait(result, expected_wait(terms), std::to_string(row.servers) + " servers");
  }
}

TEST(QueueSimulation, MD1AndMG1WaitByTheVariationOfTheirTimes) {
  QueueClass fixed = jobs_of(36 * 0.7, 100);
  expect_wait(simulate_queue({fixed}, long_run(1)), 0.7 / 0.3 * 50, "M/D/1");
  fixed.spread = 0.8;
  EXPECT_NEAR(squared_variation(fixed), 0.64, 1e-12);
  expect_wait(simulate_queue({fixed}, long_run(1)), 0.7 / 0.3 * 50 * 1.64, "M/G/1, log-normal");
  fixed.spread = 0;
  fixed.seconds = {50, 150};
  EXPECT_NEAR(squared_variation(fixed), 0.25, 1e-12);
  expect_wait(simulate_queue({fixed}, long_run(1)), 0.7 / 0.3 * 50 * 1.25, "M/G/1, two times");
}

TEST(QueueSimulation, PeriodicJobsThatFitNeverWait) {
  QueueClass one = jobs_of(1, 3000);
  one.periodic = true;
  one.deadline_seconds = 3001;
  const QueueResult result = simulate_queue({one}, long_run(1));
  EXPECT_EQ(result.classes[0].wait.mean, 0);
  EXPECT_EQ(result.classes[0].missed, 0);
  EXPECT_NEAR(result.utilisation.mean, 3000.0 / 3600, 0.001);
}

TEST(QueueSimulation, DeadlinesCountWaitAndRun) {
  QueueClass one = jobs_of(36 * 0.5, 100);
  one.deadline_seconds = 99;
  EXPECT_EQ(simulate_queue({one}, long_run(1)).classes[0].missed, 1);
  one.deadline_seconds = 100;  // those who wait at all
  EXPECT_NEAR(simulate_queue({one}, long_run(1)).classes[0].missed, 0.5, 0.02);
}

TEST(QueueSimulation, BackfillLetsSmallJobsPassAndDelaysNobodyLarge) {
  QueueClass large = jobs_of(6, 300, 8), small = jobs_of(60, 60, 1);
  large.name = "large";
  small.name = "small";
  QueueOptions options = long_run(10);
  const QueueResult plain = simulate_queue({large, small}, options);
  options.backfill = true;
  const QueueResult filled = simulate_queue({large, small}, options);
  EXPECT_LT(filled.classes[1].wait.mean, 0.7 * plain.classes[1].wait.mean);
  EXPECT_LT(filled.classes[0].wait.mean, 1.2 * plain.classes[0].wait.mean);
  EXPECT_NEAR(filled.utilisation.mean, plain.utilisation.mean, 0.02);
  // With jobs of one size there is nothing to overtake.
  const double alike = simulate_queue({jobs_of(30, 60)}, options).classes[0].wait.mean;
  options.backfill = false;
  EXPECT_EQ(simulate_queue({jobs_of(30, 60)}, options).classes[0].wait.mean, alike);
}

TEST(QueueSimulation, OverloadIsSaidAndNoNumberIsMadeUp) {
  const QueueResult over = simulate_queue({jobs_of(40, 100)}, long_run(1));
  EXPECT_TRUE(over.saturated);
  EXPECT_GT(over.offered, 1);
  EXPECT_EQ(over.utilisation.mean, 1);
  EXPECT_EQ(over.classes.at(0).wait.mean, 0);
  // Jobs of 3 on 5 nodes: one at a time, so 5/6 of the nodes' time is too much.
  EXPECT_TRUE(simulate_queue({jobs_of(50, 100, 3)}, long_run(5)).saturated);
  EXPECT_TRUE(simulate_queue({}, long_run(1)).classes.empty());
}

TEST(QueueSimulation, TheSameSeedGivesTheSameAnswerAndAnotherOneAnother) {
  QueueOptions options;
  options.nodes = 2;
  const double first = simulate_queue({jobs_of(50, 100)}, options).classes[0].wait.mean;
  EXPECT_EQ(simulate_queue({jobs_of(50, 100)}, options).classes[0].wait.mean, first);
  options.seed = 2;
  EXPECT_NE(simulate_queue({jobs_of(50, 100)}, options).classes[0].wait.mean, first);
}

TEST(QueueSimulation, RareJobsAreSeenOftenEnoughToSpeakOf) {
  QueueClass often = jobs_of(100, 10), rare = jobs_of(0.5, 100);
  often.name = "often";
  rare.name = "rare";
  QueueOptions options;
  options.nodes = 4;
  const QueueResult result = simulate_queue({often, rare}, options);
  EXPECT_GT(result.classes[1].jobs, 10 * 25);
  // So rare that none comes while ten thousand others do: it waits as they do.
  rare.per_hour = 1e-6;
  often.per_hour = 1200;
  const QueueResult never = simulate_queue({often, rare}, options);
  EXPECT_EQ(never.classes[1].jobs, 0);
  EXPECT_GT(never.classes[1].wait.mean, 0);
  EXPECT_EQ(never.classes[1].wait.mean, never.classes[0].wait.mean);
  // Nor are its deadlines taken as kept: 100 s and what the others wait.
  rare.deadline_seconds = 100.0;
  EXPECT_EQ(simulate_queue({often, rare}, options).classes[1].missed, 1);
  rare.deadline_seconds = 1e6;
  EXPECT_EQ(simulate_queue({often, rare}, options).classes[1].missed, 0);
}

}  // namespace
}  // namespace kneepoint
