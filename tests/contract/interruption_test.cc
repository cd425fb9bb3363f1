// SPDX-License-Identifier: Apache-2.0
//
// Controllers that are killed, allocations that die, deadlines that pass.
#include "tests/contract/backends.h"

namespace kneepoint::contract {
namespace {

class Interruption : public Contract {};

TEST_P(Interruption, KilledBetweenSubmitAndRecordTheJobIsAdopted) {
  const AllocationRequest request = endless("kp-adopt", 2, 1);
  submit(request);  // and nobody noted the answer
  start_controller();
  const JobRef adopted = submit(request);
  EXPECT_EQ(wait_until_started(adopted).state, AllocationState::running);
  wait_until_begun(adopted, 0);
  EXPECT_TRUE(launcher().cancel({&adopted, 1}, soon())[0]) << "adopted jobs can be cancelled";
  EXPECT_EQ(wait_until_ended(adopted).state, AllocationState::ended);
  EXPECT_EQ(outcome_of(collect(adopted).steps.at(0)), "cancelled");
  if (GetParam().executes) {
    EXPECT_EQ(executions("kp-adopt-s1"), 1);
  }
}

TEST_P(Interruption, ARunningJobIsFoundAgainByItsReference) {
  const JobRef job = submit(endless("kp-found", 1, 1));
  start_controller();
  const Observation seen = wait_until_started(job);
  EXPECT_EQ(seen.state, AllocationState::running);
  EXPECT_EQ(seen.submitted_ns, job.submitted_ns);
  EXPECT_GT(seen.started_ns, 0);
  wait_until_begun(job, 0);
  EXPECT_TRUE(launcher().cancel({&job, 1}, soon())[0]);
  EXPECT_EQ(wait_until_ended(job).state, AllocationState::ended);
}

TEST_P(Interruption, AJobThatEndedWhileNobodyLookedIsFoundEnded) {
  const JobRef job = submit(quick("kp-alone", 2));
  wait_until_ended(job);
  start_controller();
  for (const std::string& id : {job.id, std::string()}) {
    const Observation seen = wait_until_ended({job.name, job.directory, id, job.submitted_ns});
    EXPECT_EQ(seen.state, AllocationState::ended);
    EXPECT_GE(seen.ended_ns, seen.started_ns);
    start_controller();
  }
  EXPECT_EQ(outcome_of(collect(job).steps.at(1)), "succeeded");
}

TEST_P(Interruption, ControllersThatComeAndGoNeverRunAStepTwice) {
  const AllocationRequest request = quick("kp-often", 3);
  JobRef job;
  for (int i = 0; i < 5; ++i) {
    job = submit(request);
    start_controller();
  }
  EXPECT_EQ(wait_until_ended(submit(request)).state, AllocationState::ended);
  for (const StepArtifacts& step : collect(job).steps) {
    EXPECT_EQ(outcome_of(step), "succeeded");
    if (GetParam().executes) {
      EXPECT_EQ(executions(step.attempt), 1);
    }
  }
}

TEST_P(Interruption, KilledInStepThreeOfFiveTwoAreDoneOneIsLostTwoNeverBegan) {
  const AllocationRequest request = doomed("kp-doomed");
  start_controller();
  const JobRef job = submit(request);
  wait_until_begun(job, 2);
  strike(job);
  const Observation seen = wait_until_ended(job);
  EXPECT_EQ(seen.state, AllocationState::ended);
  for (int look = 0; look < 2; ++look) {
    const Artifacts artifacts = collect(job);
    ASSERT_EQ(artifacts.steps.size(), 5u);
    EXPECT_EQ(outcome_of(artifacts.steps[0]), "succeeded");
    EXPECT_EQ(outcome_of(artifacts.steps[1]), "succeeded");
    EXPECT_TRUE(artifacts.steps[2].begun);
    EXPECT_FALSE(parsed(artifacts.steps[2]).end);
    EXPECT_FALSE(artifacts.steps[3].begun);
    EXPECT_FALSE(artifacts.steps[4].begun);
    start_controller();
  }
  // The allocation is over: asking again does not start the rest.
  submit(request);
  EXPECT_EQ(wait_until_ended(job).state, AllocationState::ended);
  EXPECT_FALSE(collect(job).steps.at(3).begun);
}

TEST_P(Interruption, PastTheDeadlineTheAnswerIsTimeoutAndNothingIsDone) {
  const AllocationRequest request = quick("kp-late");
  const Deadline past = system_clock().steady() - 1;
  const auto submitted = launcher().submit({&request, 1}, past);
  ASSERT_FALSE(submitted.at(0));
  EXPECT_EQ(submitted[0].error().code, ErrorCode::timeout);
  EXPECT_TRUE(submitted[0].error().retryable);
  const JobRef job{request.name, request.directory, "", 0};
  const auto seen = launcher().observe({&job, 1}, past);
  ASSERT_FALSE(seen);
  EXPECT_EQ(seen.error().code, ErrorCode::timeout);
  EXPECT_EQ(launcher().cancel({&job, 1}, past).at(0).error().code, ErrorCode::timeout);
  EXPECT_EQ(launcher().collect(job, past).error().code, ErrorCode::timeout);
  EXPECT_EQ(observe(job).state, AllocationState::unknown);
  EXPECT_EQ(wait_until_ended(submit(request)).state, AllocationState::ended) << "and later is fine";
}

TEST_P(Interruption, CallsReturnWithinTheirDeadline) {
  const JobRef job = submit(endless("kp-calls", 1, 1));
  wait_until_begun(job, 0);
  // However short: an answer, or that it has come too late. A call that waits on would not return
  // before the job's end.
  const Nanoseconds asked_for = launcher().capabilities().call_deadline;
  for (const Nanoseconds given : {has_queue() ? asked_for : kMillisecond, asked_for}) {
    const auto in_time = [&](const auto& answer) {
      return answer.has_value() || answer.error().code == ErrorCode::timeout;
    };
    EXPECT_TRUE(in_time(launcher().observe({&job, 1}, system_clock().steady() + given)));
    EXPECT_TRUE(in_time(launcher().collect(job, system_clock().steady() + given)));
  }
  if (GetParam().executes) {
    EXPECT_EQ(wait_until_started(job).state, AllocationState::running);
  }
  EXPECT_TRUE(launcher().cancel({&job, 1}, soon()).at(0));
  EXPECT_EQ(wait_until_ended(job).state, AllocationState::ended);
}

INSTANTIATE_TEST_SUITE_P(Backends, Interruption, testing::ValuesIn(backends_under_test()),
                         [](const auto& row) { return row.param.name; });

}  // namespace
}  // namespace kneepoint::contract
