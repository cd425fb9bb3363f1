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
}  // namespace kneepoint
