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
  EXPECT_EQ(parsed(collect(adopted).steps.at(0)).end->outcome, "cancelled");
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
  EXPECT_EQ(parsed(collect(job).steps.at(1)).end->outcome, "succeeded");
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
    EXPECT_EQ(parsed(step).end->outcome, "succeeded");
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
    EXPECT_EQ(parsed(artifacts.steps[0]).end->outcome, "succeeded");
    EXPECT_EQ(parsed(artifacts.steps[1]).end->outcome, "succeeded");
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
  const Nanoseconds before = system_clock().steady();
  // A backend of its own machine has no excuse; commands of a queue have the time they ask for.
  const Deadline deadline =
      before + (has_queue() ? launcher().capabilities().call_deadline : 2 * kSecond);
  ASSERT_TRUE(launcher().observe({&job, 1}, deadline));
  ASSERT_TRUE(launcher().collect(job, deadline));
  ASSERT_TRUE(launcher().cancel({&job, 1}, deadline).at(0));
  EXPECT_LT(system_clock().steady(), deadline + kSecond);
  wait_until_ended(job);
}

INSTANTIATE_TEST_SUITE_P(Backends, Interruption, testing::ValuesIn(backends_under_test()),
                         [](const auto& row) { return row.param.name; });

}  // namespace
}  // namespace kneepoint::contract
