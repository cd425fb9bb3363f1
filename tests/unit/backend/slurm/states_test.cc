// SPDX-License-Identifier: Apache-2.0
//
// Every state of a Slurm job has one meaning.
#include "orchestrator/backend/slurm/watch.h"

#include <gtest/gtest.h>

#include <regex>

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
  for (const char* word : {"PENDING", "CONFIGURING", "POWER_UP_NODE", "REQUEUED", "REQUEUE",
                           "REQUEUE_FED", "REQUEUE_HOLD", "SPECIAL_EXIT", "RESV_DEL_HOLD"}) {
    EXPECT_EQ(meaning(word).state, AllocationState::queued) << word;
    EXPECT_EQ(meaning(word).reason, Reason::none) << word;
    EXPECT_FALSE(meaning(word).detail.empty()) << word;
  }
  EXPECT_EQ(meaning("SPECIAL_EXIT").detail, "SPECIAL_EXIT") << "what is unusual is said";
}

TEST(SlurmStates, SuspendedAndCompletingOnesStillRun) {
  for (const char* word : {"RESIZING", "SIGNALING", "SUSPENDED", "STOPPED", "COMPLETING",
                           "STAGE_OUT", "UPDATE_DB", "EXPEDITING", "A_STATE_OF_2030"}) {
    EXPECT_EQ(meaning(word).state, AllocationState::running) << word;
    EXPECT_EQ(meaning(word).detail, std::string(word) + " on n[1-2]");
  }
  EXPECT_EQ(meaning("RUNNING").state, AllocationState::running);
  EXPECT_EQ(meaning("RUNNING").detail, "");
}

TEST(SlurmStates, EndsCarryTheirReason) {
  const std::pair<const char*, Reason> ends[] = {{"COMPLETED", Reason::none},
                                                 {"FAILED", Reason::none},
                                                 {"FAIL", Reason::none},
                                                 {"CANCELLED", Reason::user_cancelled},
                                                 {"TIMEOUT", Reason::time_limit},
                                                 {"DEADLINE", Reason::pending_too_long},
                                                 {"OUT_OF_MEMORY", Reason::oom},
                                                 {"NODE_FAIL", Reason::node_failed},
                                                 {"BOOT_FAIL", Reason::node_failed},
                                                 {"LAUNCH_FAILED", Reason::node_failed},
                                                 {"RECONFIG_FAIL", Reason::node_failed},
                                                 {"PREEMPTED", Reason::none},
                                                 {"REVOKED", Reason::unknown_to_backend}};
  for (const auto& [word, reason] : ends) {
    EXPECT_EQ(meaning(word).state, AllocationState::ended) << word;
    EXPECT_EQ(meaning(word).reason, reason) << word;
    EXPECT_EQ(meaning(word).preempted, std::string(word) == "PREEMPTED");
    if (std::string(word) == "COMPLETED") continue;
    EXPECT_EQ(meaning(word).detail, "Slurm ended job 7 as " + std::string(word) + " on n[1-2]");
  }
  EXPECT_EQ(meaning("COMPLETED").detail, "");
}

TEST(SlurmStates, AnEndTellsAllThatSlurmKnowsOfIt) {
  SlurmJob job;
  job.id = "7";
  job.state = "CANCELLED";
  job.ended_by = "1042";
  job.nodes = "n3";
  EXPECT_EQ(meaning_of(job, 0).detail, "Slurm ended job 7 as CANCELLED by user 1042 on n3");
  job = {};
  job.id = "8";
  job.state = "FAILED";
  job.reason = "NonZeroExitCode";
  job.exit_code = 74;
  job.signal = 9;
  EXPECT_EQ(meaning_of(job, 0).detail,
            "Slurm ended job 8 as FAILED (NonZeroExitCode), exit code 74, signal 9");
  job = {};
  job.id = "9";
  job.state = "NODE_FAIL";
  job.nodes = "n[1-4]";
  job.failed_node = "n2";
  EXPECT_EQ(meaning_of(job, 0).detail, "Slurm ended job 9 as NODE_FAIL, failed node n2");
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
  const auto told = [&](Nanoseconds before) {
    return meaning_of(job, job.started - before).detail;
  };
  const std::string soon = told(kHour), late = told(30 * kHour);
  EXPECT_TRUE(std::regex_match(soon, std::regex("Priority, est. start [0-9]{2}:[0-9]{2}"))) << soon;
  EXPECT_TRUE(std::regex_match(
      late, std::regex("Priority, est. start [A-Z][a-z]{2} [0-9]{2} [0-9]{2}:[0-9]{2}")))
      << late;
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
