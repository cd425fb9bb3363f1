// SPDX-License-Identifier: Apache-2.0
//
// Every state of a Slurm job has one meaning.
#include "orchestrator/backend/slurm_states.h"

#include <gtest/gtest.h>

namespace kneepoint {
namespace {

SlurmMeaning meaning(const std::string& state) {
  SlurmJob job;
  job.id = "7";
  job.state = state;
  job.nodes = "n[1-2]";
  return meaning_of(job, 0);
}

TEST(SlurmStates, WaitingOnesAreQueued) {
  for (const char* word : {"PENDING", "CONFIGURING", "REQUEUED", "REQUEUE_HOLD", "SPECIAL_EXIT"}) {
    EXPECT_EQ(meaning(word).state, AllocationState::queued) << word;
  }
}

TEST(SlurmStates, SuspendedAndCompletingOnesStillRun) {
  for (const char* word : {"RUNNING", "SUSPENDED", "STOPPED", "COMPLETING", "A_STATE_OF_2030"}) {
    EXPECT_EQ(meaning(word).state, AllocationState::running) << word;
  }
}

TEST(SlurmStates, EndsCarryTheirReason) {
  const std::pair<const char*, Reason> ends[] = {{"COMPLETED", Reason::none},
                                                 {"FAILED", Reason::none},
                                                 {"CANCELLED", Reason::user_cancelled},
                                                 {"TIMEOUT", Reason::time_limit},
                                                 {"OUT_OF_MEMORY", Reason::oom},
                                                 {"NODE_FAIL", Reason::node_failed},
                                                 {"BOOT_FAIL", Reason::node_failed},
                                                 {"PREEMPTED", Reason::none},
                                                 {"REVOKED", Reason::unknown_to_backend}};
  for (const auto& [word, reason] : ends) {
    EXPECT_EQ(meaning(word).state, AllocationState::ended) << word;
    EXPECT_EQ(meaning(word).reason, reason) << word;
    EXPECT_EQ(meaning(word).preempted, std::string(word) == "PREEMPTED");
  }
  EXPECT_EQ(meaning("COMPLETED").detail, "");
  EXPECT_EQ(meaning("NODE_FAIL").detail, "Slurm ended job 7 as NODE_FAIL on n[1-2]");
}

TEST(SlurmStates, ADeadlineBeforeTheStartIsAWaitThatWasTooLong) {
  SlurmJob job;
  job.state = "DEADLINE";
  EXPECT_EQ(meaning_of(job, 0).reason, Reason::pending_too_long);
  job.started = kSecond;
  job.nodes = "n1";
  EXPECT_EQ(meaning_of(job, 0).reason, Reason::time_limit);
}

TEST(SlurmStates, WaitingTellsWhyAndUntilWhen) {
  SlurmJob job;
  job.state = "PENDING";
  job.reason = "Priority";
  EXPECT_EQ(meaning_of(job, 0).detail, "Priority");
  job.started = 1794840519 * kSecond;
  EXPECT_TRUE(meaning_of(job, 0).detail.starts_with("Priority, est. start ")) << "a future one";
  EXPECT_EQ(meaning_of(job, job.started).detail, "Priority") << "a past one says nothing";
}

TEST(SlurmStates, LooksBackOffWithTheAgeOfTheLastChange) {
  EXPECT_EQ(look_interval(0, false), kSecond);
  EXPECT_EQ(look_interval(kMinute, false), 6 * kSecond);
  EXPECT_EQ(look_interval(kHour, false), kMinute);
  EXPECT_EQ(look_interval(kHour, true), 15 * kSecond);
}

}  // namespace
}  // namespace kneepoint
