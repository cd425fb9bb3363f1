// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/backend/simulated/cluster.h"

#include <gtest/gtest.h>

#include <cmath>

namespace kneepoint::simulated {
namespace {

SimulatedJob job_of(const std::string& name, int nodes, double seconds, double wait = 0) {
  SimulatedJob job;
  job.name = name;
  job.nodes = nodes;
  job.wait = from_seconds(wait);
  job.steps.push_back({});
  job.steps[0].attempt = name + "-a1";
  job.steps[0].seconds = seconds;
  job.steps[0].lasts = from_seconds(seconds);
  return job;
}

double since_epoch(Nanoseconds time) {
  return to_seconds(time - kEpoch);
}

Step step_of(const std::string& identity, const std::string& attempt, double seconds) {
  Step step;
  step.identity = identity;
  step.attempt = attempt;
  step.modelled_seconds = seconds;
  return step;
}

TEST(SimulatedCluster, StartsInOrderAndNobodyPassesTheHead) {
  Cluster cluster(4);
  cluster.submit(job_of("three", 3, 10));
  cluster.submit(job_of("two", 2, 1));  // has to wait for three
  cluster.submit(job_of("one", 1, 1));  // would fit, but stands behind
  cluster.advance_to(kEpoch + 5 * kSecond);
  EXPECT_EQ(cluster.find("three")->state, AllocationState::running);
  EXPECT_EQ(cluster.find("two")->state, AllocationState::queued);
  EXPECT_EQ(cluster.find("one")->state, AllocationState::queued);
  cluster.advance_to(kEpoch + 20 * kSecond);
  EXPECT_EQ(since_epoch(cluster.find("two")->started), 10);
  EXPECT_EQ(since_epoch(cluster.find("one")->started), 10);
  EXPECT_EQ(since_epoch(cluster.find("one")->ended), 11);
  EXPECT_TRUE(cluster.is_idle());
}

TEST(SimulatedCluster, QueueWaitPassesBeforeNodesAreAskedFor) {
  Cluster cluster(1);
  cluster.submit(job_of("late", 1, 1, 5));
  cluster.submit(job_of("early", 1, 1, 2));
  cluster.advance_to(kEpoch + 100 * kSecond);
  EXPECT_EQ(since_epoch(cluster.find("early")->started), 2);
  EXPECT_EQ(since_epoch(cluster.find("late")->started), 5);
}

TEST(SimulatedCluster, ALookShowsAStartBeforeItShowsAnEnd) {
  Cluster cluster(4);
  cluster.submit(job_of("a", 1, 3, 2));
  EXPECT_TRUE(cluster.advance());
  EXPECT_EQ(cluster.find("a")->state, AllocationState::running);
  EXPECT_EQ(since_epoch(cluster.now()), 2);
  EXPECT_TRUE(cluster.advance());
  EXPECT_EQ(cluster.find("a")->state, AllocationState::ended);
  EXPECT_EQ(since_epoch(cluster.now()), 5);
  EXPECT_FALSE(cluster.advance());
}

TEST(SimulatedCluster, ALookEndsAnEighthAndAllThatEndsAtThatInstant) {
  Cluster cluster(100);
  for (int i = 0; i < 8; ++i) cluster.submit(job_of("j" + std::to_string(i), 1, 1 + i / 4));
  cluster.advance();
  cluster.advance();
  EXPECT_EQ(since_epoch(cluster.now()), 1);
  for (int i = 0; i < 8; ++i) {
    EXPECT_EQ(cluster.find("j" + std::to_string(i))->state == AllocationState::ended, i < 4) << i;
  }
}

TEST(SimulatedCluster, ALookAtOneJobShowsItsStepsOneByOne) {
  Cluster cluster(1);
  SimulatedJob job = job_of("a", 1, 3);
  job.steps.push_back(job.steps[0]);
  cluster.submit(job);
  cluster.advance();
  cluster.advance();
  EXPECT_EQ(since_epoch(cluster.now()), 3);
  EXPECT_EQ(cluster.find("a")->state, AllocationState::running);
  EXPECT_EQ(cluster.find("a")->step, 1u);
  cluster.advance();
  EXPECT_EQ(since_epoch(cluster.now()), 6);
  EXPECT_EQ(cluster.find("a")->state, AllocationState::ended);
}

TEST(SimulatedCluster, TenThousandJobsNeedFewLooks) {
  Cluster cluster(4096);
  for (int i = 0; i < 10'000; ++i) {
    cluster.submit(job_of("j" + std::to_string(i), 1 + i % 64, 1 + 0.001 * (i % 997)));
  }
  int looks = 0;
  while (cluster.advance()) ++looks;
  EXPECT_TRUE(cluster.is_idle());
  EXPECT_LT(looks, 1000);
}

TEST(SimulatedCluster, CancellingFreesTheNodesAndHappensOnce) {
  Cluster cluster(2);
  cluster.submit(job_of("a", 2, 10));
  cluster.submit(job_of("b", 2, 10));
  cluster.advance_to(kEpoch + 3 * kSecond);
  EXPECT_TRUE(cluster.cancel("a"));
  EXPECT_FALSE(cluster.cancel("a"));
  EXPECT_FALSE(cluster.cancel("nobody"));
  EXPECT_EQ(cluster.find("a")->reason, Reason::user_cancelled);
  EXPECT_EQ(since_epoch(cluster.find("a")->ended), 3);
  cluster.advance();
  EXPECT_EQ(since_epoch(cluster.find("b")->started), 3);
  cluster.submit(job_of("c", 2, 10));
  EXPECT_TRUE(cluster.cancel("c"));
  EXPECT_EQ(cluster.find("c")->started, 0);
}

TEST(SimulatedCluster, AnAllocationEndsWithItsNodeOrItsLimit) {
  Cluster cluster(2);
  SimulatedJob lost = job_of("lost", 1, 2);
  lost.steps.push_back(lost.steps[0]);
  lost.steps.push_back(lost.steps[0]);
  lost.steps[1].fate = Fate::loses_node;
  cluster.submit(lost);
  SimulatedJob cut = job_of("cut", 1, 8);
  cut.limit = 7 * kSecond;
  cluster.submit(cut);
  cluster.advance_to(kEpoch + 100 * kSecond);
  EXPECT_EQ(since_epoch(cluster.find("lost")->ended), 4);
  EXPECT_EQ(cluster.find("lost")->reason, Reason::node_failed);
  EXPECT_EQ(since_epoch(cluster.find("cut")->ended), 7);
  EXPECT_EQ(cluster.find("cut")->reason, Reason::time_limit);
}

TEST(SimulatedDraws, WithoutNoiseTimeIsTheModelsToTheLastBit) {
  SimulatedSite site;
  const double seconds = 0.05 + 0.95 / 3 + 0.01 * std::log2(3.0);
  EXPECT_EQ(draw_step(site, step_of("p/0", "r1-a1", seconds)).seconds, seconds);
  EXPECT_EQ(draw_step(site, step_of("p/0", "r1-a1", 0)).seconds, site.default_seconds);
}

TEST(SimulatedDraws, NoiseBelongsToTheRunAndFailureToTheAttempt) {
  SimulatedSite site;
  site.noise = 0.1;
  site.failure_rate = 0.5;
  const auto first = draw_step(site, step_of("p/0", "r1-a1", 2));
  EXPECT_EQ(first.seconds, draw_step(site, step_of("p/0", "r1-a1", 2)).seconds);
  int failed = 0, lost = 0;
  for (int attempt = 1; attempt <= 1000; ++attempt) {
    const auto drawn = draw_step(site, step_of("p/0", "r1-a" + std::to_string(attempt), 2));
    EXPECT_EQ(drawn.seconds, first.seconds);
    failed += drawn.fate != Fate::succeeds;
    lost += drawn.fate == Fate::loses_node;
    EXPECT_GE(drawn.lasts, 1);
    EXPECT_LE(drawn.lasts, from_seconds(drawn.seconds));
  }
  EXPECT_NEAR(failed, 500, 60);
  EXPECT_NEAR(lost, 150, 45);
  EXPECT_NE(first.seconds, draw_step(site, step_of("p/1", "r2-a1", 2)).seconds);
}

TEST(SimulatedDraws, NoiseHasTheDeviationThatTheSiteSays) {
  SimulatedSite site;
  site.noise = 0.05;
  double sum = 0, squares = 0;
  const int n = 4000;
  for (int i = 0; i < n; ++i) {
    const double log_ratio =
        std::log(draw_step(site, step_of("p/" + std::to_string(i), "a", 3)).seconds / 3);
    sum += log_ratio;
    squares += log_ratio * log_ratio;
  }
  EXPECT_NEAR(sum / n, 0, 0.003);
  EXPECT_NEAR(std::sqrt(squares / n), 0.05, 0.003);
}

TEST(SimulatedDraws, TheLimitOfAStepEndsIt) {
  SimulatedSite site;
  Step step = step_of("p/0", "r1-a1", 100);
  step.limit = 5 * kSecond;
  const auto drawn = draw_step(site, step);
  EXPECT_EQ(drawn.fate, Fate::runs_out_of_time);
  EXPECT_EQ(drawn.lasts, 5 * kSecond);
}

TEST(SimulatedDraws, QueueWaitIsExponentialAndBelongsToTheName) {
  SimulatedSite site;
  EXPECT_EQ(draw_wait(site, "kp-1"), 0);
  site.queue_wait_seconds = 60;
  EXPECT_EQ(draw_wait(site, "kp-1"), draw_wait(site, "kp-1"));
  double sum = 0;
  for (int i = 0; i < 4000; ++i) sum += to_seconds(draw_wait(site, "kp-" + std::to_string(i)));
  EXPECT_NEAR(sum / 4000, 60, 4);
}

}  // namespace
}  // namespace kneepoint::simulated
