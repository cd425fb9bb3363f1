// SPDX-License-Identifier: Apache-2.0
//
// A study and the queue: how much of it lies there at once, how its wait is told and kept apart
// from T, and what ends a run there.
#include "orchestrator/base/clock.h"
#include "tests/slurm/study_on.h"

namespace kneepoint {
namespace {

using testing_support::comes_true;
using testing_support::has;
using testing_support::StudyOn;

using Executions = std::map<std::string, int>;

// How many jobs of the study wait or run, by Slurm's own list.
int jobs_in(const StudyOn& study) {
  const std::string list = study.place.slurm({"squeue", "-h", "-t", "PD,R", "-o", "%j|%Z"});
  int found = 0;
  for (std::size_t at = 0; (at = list.find("|" + study.place.path() + "/", at)) != list.npos; ++at)
    ++found;
  return found;
}

// limits.concurrent is what an array's %N would be.
TEST(SlurmQueue, HoldsNoMoreJobsThanTheSiteAllowsAndTheirWaitIsNoPartOfT) {
  StudyOn study("plain", 5);
  study.use_site("", "limits: {concurrent: 2}\n");
  study.place.slurm({"scontrol", "update", "partition=batch", "state=down"});
  study.start();
  EXPECT_TRUE(comes_true([&] { return jobs_in(study) == 2; }));
  const Nanoseconds before = system_clock().steady();
  // What it knows of their wait it learnt after handing over all that it may.
  std::string status;
  EXPECT_TRUE(comes_true([&] {
    status = study.place.ask({"status"}).output;
    return has(status, "PartitionDown");
  })) << status;
  EXPECT_EQ(jobs_in(study), 2);
  EXPECT_TRUE(has(study.place.ask({"explain", "r1"}).output, "waiting: PartitionDown"));
  const double held = to_seconds(system_clock().steady() - before);
  study.place.slurm({"scontrol", "update", "partition=batch", "state=up"});
  EXPECT_TRUE(
      comes_true([&] { return study.state(1, 1) == "running" && study.state(1, 2) == "running"; }));
  EXPECT_EQ(jobs_in(study), 2);
  EXPECT_EQ(study.executions(), (Executions{{"r1-a1", 1}, {"r2-a1", 1}}));
  study.go();
  const auto ended = study.finish();
  EXPECT_EQ(ended.exit_code, 0) << ended.errors;
  EXPECT_EQ(study.executions().size(), 5U);
  const auto runs = study.place.reported();
  ASSERT_EQ(runs.size(), 5U);
  for (const auto& [run, shown] : runs) {
    EXPECT_EQ(shown.seconds, 0.1) << run;
    // Slurm's times are whole seconds.
    EXPECT_GE(shown.queue_wait, run <= 2 ? held - 1 : 0) << run;
  }
}

TEST(SlurmQueue, ADeadlineThatIsMissedThereEndsTheRunAndIsNotTriedAgain) {
  StudyOn study("plain", 1);
  const std::string all = study.place.slurm({"sbatch", "--parsable", "-N", "8", "--exclusive", "-o",
                                             "/dev/null", "--chdir=/tmp", "--wrap", "sleep 1800"});
  const std::string blocker = all.substr(0, all.find_first_of(";\n"));
  EXPECT_TRUE(comes_true([&] {
    return study.place.slurm({"squeue", "-h", "-j", blocker, "-o", "%T"}) == "RUNNING\n";
  }));
  study.start();
  EXPECT_TRUE(comes_true([&] { return !study.job().empty(); }));
  const std::string id = study.job();
  EXPECT_EQ(study.place.slurm({"scontrol", "update", "jobid=" + id, "deadline=now+2"}), "");
  const auto ended = study.finish();
  study.place.slurm({"scancel", blocker});
  EXPECT_EQ(ended.exit_code, 4) << ended.errors;
  EXPECT_TRUE(
      has(study.place.slurm({"squeue", "-h", "-t", "all", "-j", id, "-o", "%T"}), "DEADLINE"));
  EXPECT_EQ(study.state(), "failed");
  EXPECT_EQ(study.attempt().at("reason"), "pending_too_long");
  EXPECT_TRUE(has(study.detail(), "as DEADLINE")) << study.detail();
  EXPECT_TRUE(has(study.events(), "another attempt would end the same way")) << study.events();
  EXPECT_EQ(study.executions(), Executions{});
}

// The node is back at once, and would be the first that Slurm takes.
TEST(SlurmQueue, ANodeThatFailedUnderARunIsNotGivenToItsNextAttempt) {
  StudyOn study("plain", 1);
  study.start();
  ASSERT_TRUE(comes_true([&] { return study.all_run() && study.attempt().contains("nodes"); }));
  const std::string node = study.attempt().at("nodes").get<std::string>();
  EXPECT_EQ(
      study.place.slurm({"scontrol", "update", "nodename=" + node, "state=down", "reason=a test"}),
      "");
  EXPECT_TRUE(comes_true([&] { return study.state() == "lost"; })) << study.events();
  study.go();
  const auto ended = study.finish();
  EXPECT_EQ(study.place.cluster("up"), 0);
  EXPECT_EQ(ended.exit_code, 0) << ended.errors;
  EXPECT_EQ(study.attempt(1).at("reason"), "node_failed");
  EXPECT_TRUE(has(study.detail(1), "NODE_FAIL")) << study.detail(1);
  EXPECT_EQ(study.state(2), "succeeded");
  EXPECT_NE(study.attempt(2).at("nodes"), node);
  const std::string second = study.attempt(2).at("job").get<std::string>();
  EXPECT_TRUE(
      has(study.place.slurm({"scontrol", "show", "job", second}), "ExcNodeList=" + node + "\n"));
  EXPECT_EQ(study.executions(), (Executions{{"r1-a1", 1}, {"r1-a2", 1}}));
}

TEST(SlurmQueue, ANodeThatFailsUnderPackedRunsIsNoFaultOfTheirs) {
  StudyOn study("plain", 3);
  study.use_site("", "packing: {mode: packed}\n");
  study.start();
  ASSERT_TRUE(
      comes_true([&] { return !study.executions().empty() && study.state() == "running"; }));
  const std::string node = study.attempt().at("nodes").get<std::string>();
  EXPECT_EQ(
      study.place.slurm({"scontrol", "update", "nodename=" + node, "state=down", "reason=a test"}),
      "");
  EXPECT_TRUE(comes_true([&] { return study.executions().size() >= 2; })) << study.events();
  study.go();
  const auto ended = study.finish();
  EXPECT_EQ(study.place.cluster("up"), 0);
  EXPECT_EQ(ended.exit_code, 0) << ended.errors;
  std::size_t lost = 0;
  for (int run = 1; run <= 3; ++run) {
    if (study.state(1, run) == "succeeded") continue;
    ++lost;
    EXPECT_EQ(study.state(1, run), "lost");
    EXPECT_EQ(study.attempt(1, run).at("reason"), "node_failed");
    EXPECT_EQ(study.state(2, run), "succeeded");
  }
  EXPECT_EQ(lost, 1U);
  EXPECT_EQ(study.executions().size(), 4U);
}

}  // namespace
}  // namespace kneepoint
