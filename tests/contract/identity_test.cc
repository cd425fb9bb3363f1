// SPDX-License-Identifier: Apache-2.0
//
// A name stands for one job, for ever, whoever asks.
#include "tests/contract/backends.h"

namespace kneepoint::contract {
namespace {

class Identity : public Contract {};

TEST_P(Identity, SubmittingTwiceIsOneJob) {
  const AllocationRequest request = quick("kp-twice", 2);
  const JobRef first = submit(request);
  const JobRef second = submit(request);
  EXPECT_EQ(first.id, second.id);
  EXPECT_EQ(first.submitted_ns, second.submitted_ns);
  wait_until_ended(first);
  const std::string records = collect(first).steps.at(0).records;
  const JobRef third = submit(request);
  EXPECT_EQ(wait_until_ended(third).state, AllocationState::ended);
  EXPECT_EQ(collect(third).steps.at(0).records, records);
  if (GetParam().executes) {
    EXPECT_EQ(executions("kp-twice-s1"), 1);
    EXPECT_EQ(executions("kp-twice-s2"), 1);
  }
}

TEST_P(Identity, SubmittingTwiceInOneCallIsOneJob) {
  const std::vector<AllocationRequest> requests(2, quick("kp-pair"));
  const auto answers = launcher().submit(requests, soon());
  ASSERT_TRUE(answers.at(0) && answers.at(1));
  EXPECT_EQ(answers[0]->id, answers[1]->id);
  wait_until_ended(*answers[0]);
  if (GetParam().executes) {
    EXPECT_EQ(executions("kp-pair-s1"), 1);
  }
}

TEST_P(Identity, AnUnknownJobIsUnknownAndNotAnError) {
  const Observation seen = observe({"kp-nobody", folder_ + "/study", "1:1", 5});
  EXPECT_EQ(seen.state, AllocationState::unknown);
  EXPECT_EQ(seen.job.name, "kp-nobody");
  const JobRef nobody{"kp-nobody", folder_ + "/nowhere", "", 0};
  EXPECT_EQ(observe(nobody).state, AllocationState::unknown);
  const auto artifacts = launcher().collect(nobody, soon());
  ASSERT_FALSE(artifacts);
  EXPECT_EQ(artifacts.error().code, ErrorCode::not_found);
  EXPECT_NE(artifacts.error().message.find("kp-nobody"), std::string::npos);
}

TEST_P(Identity, CancellingAFinishedOrUnknownJobIsFine) {
  const JobRef job = submit(quick("kp-done"));
  wait_until_ended(job);
  const std::string records = collect(job).steps.at(0).records;
  const std::vector<JobRef> jobs = {job, {"kp-nobody", folder_ + "/study", "1:1", 5}};
  for (const auto& answer : launcher().cancel(jobs, soon())) EXPECT_TRUE(answer);
  EXPECT_EQ(observe(job).state, AllocationState::ended);
  EXPECT_EQ(collect(job).steps.at(0).records, records);
}

TEST_P(Identity, CancellingTwiceIsFineAndTheStepSaysThatItWasCancelled) {
  const JobRef job = submit(endless("kp-cancel", 3, 2));
  wait_until_begun(job, 1);
  EXPECT_TRUE(launcher().cancel({&job, 1}, soon())[0]);
  EXPECT_TRUE(launcher().cancel({&job, 1}, soon())[0]);
  EXPECT_EQ(wait_until_ended(job).state, AllocationState::ended);
  EXPECT_TRUE(launcher().cancel({&job, 1}, soon())[0]);
  const Artifacts artifacts = collect(job);
  const auto second = parsed(artifacts.steps.at(1));
  ASSERT_TRUE(second.complete) << artifacts.steps[1].records;
  EXPECT_EQ(end_of(second).outcome, "cancelled");
  EXPECT_EQ(end_of(second).reason, "user_cancelled");
  EXPECT_FALSE(artifacts.steps.at(2).begun);
}

TEST_P(Identity, NamesMayHaveFortyCharacters) {
  const std::string name = "kp-0123abcd-1000-12345678901234567890-a1";
  ASSERT_EQ(name.size(), 40u);
  const JobRef job = submit(quick(name));
  EXPECT_EQ(wait_until_ended(job).state, AllocationState::ended);
  EXPECT_EQ(outcome_of(collect(job).steps.at(0)), "succeeded");
}

TEST_P(Identity, JobsOfTheSameNameInTwoStudiesAreTwoJobs) {
  const AllocationRequest one = quick("kp-same");
  AllocationRequest other = one;
  other.directory = folder_ + "/other";
  other.steps[0].run_dir = other.directory + "/kp-same-s1";
  other.steps[0].attempt = "kp-other-s1";
  other.steps[0].command.argv.back() = folder_ + "/kp-other-s1.marks";
  wait_until_ended(submit(one));
  const JobRef job = submit(other);
  wait_until_ended(job);
  EXPECT_EQ(collect(job).steps.at(0).attempt, "kp-other-s1");
  EXPECT_TRUE(parsed(collect(job).steps.at(0)).complete);
  if (GetParam().executes) {
    EXPECT_EQ(executions("kp-same-s1"), 1);
    EXPECT_EQ(executions("kp-other-s1"), 1);
  }
}

INSTANTIATE_TEST_SUITE_P(Backends, Identity, testing::ValuesIn(backends_under_test()),
                         [](const auto& row) { return row.param.name; });

}  // namespace
}  // namespace kneepoint::contract
