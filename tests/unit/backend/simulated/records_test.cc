// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/backend/simulated/cluster.h"

#include <gtest/gtest.h>

#include "agents/wire/record.h"
#include "tests/fakes/present.h"

namespace kneepoint::simulated {
namespace {

SimulatedJob five_steps() {
  SimulatedJob job;
  job.name = "kp-1";
  job.nodes = 2;
  for (int i = 1; i <= 5; ++i) {
    SimulatedStep step;
    step.attempt = "r" + std::to_string(i) + "-a1";
    step.seconds = 0.1 * i;
    step.lasts = from_seconds(step.seconds);
    step.nodes = 2;
    step.ranks = 8;
    step.ranks_per_node = 4;
    step.threads_per_rank = 2;
    job.steps.push_back(step);
  }
  return job;
}

SimulatedJob after(SimulatedJob job, Nanoseconds time) {
  Cluster cluster(4);
  cluster.submit(std::move(job));
  cluster.advance_to(kEpoch + time);
  return *cluster.find("kp-1");
}

TEST(SimulatedRecords, TellWhatAnAgentWouldHaveTold) {
  const SimulatedJob job = after(five_steps(), kMinute);
  const Artifacts artifacts = artifacts_of(job, kEpoch + kMinute);
  ASSERT_EQ(artifacts.steps.size(), 5u);
  for (std::size_t i = 0; i < 5; ++i) {
    const StepArtifacts& step = artifacts.steps[i];
    EXPECT_TRUE(step.begun);
    EXPECT_EQ(step.attempt, job.steps[i].attempt);
    const auto records = record::parse(step.records);
    EXPECT_TRUE(records.problems.empty()) << records.problems.front();
    ASSERT_TRUE(records.complete);
    EXPECT_EQ(begin_of(records).attempt, step.attempt);
    EXPECT_EQ(end_of(records).outcome, "succeeded");
    EXPECT_EQ(end_of(records).elapsed_ns, job.steps[i].lasts);
    ASSERT_EQ(records.metrics.size(), 1u);
    EXPECT_EQ(records.metrics[0].name, "time");
    EXPECT_EQ(records.metrics[0].unit, "s");
    EXPECT_EQ(records.metrics[0].value, job.steps[i].seconds) << "to the last bit";
    ASSERT_EQ(records.samples.size(), 1u);
    EXPECT_EQ(records.samples[0].max_ns, job.steps[i].lasts);
    ASSERT_EQ(records.ranks.size(), 8u);
    EXPECT_EQ(records.ranks[5].host, "sim-0002");
    EXPECT_EQ(records.ranks[5].cpus, "2-3");
    EXPECT_TRUE(records.check && records.check->passed);
    EXPECT_TRUE(records.done);
  }
}

TEST(SimulatedRecords, OfABigStepStaySmall) {
  SimulatedJob job = five_steps();
  job.steps.resize(1);
  job.steps[0].ranks = 4096 * 64;
  job.steps[0].nodes = 4096;
  const auto artifacts = artifacts_of(after(job, kMinute), kEpoch + kMinute);
  EXPECT_LT(artifacts.steps[0].records.size(), 8000u);
  EXPECT_TRUE(record::parse(artifacts.steps[0].records).complete);
}

TEST(SimulatedRecords, WhileRunningShowTheStepThatRuns) {
  const auto artifacts =
      artifacts_of(after(five_steps(), 400 * kMillisecond), kEpoch + 400 * kMillisecond);
  const auto third = record::parse(artifacts.steps[2].records);
  EXPECT_TRUE(record::parse(artifacts.steps[1].records).complete);
  EXPECT_TRUE(artifacts.steps[2].begun);
  EXPECT_TRUE(third.begin);
  EXPECT_FALSE(third.end);
  EXPECT_FALSE(artifacts.steps[3].begun);
  EXPECT_EQ(artifacts.steps[3].records, "");
}

TEST(SimulatedRecords, AStepWhoseNodeFailsHasNoEndAndTheRestNeverBegin) {
  SimulatedJob job = five_steps();
  job.steps[2].fate = Fate::loses_node;
  const auto artifacts = artifacts_of(after(job, kMinute), kEpoch + kMinute);
  EXPECT_TRUE(record::parse(artifacts.steps[1].records).complete);
  EXPECT_TRUE(artifacts.steps[2].begun);
  EXPECT_FALSE(record::parse(artifacts.steps[2].records).end);
  EXPECT_FALSE(artifacts.steps[3].begun);
  EXPECT_FALSE(artifacts.steps[4].begun);
}

TEST(SimulatedRecords, FailedAndTimedOutStepsSaySoAndTheNextGoOn) {
  SimulatedJob job = five_steps();
  job.steps[0].fate = Fate::exits;
  job.steps[1].fate = Fate::runs_out_of_time;
  const auto artifacts = artifacts_of(after(job, kMinute), kEpoch + kMinute);
  const auto exited = record::parse(artifacts.steps[0].records);
  ASSERT_TRUE(exited.complete);
  EXPECT_EQ(end_of(exited).outcome, "failed");
  EXPECT_EQ(end_of(exited).reason, "exit_code");
  EXPECT_EQ(end_of(exited).exit_code, 1);
  EXPECT_TRUE(exited.metrics.empty());
  EXPECT_EQ(end_of(record::parse(artifacts.steps[1].records)).outcome, "timed_out");
  EXPECT_EQ(end_of(record::parse(artifacts.steps[4].records)).outcome, "succeeded");
}

TEST(SimulatedRecords, ACancelledStepSaysSo) {
  Cluster cluster(4);
  cluster.submit(five_steps());
  cluster.advance_to(kEpoch + 50 * kMillisecond);
  cluster.cancel("kp-1");
  cluster.advance_to(kEpoch + kMinute);
  const auto artifacts = artifacts_of(*cluster.find("kp-1"), cluster.now());
  const auto first = record::parse(artifacts.steps[0].records);
  ASSERT_TRUE(first.complete);
  EXPECT_EQ(end_of(first).outcome, "cancelled");
  EXPECT_EQ(end_of(first).reason, "user_cancelled");
  EXPECT_FALSE(artifacts.steps[1].begun);
}

}  // namespace
}  // namespace kneepoint::simulated
