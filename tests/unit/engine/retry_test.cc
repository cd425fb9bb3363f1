// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/engine/retry.h"

#include <gtest/gtest.h>

namespace kneepoint {
namespace {

using S = AttemptState;

TEST(Retry, ALostAttemptIsTriedAgainUntilTheRetriesAreUsedUp) {
  EXPECT_EQ(after_attempt(S::lost, Reason::agent_died, 1, 2).next, Next::again);
  EXPECT_EQ(after_attempt(S::lost, Reason::agent_died, 2, 2).next, Next::again);
  const RetryDecision last = after_attempt(S::lost, Reason::agent_died, 3, 2);
  EXPECT_EQ(last.next, Next::finish);
  EXPECT_EQ(last.why, "lost (agent_died): 2 retries are used up");
}

TEST(Retry, AWrongAnswerIsFinalAtOnce) {
  const RetryDecision d = after_attempt(S::failed, Reason::wrong_answer, 1, 5);
  EXPECT_EQ(d.next, Next::finish);
  EXPECT_EQ(d.why, "failed (wrong_answer): another attempt would end the same way");
}

TEST(Retry, WhatTheUserStoppedCostsNothingAndWaitsForResuming) {
  EXPECT_EQ(after_attempt(S::cancelled, Reason::user_cancelled, 0, 0).next, Next::leave);
  EXPECT_FALSE(costs_a_try(S::cancelled));
  EXPECT_FALSE(costs_a_try(S::planned));
  EXPECT_TRUE(costs_a_try(S::lost));
}

TEST(Retry, SuccessNeedsNoWords) {
  const RetryDecision d = after_attempt(S::succeeded, Reason::none, 1, 1);
  EXPECT_EQ(d.next, Next::finish);
  EXPECT_EQ(d.why, "");
}

}  // namespace

// When a run counts as disturbed, in which words, and what becomes of it.

namespace {

NoiseSpec limits() {
  NoiseSpec noise;
  noise.sample_ns = kSecond;
  noise.steal = 0.02;
  noise.others = 0.2;
  noise.clock_drop = 0.1;
  noise.throttle = 0.05;
  return noise;
}

Ingested ended(AttemptState state, const std::string& others) {
  Ingested outcome;
  outcome.state = state;
  outcome.result.seconds = 1.5;
  outcome.result.facts = {{"n1", "noise.others", others}};
  return outcome;
}

TEST(Disturbance, IsWhatGoesBeyondALimitOnAnyNode) {
  struct Row {
    const char *fact, *value, *sentence;
  };
  const Row rows[] = {
      {"noise.steal", "0.02", ""},
      {"noise.steal", "0.0412", "on n1 the hypervisor took 4.12% of the CPU time (limit 2%)"},
      {"noise.others", "0.2", ""},
      {"noise.others", "1.42", "on n1 other programs used 1.42 cores (limit 0.2)"},
      {"noise.clock_drop", "0.25", "on n1 the clock fell by 25% (limit 10%)"},
      {"noise.gpu_throttled", "0.5", "on n1 a GPU was throttled in 50% of the samples (limit 5%)"},
      {"noise.steal_worst", "0.9", ""},
      {"noise.others", "nan", ""},
      {"cpu.others", "9", ""},
  };
  for (const Row& row : rows) {
    EXPECT_EQ(disturbance(limits(), {{"n1", row.fact, row.value}}), row.sentence) << row.fact;
  }
  EXPECT_EQ(disturbance(limits(), {{"n1", "noise.others", "1"}, {"n2", "noise.steal", "0.5"}}),
            "on n1 other programs used 1 cores (limit 0.2); on n2 the hypervisor took 50% of the "
            "CPU time (limit 2%)");
  EXPECT_EQ(disturbance(NoiseSpec{}, {{"n1", "noise.others", "9"}}), "");
}

TEST(Disturbance, IsOnlyAMarkUnlessThePlanRepeats) {
  Ingested outcome = ended(AttemptState::succeeded, "2");
  judge_noise(limits(), outcome);
  EXPECT_EQ(outcome.state, AttemptState::succeeded);
  EXPECT_EQ(outcome.result.disturbed, "on n1 other programs used 2 cores (limit 0.2)");
  Ingested quiet = ended(AttemptState::succeeded, "0.1");
  judge_noise(limits(), quiet);
  EXPECT_EQ(quiet.result.disturbed, "");
}

TEST(Disturbance, SetsARunAsideThatThePlanRepeats) {
  NoiseSpec noise = limits();
  noise.repeat = 2;
  Ingested outcome = ended(AttemptState::succeeded, "2");
  judge_noise(noise, outcome);
  EXPECT_EQ(outcome.state, AttemptState::invalid);
  EXPECT_EQ(outcome.reason, Reason::disturbed);
  EXPECT_EQ(outcome.detail, outcome.result.disturbed);
  EXPECT_EQ(outcome.result.seconds, 1.5);  // for `explain`
  Ingested failed = ended(AttemptState::failed, "2");
  judge_noise(noise, failed);
  EXPECT_EQ(failed.state, AttemptState::failed);  // disturbed or not, it failed
}

TEST(Disturbance, HasANumberOfTriesOfItsOwn) {
  NoiseSpec noise = limits();
  noise.repeat = 7;
  Limits plan;
  plan.retries = 1;
  EXPECT_EQ(retries_for(Reason::disturbed, plan, noise), 7);
  EXPECT_EQ(retries_for(Reason::exit_code, plan, noise), 1);
  EXPECT_TRUE(is_worth_retrying(AttemptState::invalid, Reason::disturbed));
}

}  // namespace

}  // namespace kneepoint
