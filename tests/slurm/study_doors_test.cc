// SPDX-License-Identifier: Apache-2.0
//
// Doors that close under a running study and open again: a token that expires, a partition that is
// drained, accounting that is away, a job that an administrator puts back into the queue. Nothing
// may fail that only had to wait; each is told once.
#include "tests/slurm/study_on.h"

namespace kneepoint {
namespace {

using testing_support::comes_true;
using testing_support::has;
using testing_support::StudyOn;

using Executions = std::map<std::string, int>;

int count(const std::string& text, const std::string& part) {
  int found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++found;
  }
  return found;
}

TEST(SlurmStudyDoors, APartitionThatIsDrainedIsWaitedFor) {
  StudyOn study("plain", 2);
  study.use_site("", "limits: {concurrent: 1}\n");
  study.start();
  ASSERT_TRUE(comes_true([&] { return !study.executions().empty(); }));
  study.place.slurm({"scontrol", "update", "partition=batch", "state=drain"});
  study.go();  // the first run ends, the second one is refused
  EXPECT_TRUE(comes_true([&] {
    return has(study.errors(), "Required partition not available (inactive or drain)");
  })) << study.errors();
  std::vector<std::string> check = study.command();
  check[0] = "check";
  const auto told = study.place.ask(check);
  EXPECT_NE(told.exit_code, 0) << told.output;
  EXPECT_TRUE(has(told.output + told.errors, "the partition is closed for now")) << told.output;
  EXPECT_FALSE(study.place.ended_within(study.pid(), 2'000'000)) << "it gave up";
  study.place.slurm({"scontrol", "update", "partition=batch", "state=up"});
  const auto ended = study.finish();
  EXPECT_EQ(ended.exit_code, 0) << ended.errors;
  EXPECT_EQ(study.executions(), (Executions{{"r1-a1", 1}, {"r2-a1", 1}}));
  EXPECT_EQ(count(ended.errors, "Required partition not available"), 1) << ended.errors;
  EXPECT_TRUE(has(ended.errors, "it answers again after ")) << ended.errors;
}

// By whom a job was cancelled only accounting knows; the study does not wait for it to come back.
TEST(SlurmStudyDoors, AccountingThatIsAwayStopsNothing) {
  StudyOn study("accounting", 2);
  ASSERT_EQ(study.place.cluster("stop", {"slurmdbd", "TERM"}), 0);
  study.start();
  ASSERT_TRUE(comes_true([&] { return study.all_run() && !study.job().empty(); }));
  const std::string asked = study.place.slurm({"sacct", "-X"});
  EXPECT_TRUE(has(asked, "Connection refused")) << "accounting is there: " << asked;
  study.place.slurm({"scancel", study.job()});
  ASSERT_TRUE(comes_true([&] { return study.state() == "cancelled"; })) << study.errors();
  study.go();
  const auto ended = study.finish();
  EXPECT_EQ(ended.exit_code, 130) << ended.errors;
  EXPECT_TRUE(has(study.detail(), "CANCELLED")) << study.detail();
  EXPECT_EQ(study.state(1, 2), "succeeded");
  ASSERT_EQ(study.place.cluster("up"), 0);
  const auto again = study.place.run(study.command());
  EXPECT_EQ(again.exit_code, 0) << again.errors;
  EXPECT_EQ(study.executions(), (Executions{{"r1-a1", 1}, {"r1-a2", 1}, {"r2-a1", 1}}));
}

// An administrator can do what our own requests forbid. The job would start again, its run not.
TEST(SlurmStudyDoors, AJobThatIsRequeuedIsTakenOutAndItsRunTriedAgain) {
  StudyOn study("plain", 1);
  study.start();
  // Seen running: of a job that is put back before that, nobody can tell it from one that waits.
  ASSERT_TRUE(comes_true([&] { return study.all_run() && study.state() == "running"; }));
  const std::string id = study.job();
  const std::string refused = study.place.slurm({"scontrol", "requeue", id});
  EXPECT_TRUE(has(refused, "Requested operation is presently disabled")) << refused;
  study.place.slurm({"scontrol", "update", "jobid=" + id, "requeue=1"});
  EXPECT_EQ(study.place.slurm({"scontrol", "requeue", id}), "");
  ASSERT_TRUE(comes_true([&] {
    return has(study.place.slurm({"scontrol", "show", "job", id}), "Restarts=1");
  }));
  study.go();
  const auto ended = study.finish();
  EXPECT_EQ(ended.exit_code, 0) << ended.errors;
  EXPECT_EQ(study.executions(), (Executions{{"r1-a1", 1}, {"r1-a2", 1}}));
  EXPECT_EQ(study.state(1), "preempted");
  EXPECT_TRUE(has(study.detail(1), "back into the queue")) << study.detail(1);
  EXPECT_EQ(study.state(2), "succeeded");
}

#ifdef KP_SLURMRESTD
TEST(SlurmStudyDoors, ATokenThatExpiresIsToldOnceAndARenewedOneGoesOn) {
  StudyOn study("plain", 3);
  study.use_site(study.place.rest_keys(), "limits: {concurrent: 1}\n");
  study.start();
  ASSERT_TRUE(comes_true([&] { return !study.executions().empty(); }));
  study.place.put_token("x.eyJleHAiOjEwMDAwMDAwMDAsInN1biI6Im1lIn0.s");  // of 2001
  study.go();
  EXPECT_TRUE(comes_true([&] { return has(study.errors(), "expired at 2001-09-09"); }))
      << study.errors();
  EXPECT_FALSE(study.place.ended_within(study.pid(), 3'000'000)) << "it gave up";
  EXPECT_EQ(study.executions().size(), 1U) << "something was submitted without a token";
  study.place.renew_token();
  const auto ended = study.finish();
  EXPECT_EQ(ended.exit_code, 0) << ended.errors;
  EXPECT_EQ(study.executions(), (Executions{{"r1-a1", 1}, {"r2-a1", 1}, {"r3-a1", 1}}));
  EXPECT_EQ(count(ended.errors, "expired at"), 1) << ended.errors;
  EXPECT_TRUE(has(ended.errors, "scontrol token")) << ended.errors;
  EXPECT_TRUE(has(ended.errors, "it answers again after ")) << ended.errors;
}

TEST(SlurmStudyDoorsSlow, AControllerBehindSlurmrestdThatIsAwayIsWaitedFor) {
  StudyOn study("plain", 1);
  study.use_site(study.place.rest_keys());
  study.start();
  EXPECT_TRUE(comes_true([&] { return study.all_run() && study.state() == "running"; }));
  EXPECT_EQ(study.place.cluster("stop", {"slurmctld", "TERM"}), 0);
  EXPECT_TRUE(comes_true([&] { return has(study.errors(), "slurmctld"); })) << study.errors();
  study.go();  // it ends while nobody can say so
  EXPECT_EQ(study.place.cluster("up"), 0);
  const auto ended = study.finish();
  EXPECT_EQ(ended.exit_code, 0) << ended.errors;
  EXPECT_EQ(study.executions(), (Executions{{"r1-a1", 1}}));
  EXPECT_TRUE(has(ended.errors, "it answers again after ")) << ended.errors;
}

TEST(SlurmStudyDoors, SlurmrestdIsReachedThroughASocketToo) {
  StudyOn study("plain", 2);
  study.use_site(study.place.rest_keys("rest.socket"));
  study.go();
  study.start();
  const auto ended = study.finish();
  EXPECT_EQ(ended.exit_code, 0) << ended.errors;
  EXPECT_EQ(study.executions(), (Executions{{"r1-a1", 1}, {"r2-a1", 1}}));
}
#endif

}  // namespace
}  // namespace kneepoint
