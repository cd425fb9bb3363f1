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

// docs/reference/outcomes.md, row by row.
TEST(Attempt, OnlyWhatMayGoBetterIsRetried) {
  for (const Reason reason : {Reason::exit_code, Reason::killed_by_signal, Reason::oom,
                              Reason::no_device, Reason::device_error, Reason::output_flood}) {
    EXPECT_TRUE(is_worth_retrying(S::failed, reason)) << to_string(reason);
  }
  for (const Reason reason :
       {Reason::wrong_answer, Reason::not_started, Reason::no_time, Reason::pending_too_long,
        Reason::submit_refused, Reason::image_missing}) {
    EXPECT_FALSE(is_worth_retrying(S::failed, reason)) << to_string(reason);
  }
  EXPECT_TRUE(is_worth_retrying(S::preempted, Reason::none));
  for (const Reason reason :
       {Reason::node_failed, Reason::agent_died, Reason::unknown_to_backend}) {
    EXPECT_TRUE(is_worth_retrying(S::lost, reason)) << to_string(reason);
  }
  EXPECT_TRUE(is_worth_retrying(S::invalid, Reason::bad_record));
  EXPECT_TRUE(is_worth_retrying(S::invalid, Reason::no_end_record));
  EXPECT_FALSE(is_worth_retrying(S::timed_out, Reason::time_limit));
  EXPECT_FALSE(is_worth_retrying(S::cancelled, Reason::user_cancelled));
  EXPECT_FALSE(is_worth_retrying(S::succeeded, Reason::none));
}

}  // namespace
}  // namespace kneepoint
