// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/model/attempt.h"

#include <gtest/gtest.h>

namespace kneepoint {
namespace {

using S = AttemptState;

TEST(Attempt, EveryStateAndReasonReadsBack) {
  for (int i = 0; i <= static_cast<int>(S::cancelled); ++i) {
    const auto state = static_cast<S>(i);
    EXPECT_EQ(parse_attempt_state(to_string(state)), state);
  }
  for (int i = 0; i <= static_cast<int>(Reason::output_flood); ++i) {
    const auto reason = static_cast<Reason>(i);
    EXPECT_EQ(parse_reason(to_string(reason)), reason);
    EXPECT_EQ(sentence(reason).empty(), reason == Reason::none) << to_string(reason);
  }
  EXPECT_FALSE(parse_attempt_state("done").has_value());
}

TEST(Attempt, AFinalStateNeverChanges) {
  for (int from = 0; from <= static_cast<int>(S::cancelled); ++from) {
    if (!is_final(static_cast<S>(from))) continue;
    for (int to = 0; to <= static_cast<int>(S::cancelled); ++to) {
      EXPECT_FALSE(is_legal(static_cast<S>(from), static_cast<S>(to)));
    }
  }
}

TEST(Attempt, IntentComesBeforeAnythingElse) {
  EXPECT_TRUE(is_legal(S::planned, S::submitting));
  EXPECT_FALSE(is_legal(S::planned, S::running));
  EXPECT_FALSE(is_legal(S::running, S::succeeded));  // through collecting only
  EXPECT_TRUE(is_legal(S::collecting, S::succeeded));
  EXPECT_TRUE(is_legal(S::queued, S::planned));  // a step not begun costs no attempt
}

TEST(Attempt, OnlyWhatMayGoBetterIsRetried) {
  EXPECT_TRUE(is_worth_retrying(S::lost, Reason::agent_died));
  EXPECT_TRUE(is_worth_retrying(S::failed, Reason::exit_code));
  EXPECT_FALSE(is_worth_retrying(S::failed, Reason::wrong_answer));
  EXPECT_FALSE(is_worth_retrying(S::timed_out, Reason::time_limit));
  EXPECT_FALSE(is_worth_retrying(S::succeeded, Reason::none));
}

}  // namespace
}  // namespace kneepoint
