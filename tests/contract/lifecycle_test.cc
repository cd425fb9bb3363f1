// SPDX-License-Identifier: Apache-2.0
//
// What a launcher does for a job that nothing happens to.
#include "tests/contract/backends.h"

namespace kneepoint::contract {
namespace {

class Lifecycle : public Contract {};

TEST_P(Lifecycle, CapabilitiesAreSane) {
  const Capabilities capabilities = launcher().capabilities();
  EXPECT_GE(capabilities.nodes, 0);
  EXPECT_GE(capabilities.cores_per_node, 0);
  EXPECT_GE(capabilities.gpus_per_node, 0);
  EXPECT_GE(capabilities.default_concurrent, 1);
  EXPECT_GE(capabilities.poll_interval, 0);
  EXPECT_LE(capabilities.poll_interval, kMinute);
}

TEST_P(Lifecycle, AJobRunsToItsEndAndTellsWhatBecameOfIt) {
  const JobRef job = submit(quick("kp-0123abcd-1-1-a1", 2));
  EXPECT_EQ(job.name, "kp-0123abcd-1-1-a1");
  EXPECT_EQ(job.directory, folder_ + "/study");
  EXPECT_FALSE(job.id.empty());
  EXPECT_GT(job.submitted_ns, 0);
  const Observation seen = wait_until_ended(job);
  EXPECT_EQ(seen.state, AllocationState::ended);
  EXPECT_EQ(seen.reason, Reason::none) << to_string(seen.reason);
  EXPECT_EQ(seen.submitted_ns, job.submitted_ns);
  EXPECT_GE(seen.started_ns, seen.submitted_ns);
  EXPECT_GE(seen.ended_ns, seen.started_ns);
  EXPECT_GE(seen.observed_ns, seen.ended_ns);
  const Artifacts artifacts = collect(job);
  ASSERT_EQ(artifacts.steps.size(), 2u);
  for (const StepArtifacts& step : artifacts.steps) {
    EXPECT_TRUE(step.begun);
    const auto records = parsed(step);
    EXPECT_TRUE(records.complete) << step.records;
    ASSERT_TRUE(records.end);
    EXPECT_EQ(end_of(records).outcome, "succeeded") << end_of(records).detail;
    EXPECT_EQ(begin_of(records).attempt, step.attempt);
    if (GetParam().executes) {
      EXPECT_EQ(executions(step.attempt), 1);
    }
  }
  EXPECT_EQ(artifacts.steps[0].attempt, "kp-0123abcd-1-1-a1-s1") << "in the request's order";
}

TEST_P(Lifecycle, TimeIsReportedAsANumber) {
  const JobRef job = submit(quick("kp-time"));
  wait_until_ended(job);
  const auto records = parsed(collect(job).steps.at(0));
  ASSERT_EQ(records.metrics.size(), 1u);
  EXPECT_EQ(records.metrics[0].name, "time");
  EXPECT_EQ(records.metrics[0].value, 0.25);
  EXPECT_EQ(records.metrics[0].unit, "s");
}

TEST_P(Lifecycle, CollectingIsRepeatable) {
  const JobRef job = submit(quick("kp-collect", 2));
  wait_until_ended(job);
  const Artifacts first = collect(job);
  const Artifacts second = collect(job);
  start_controller();
  const Artifacts third = collect(job);
  ASSERT_EQ(first.steps.size(), 2u);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(first.steps[i].records, second.steps[i].records);
    EXPECT_EQ(first.steps[i].records, third.steps[i].records);
    EXPECT_EQ(first.steps[i].begun, third.steps[i].begun);
  }
}

TEST_P(Lifecycle, CollectingWorksWhileTheJobRuns) {
  const JobRef job = submit(endless("kp-running", 3, 2));
  wait_until_begun(job, 1);
  const Artifacts artifacts = collect(job);
  ASSERT_EQ(artifacts.steps.size(), 3u);
  EXPECT_TRUE(parsed(artifacts.steps[0]).complete);
  EXPECT_TRUE(artifacts.steps[1].begun);
  EXPECT_FALSE(parsed(artifacts.steps[1]).end);
  EXPECT_FALSE(artifacts.steps[2].begun);
  EXPECT_TRUE(launcher().cancel({&job, 1}, soon())[0]);
  wait_until_ended(job);
}

TEST_P(Lifecycle, ManyJobsAreObservedAtOnceAndAnsweredInOrder) {
  std::vector<AllocationRequest> requests;
  for (int i = 0; i < 20; ++i) requests.push_back(quick("kp-many-" + std::to_string(i)));
  std::vector<JobRef> jobs;
  for (const auto& answer : launcher().submit(requests, soon())) {
    ASSERT_TRUE(answer) << answer.error().message;
    jobs.push_back(*answer);
  }
  jobs.push_back(JobRef{"kp-nobody", folder_ + "/study", "", 0});
  for (const JobRef& job : jobs) wait_until_ended(job);
  const auto seen = launcher().observe(jobs, soon());
  ASSERT_TRUE(seen) << seen.error().message;
  ASSERT_EQ(seen->size(), jobs.size());
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    EXPECT_EQ(seen->at(i).job.name, jobs[i].name);
    EXPECT_EQ(seen->at(i).state, i < 20 ? AllocationState::ended : AllocationState::unknown);
  }
  const auto none = launcher().observe({}, soon());
  ASSERT_TRUE(none);
  EXPECT_TRUE(none->empty());
}

TEST_P(Lifecycle, AStepThatFailsDoesNotKeepTheNextFromRunning) {
  const JobRef job = submit(failing("kp-fails"));
  EXPECT_EQ(wait_until_ended(job).state, AllocationState::ended);
  const Artifacts artifacts = collect(job);
  ASSERT_EQ(artifacts.steps.size(), 2u);
  const auto failed = parsed(artifacts.steps[0]);
  ASSERT_TRUE(failed.complete) << artifacts.steps[0].records;
  EXPECT_EQ(end_of(failed).outcome, "failed");
  EXPECT_EQ(end_of(failed).reason, "exit_code");
  EXPECT_EQ(end_of(failed).exit_code, 1);
  EXPECT_EQ(outcome_of(artifacts.steps[1]), "succeeded");
}

TEST_P(Lifecycle, AStepThatOutlivesItsLimitIsTimedOut) {
  AllocationRequest request = endless("kp-limit", 2, 1);
  request.steps[0].limit = 200 * kMillisecond;
  const JobRef job = submit(request);
  EXPECT_EQ(wait_until_ended(job).state, AllocationState::ended);
  const Artifacts artifacts = collect(job);
  const auto records = parsed(artifacts.steps.at(0));
  ASSERT_TRUE(records.complete) << artifacts.steps[0].records;
  EXPECT_EQ(end_of(records).outcome, "timed_out");
  EXPECT_EQ(end_of(records).reason, "time_limit");
  EXPECT_EQ(outcome_of(artifacts.steps.at(1)), "succeeded");
}

TEST_P(Lifecycle, EmittingShowsWhatWouldBeHandedOverAndDoesNothing) {
  const AllocationRequest request = quick("kp-emit");
  const auto files = launcher().emit(request);
  ASSERT_FALSE(files.empty());
  for (const auto& file : files) {
    EXPECT_FALSE(file.name.empty());
    EXPECT_EQ(file.name.find('/'), std::string::npos) << file.name;
    EXPECT_FALSE(file.content.empty());
  }
  EXPECT_NE(files[0].content.find("kp-emit-s1"), std::string::npos);
  EXPECT_EQ(observe({request.name, request.directory, "", 0}).state, AllocationState::unknown);
}

INSTANTIATE_TEST_SUITE_P(Backends, Lifecycle, testing::ValuesIn(backends_under_test()),
                         [](const auto& row) { return row.param.name; });

}  // namespace
}  // namespace kneepoint::contract
