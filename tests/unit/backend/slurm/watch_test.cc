// SPDX-License-Identifier: Apache-2.0
//
// What Slurm, its accounting and the job's files tell, and when; time only moves as a test says.
#include <fcntl.h>
#include <unistd.h>

#include "tests/unit/backend/slurm/watch_fixture.h"

namespace kneepoint {
namespace {

TEST_F(SlurmWatchTest, AJobThatIsNotListedIsLookedForAWhileAndThenUnknown) {
  EXPECT_EQ(look().state, AllocationState::queued) << "it may not be listed yet";
  EXPECT_EQ(look_after(7 * kSecond).state, AllocationState::queued);
  const Observation seen = look_after(2 * kSecond);
  EXPECT_EQ(seen.state, AllocationState::unknown);
  EXPECT_EQ(seen.detail, "Slurm no longer knows of job 7 named kp-1");
  slurm_.queue = {told("RUNNING")};
  EXPECT_EQ(look().state, AllocationState::queued) << "unknown is not the last word";
  EXPECT_EQ(look().detail, "started on n1; its agent has not begun yet");
  begins();
  EXPECT_EQ(look().state, AllocationState::running);
  EXPECT_EQ(look().detail, "");
}

TEST_F(SlurmWatchTest, AJobThatIsListedAgainInTimeWasNeverMissing) {
  look();
  slurm_.queue = {told("PENDING")};
  look_after(7 * kSecond);
  slurm_.queue.clear();
  look_after(kSecond);
  EXPECT_EQ(look_after(7 * kSecond).state, AllocationState::queued);
}

TEST_F(SlurmWatchTest, AnotherJobWithTheSameIdIsNotOurs) {
  SlurmJob foreign = told("COMPLETED");
  foreign.name = "kp-foreign";
  SlurmJob namesake = told("COMPLETED");
  namesake.directory = "/another/study";
  slurm_.queue = {foreign, namesake};
  look();
  EXPECT_EQ(look_after(9 * kSecond).state, AllocationState::unknown);
}

TEST_F(SlurmWatchTest, OfSeveralJobsOfOurNameTheOneWithOurIdCounts) {
  SlurmJob older = told("CANCELLED");
  older.id = "3";
  older.submitted -= kHour;
  slurm_.queue = {told("RUNNING"), older};
  begins();
  EXPECT_EQ(look().state, AllocationState::running);
  job_.ref.id.clear();
  EXPECT_EQ(look().job.id, "7") << "without an id, the newest";
}

// Slurm gave the id out again, and a study of this name was deleted from this folder before.
TEST_F(SlurmWatchTest, AJobThatWasSubmittedBeforeOursIsNotOursWhateverItsIdAndName) {
  SlurmJob older = told("COMPLETED");
  older.submitted -= kHour;
  slurm_.queue = {older};
  look();
  EXPECT_EQ(look_after(9 * kSecond).state, AllocationState::unknown);
  SlurmJob requeued = told("PENDING");
  requeued.submitted += kHour;
  slurm_.queue = {requeued};
  EXPECT_EQ(look().state, AllocationState::queued);
}

TEST_F(SlurmWatchTest, ClocksMayDifferALittle) {
  SlurmJob skewed = told("RUNNING");
  skewed.submitted -= 30 * kSecond;
  slurm_.queue = {skewed};
  begins();
  EXPECT_EQ(look().state, AllocationState::running);
}

TEST_F(SlurmWatchTest, AccountingKnowsTheEndOfAJobThatLeftTheList) {
  cluster_.has_accounting = true;
  begins();
  slurm_.accounts = {told("NODE_FAIL")};
  const Observation seen = look();
  EXPECT_EQ(seen.state, AllocationState::ended);
  EXPECT_EQ(seen.reason, Reason::node_failed);
}

TEST_F(SlurmWatchTest, WhileAccountingIsAwayAMissingJobIsNotCalledLost) {
  cluster_.has_accounting = true;
  slurm_.queue = {told("PENDING")};
  EXPECT_EQ(look().state, AllocationState::queued);
  slurm_.queue.clear();
  slurm_.accounts_refusal = "sacct: Connection refused";
  clock_.advance(kSecond);
  for (int i = 0; i < 5; ++i) {
    ASSERT_TRUE(watch_.look(kHour));
    EXPECT_TRUE(watch_.is_in_doubt(job_));
    EXPECT_FALSE(watch_.ask_accounting({&job_}, kHour));
    const Observation seen = watch_.observe(job_, kHour);
    EXPECT_EQ(seen.state, AllocationState::queued);
    EXPECT_EQ(seen.detail,
              "Slurm does not list job 7, and accounting does not answer: sacct: Connection "
              "refused");
    clock_.advance(kMinute);
  }
  // It answers, and knows nothing of it either: then it is lost after a while.
  slurm_.accounts_refusal.clear();
  EXPECT_EQ(look().state, AllocationState::queued);
  EXPECT_EQ(look_after(10 * kSecond).state, AllocationState::unknown);
}

TEST_F(SlurmWatchTest, WhileAccountingIsAwayTheAgentsEndRecordIsEnough) {
  cluster_.has_accounting = true;
  slurm_.accounts_refusal = "sacct: Connection refused";
  begins();
  ends();
  EXPECT_TRUE(watch_.look(kHour));
  EXPECT_FALSE(watch_.is_in_doubt(job_));
  EXPECT_EQ(look().state, AllocationState::ended);
}

TEST_F(SlurmWatchTest, WhoCancelledItIsNotWaitedForWhileAccountingIsAway) {
  cluster_.has_accounting = true;
  begins();
  slurm_.accounts_refusal = "sacct: Connection refused";
  slurm_.queue = {told("CANCELLED")};
  const auto seen = [&] {
    EXPECT_TRUE(watch_.look(kHour));
    EXPECT_FALSE(watch_.is_in_doubt(job_));
    EXPECT_FALSE(watch_.ask_accounting({&job_}, kHour));
    return watch_.observe(job_, kHour);
  };
  EXPECT_EQ(seen().state, AllocationState::running);
  clock_.advance(20 * kSecond);
  const Observation end = seen();
  EXPECT_EQ(end.state, AllocationState::ended);
  EXPECT_EQ(end.reason, Reason::user_cancelled);
}

TEST_F(SlurmWatchTest, PendingByAccountingAloneIsWhatALostJobLooksLike) {
  cluster_.has_accounting = true;
  slurm_.accounts = {told("PENDING")};
  EXPECT_EQ(look().state, AllocationState::queued);
  EXPECT_EQ(look_after(9 * kSecond).state, AllocationState::unknown);
}

TEST_F(SlurmWatchTest, ACompletedJobWaitsAMinuteForItsFiles) {
  slurm_.queue = {told("COMPLETED")};
  Observation seen = look();
  EXPECT_EQ(seen.state, AllocationState::queued);
  EXPECT_EQ(seen.detail, "over for Slurm (COMPLETED); its files are not here yet");
  EXPECT_EQ(look_after(30 * kSecond).state, AllocationState::queued);
  begins();
  EXPECT_EQ(look_after(kSecond).state, AllocationState::running) << "the end is still to come";
  ends();
  seen = look_after(kSecond);
  EXPECT_EQ(seen.state, AllocationState::ended);
  EXPECT_EQ(seen.detail, "");
}

TEST_F(SlurmWatchTest, FilesThatNeverComeAreGivenUpWithAHint) {
  slurm_.queue = {told("COMPLETED")};
  look();
  const Observation seen = look_after(60 * kSecond);
  EXPECT_EQ(seen.state, AllocationState::ended);
  EXPECT_NE(seen.detail.find("is that folder there on the nodes, and writable?"), std::string::npos)
      << seen.detail;
}

TEST_F(SlurmWatchTest, AFailedJobOfWhichNothingIsSeenMayHaveRunAllTheSame) {
  slurm_.queue = {told("FAILED")};
  EXPECT_EQ(look().state, AllocationState::queued);
  EXPECT_EQ(look_after(59 * kSecond).state, AllocationState::queued);
  std::ofstream(folder_ + "/kp-1.out") << "kneepoint-agent: write: No space left on device\n";
  const Observation seen = look();
  EXPECT_EQ(seen.state, AllocationState::ended);
  EXPECT_NE(seen.detail.find("it said: kneepoint-agent: write: No space left"), std::string::npos)
      << seen.detail;
}

TEST_F(SlurmWatchTest, AJobThatCouldNotOpenItsOutputIsGivenAPause) {
  slurm_.queue = {told("FAILED")};
  slurm_.queue[0].reason = "JobLaunchFailure";
  EXPECT_EQ(look().state, AllocationState::queued);
  EXPECT_EQ(look_after(9 * kSecond).state, AllocationState::queued);
  EXPECT_EQ(look_after(kSecond).state, AllocationState::ended);
}

TEST_F(SlurmWatchTest, AJobPurgedFromMemoryIsKnownByItsOwnEndRecord) {
  slurm_.queue = {told("RUNNING")};
  begins();
  EXPECT_EQ(look().state, AllocationState::running);
  slurm_.queue.clear();
  ends();
  const Observation seen = look_after(kSecond);
  EXPECT_EQ(seen.state, AllocationState::ended) << "without waiting";
  EXPECT_EQ(seen.reason, Reason::none);
  EXPECT_EQ(seen.detail, "");
  EXPECT_EQ(seen.nodes, "n1") << "as last seen";
}

TEST_F(SlurmWatchTest, AJobPurgedWithoutAnEndRecordIsOverAndSaysSo) {
  begins();
  look();
  const Observation seen = look_after(9 * kSecond);
  EXPECT_EQ(seen.state, AllocationState::ended);
  EXPECT_EQ(seen.detail, "Slurm no longer knows of job 7, and its agent left no end record");
}

TEST_F(SlurmWatchTest, AJobThatSlurmLostIsNotOverWhileItsAgentLives) {
  begins();
  const int agent = ::open(job_.path.c_str(), O_RDWR | O_CLOEXEC);
  struct flock whole {};
  whole.l_type = F_WRLCK;
  ASSERT_EQ(::fcntl(agent, F_OFD_SETLK, &whole), 0);
  look();
  const Observation seen = look_after(kMinute);
  EXPECT_EQ(seen.state, AllocationState::running);
  EXPECT_EQ(seen.detail, "Slurm does not list job 7, but its agent still runs");
  ::close(agent);
  EXPECT_EQ(look_after(kSecond).state, AllocationState::ended);
}

TEST_F(SlurmWatchTest, CleaningUpIsWaitedForHalfAMinuteOnceTheAgentHasEnded) {
  SlurmJob cleaning = told("RUNNING");
  cleaning.state = "COMPLETING";
  cleaning.completing = true;
  slurm_.queue = {cleaning};
  begins();
  ends();
  EXPECT_EQ(look().state, AllocationState::running);
  EXPECT_EQ(look_after(29 * kSecond).state, AllocationState::running);
  EXPECT_EQ(look_after(2 * kSecond).state, AllocationState::ended);
}

TEST_F(SlurmWatchTest, WhoCancelledItIsAskedOfAccountingWhichLags) {
  cluster_.has_accounting = true;
  slurm_.queue = {told("CANCELLED")};
  Observation seen = look();
  EXPECT_EQ(seen.state, AllocationState::queued);
  slurm_.accounts = {told("CANCELLED")};
  slurm_.accounts[0].ended_by = "1042";
  seen = look_after(6 * kSecond);
  EXPECT_EQ(seen.state, AllocationState::ended);
  EXPECT_EQ(seen.reason, Reason::user_cancelled);
  EXPECT_NE(seen.detail.find("CANCELLED by user 1042"), std::string::npos) << seen.detail;
}

TEST_F(SlurmWatchTest, WhatWeCancelledOurselvesNeedsNoAccounting) {
  cluster_.has_accounting = true;
  job_.cancelled = true;
  slurm_.queue = {told("CANCELLED")};
  EXPECT_EQ(look().state, AllocationState::ended);
  EXPECT_EQ(slurm_.histories, 0);
}

TEST_F(SlurmWatchTest, AJobThatIsPutBackIntoTheQueueIsTakenOutAndCountsAsPreempted) {
  cluster_.has_accounting = true;
  slurm_.queue = {told("PENDING")};
  EXPECT_EQ(look().state, AllocationState::queued);
  begins();
  EXPECT_EQ(watch_.observe(job_, kHour).state, AllocationState::queued);
  EXPECT_EQ(look().state, AllocationState::queued);
  EXPECT_TRUE(slurm_.cancelled.empty()) << "it began after the list was made";
  slurm_.queue = {told("RUNNING")};
  EXPECT_EQ(look().state, AllocationState::running);
  slurm_.queue = {told("PENDING")};
  slurm_.queue[0].reason = "BeginTime";
  EXPECT_EQ(look().state, AllocationState::queued);
  EXPECT_EQ(slurm_.cancelled, std::vector<std::string>{"7"});
  slurm_.queue = {told("CANCELLED")};
  const Observation end = look();
  EXPECT_EQ(end.state, AllocationState::ended);
  EXPECT_TRUE(end.preempted);
  EXPECT_EQ(end.reason, Reason::none) << "nobody cancelled it for good";
  EXPECT_EQ(end.detail, "Slurm put job 7 back into the queue, where we took it out");
  EXPECT_EQ(slurm_.histories, 0) << "by whom is no question";
}

TEST_F(SlurmWatchTest, AFailedNodeIsRemembered) {
  slurm_.queue = {told("NODE_FAIL")};
  slurm_.queue[0].nodes = "n[1-3]";
  slurm_.down = {"n2"};
  const Observation seen = look();
  EXPECT_EQ(seen.reason, Reason::node_failed);
  EXPECT_EQ(seen.detail.find("can't exclude"), std::string::npos) << seen.detail;
  EXPECT_EQ(read_failed_nodes(folder_), std::vector<std::string>{"n2"});
}

TEST_F(SlurmWatchTest, TheOnlyNodeOfAJobIsRememberedThoughItIsUpAgain) {
  slurm_.queue = {told("NODE_FAIL")};
  EXPECT_EQ(look().reason, Reason::node_failed);
  EXPECT_EQ(read_failed_nodes(folder_), std::vector<std::string>{"n1"});
}

TEST_F(SlurmWatchTest, OfSeveralNodesThatAreAllUpAgainNoneIsBlamed) {
  slurm_.queue = {told("NODE_FAIL")};
  slurm_.queue[0].nodes = "n[1-3]";
  EXPECT_EQ(look().reason, Reason::node_failed);
  EXPECT_EQ(read_failed_nodes(folder_), std::vector<std::string>{});
}

TEST_F(SlurmWatchTest, ANodeOnWhichAllocationsFailToBeginIsLeftOutAfterTheSecondTime) {
  SlurmJob failed = told("FAILED");
  failed.reason = "JobLaunchFailure";
  slurm_.queue = {failed};
  look();
  Observation seen = look_after(11 * kSecond);
  ASSERT_EQ(seen.state, AllocationState::ended);
  EXPECT_EQ(seen.detail.find("failed to begin"), std::string::npos) << seen.detail;
  EXPECT_TRUE(read_failed_nodes(folder_).empty());
  const SlurmAllocation first = job_;
  job_ = SlurmAllocation();  // the second, of the same steps
  job_.ref = first.ref;
  job_.path = first.path;
  job_.steps = first.steps;
  look();
  seen = look_after(11 * kSecond);
  ASSERT_EQ(seen.state, AllocationState::ended);
  EXPECT_NE(seen.detail.find("2 allocations failed to begin on node n1"), std::string::npos)
      << seen.detail;
  EXPECT_EQ(read_failed_nodes(folder_), std::vector<std::string>{"n1"});
}

TEST_F(SlurmWatchTest, ANodeThatCantBeExcludedIsSaidToComeAgain) {
  cluster_.excludes_nodes = false;
  slurm_.queue = {told("NODE_FAIL")};
  EXPECT_NE(look().detail.find("can't exclude the node"), std::string::npos);
}

TEST_F(SlurmWatchTest, ASuspensionIsRememberedWhoeverLooksNext) {
  slurm_.queue = {told("SUSPENDED")};
  begins();
  Observation seen = look_after(kMinute);
  EXPECT_EQ(seen.state, AllocationState::running);
  const Nanoseconds then = clock_.wall();
  EXPECT_EQ(seen.suspended_ns, then);
  clock_.advance(kMinute);
  EXPECT_EQ(watch_.observe(job_, kHour).suspended_ns, then) << "an old list is no new sight";
  slurm_.queue = {told("RUNNING")};
  EXPECT_EQ(look_after(kMinute).suspended_ns, then);
  EXPECT_EQ(read_suspended(folder_, "kp-1"), then) << "for another controller";
  slurm_.queue = {told("COMPLETED")};
  ends();
  EXPECT_EQ(look().suspended_ns, then);
}

TEST_F(SlurmWatchTest, AnEndIsTheLastWord) {
  begins();
  ends();
  slurm_.queue = {told("COMPLETED")};
  EXPECT_EQ(look().state, AllocationState::ended);
  slurm_.queue = {told("RUNNING")};
  EXPECT_EQ(look().state, AllocationState::ended);
}

TEST_F(SlurmWatchTest, ASilentSlurmIsAnErrorAndChangesNothing) {
  begins();
  slurm_.queue = {told("RUNNING")};
  look();
  slurm_.refusal = "Unable to contact slurm controller";
  clock_.advance(kHour);
  const auto looked = watch_.look_if_due(kHour);
  ASSERT_FALSE(looked);
  EXPECT_EQ(looked.error().message, slurm_.refusal);
  EXPECT_EQ(watch_.observe(job_, kHour).state, AllocationState::running);
  slurm_.refusal.clear();
  slurm_.queue.clear();
  EXPECT_EQ(look().state, AllocationState::running) << "the hour of silence was no absence";
}

TEST_F(SlurmWatchTest, ACommandThatHangsSaysWhatToCheck) {
  slurm_.refusal = "squeue did not end";
  slurm_.refusal_code = ErrorCode::timeout;
  const auto looked = watch_.look(kHour);
  ASSERT_FALSE(looked);
  EXPECT_EQ(looked.error().message,
            "squeue did not end; check that slurmctld runs and is not too busy");
  EXPECT_EQ(looked.error().code, ErrorCode::timeout);
}

TEST_F(SlurmWatchTest, LooksAreSpacedByTheAgeOfTheLastChange) {
  slurm_.queue = {told("PENDING")};
  look();
  clock_.advance(kMinute);
  watch_.schedule({&job_});
  const int before = slurm_.lists;
  EXPECT_TRUE(watch_.look_if_due(kHour).value());
  watch_.schedule({&job_});
  EXPECT_FALSE(watch_.look_if_due(kHour).value());
  clock_.advance(5 * kSecond);
  EXPECT_FALSE(watch_.look_if_due(kHour).value());
  clock_.advance(kSecond);
  EXPECT_TRUE(watch_.look_if_due(kHour).value());
  EXPECT_EQ(slurm_.lists, before + 2);
}

}  // namespace
}  // namespace kneepoint
