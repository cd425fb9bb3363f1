// SPDX-License-Identifier: Apache-2.0
//
// What clusters do to whole studies: `kneepoint run` on a real cluster that is hurt meanwhile. Jobs
// wait for a file named `go`, so that every fault strikes while they live. Each test asserts how
// often every attempt was executed and what `explain` tells.
#include <signal.h>
#include <sys/mount.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <map>
#include <regex>

#include "tests/slurm/study_on.h"

namespace kneepoint {
namespace {

using testing_support::comes_true;
using testing_support::has;
using testing_support::StudyOn;

// A small file system over a folder, gone with the object.
class SmallDisk {
 public:
  explicit SmallDisk(std::string path) : path_(std::move(path)) {
    std::filesystem::create_directories(path_);
    mounted_ = ::mount("none", path_.c_str(), "tmpfs", 0, "size=512k") == 0;
    if (!mounted_) problem_ = std::strerror(errno);
  }
  ~SmallDisk() {
    if (mounted_) ::umount2(path_.c_str(), MNT_DETACH);
  }
  bool is_there() const { return mounted_; }
  const std::string& problem() const { return problem_; }
  void make_read_only(bool yes) const {
    EXPECT_EQ(::mount("none", path_.c_str(), "tmpfs", yes ? MS_REMOUNT | MS_RDONLY : MS_REMOUNT,
                      "size=512k"),
              0)
        << std::strerror(errno);
  }

 private:
  const std::string path_;
  bool mounted_ = false;
  std::string problem_;
};

TEST(SlurmStudyFault, AJobThatSlurmLostIsHandedOverAgainThoughItsIdBelongsToAnotherNow) {
  StudyOn study("plain", 1);
  ASSERT_EQ(study.place.cluster("keep"), 0);
  study.place.slurm({"scontrol", "update", "partition=batch", "state=down"});
  study.start();
  ASSERT_TRUE(comes_true([&] { return !study.job().empty(); }));
  const std::string id = study.job();
  ::kill(study.pid(), SIGSTOP);  // it learns of nothing until the id is taken
  ASSERT_EQ(study.place.cluster("lose"), 0);
  study.place.slurm({"scontrol", "update", "partition=batch", "state=up"});
  const std::string foreign = study.place.slurm(
      {"sbatch", "--parsable", "-J", "foreign", "-o", "/dev/null", "--wrap", "true"});
  EXPECT_EQ(foreign, id + "\n") << "the fault was not reached";
  study.go();
  ::kill(study.pid(), SIGCONT);
  const auto ended = study.finish();
  EXPECT_EQ(ended.exit_code, 0) << ended.errors;
  EXPECT_EQ(study.executions(), (std::map<std::string, int>{{"r1-a1", 1}}));
  EXPECT_TRUE(has(study.events(), "handed over again: Slurm no longer knows of job " + id))
      << study.events();
  EXPECT_NE(study.job(), id);
  EXPECT_TRUE(study.attempt().at("allocation").get<std::string>().ends_with("-a1-s2"));
}

void be_silent_for(long microseconds, StudyOn& study) {  // of two runs
  study.start();
  ASSERT_TRUE(comes_true([&] { return study.all_run(); }));
  ASSERT_EQ(study.place.cluster("stop", {"slurmctld", "TERM"}), 0);
  EXPECT_TRUE(comes_true([&] { return has(study.errors(), "check that slurmctld runs"); }));
  study.go();  // the jobs end while nobody can say so
  EXPECT_FALSE(study.place.ended_within(study.pid(), microseconds)) << "it gave up";
  EXPECT_EQ(study.place.cluster("up"), 0);
  const auto ended = study.finish();
  EXPECT_EQ(ended.exit_code, 0) << ended.errors;
  EXPECT_EQ(study.executions(), (std::map<std::string, int>{{"r1-a1", 1}, {"r2-a1", 1}}));
  // One sentence when it begins, one when it is over.
  const std::size_t first = ended.errors.find("check that slurmctld runs");
  EXPECT_EQ(ended.errors.find("check that slurmctld runs", first + 1), std::string::npos)
      << ended.errors;
  EXPECT_TRUE(has(ended.errors, "it answers again after ")) << ended.errors;
}

TEST(SlurmStudyFault, AControllerThatIsAwayIsToldOnceAndWaitedFor) {
  StudyOn study("plain", 2);
  be_silent_for(1'000'000, study);
}

TEST(SlurmStudyFault, AJobThatSomebodyElseCancelledStaysOpenAndIsTriedWhenAsked) {
  StudyOn study("accounting", 2);
  study.start();
  ASSERT_TRUE(comes_true([&] { return study.all_run() && !study.job().empty(); }));
  study.place.slurm({"scancel", study.job()});
  ASSERT_TRUE(comes_true([&] { return study.state() == "cancelled"; }));
  const std::string whom = "CANCELLED by user " + std::to_string(::geteuid());
  EXPECT_TRUE(has(study.detail(), whom)) << study.detail();
  study.go();
  const auto ended = study.finish();
  EXPECT_EQ(ended.exit_code, 130) << ended.errors;
  EXPECT_TRUE(has(ended.errors, "1 run was cancelled by somebody else")) << ended.errors;
  EXPECT_TRUE(has(study.events(), "retry: stopped; resuming tries it again")) << study.events();
  EXPECT_EQ(study.state(1, 2), "succeeded");
  const auto again = study.place.run(study.command());
  EXPECT_EQ(again.exit_code, 0) << again.errors;
  EXPECT_EQ(study.executions(),
            (std::map<std::string, int>{{"r1-a1", 1}, {"r1-a2", 1}, {"r2-a1", 1}}));
  EXPECT_EQ(study.state(2), "succeeded");
}

TEST(SlurmStudyFault, APreemptedRunIsTriedAgainAndTellsWhatItWaitsForAndUntilWhen) {
  StudyOn study("accounting", 1);
  study.start();
  ASSERT_TRUE(comes_true([&] { return study.all_run(); }));
  const std::string urgent =
      study.place.slurm({"sbatch", "--parsable", "-p", "urgent", "-N", "8", "--exclusive", "-t",
                         "30", "-o", "/dev/null", "--wrap", "sleep 1800"});
  EXPECT_TRUE(comes_true([&] { return study.state() == "preempted"; })) << study.events();
  EXPECT_TRUE(has(study.detail(), "PREEMPTED")) << study.detail();
  std::string status;
  const std::regex waits("waiting: +(Resources|Priority), est. start [0-9]{2}:[0-9]{2}");
  EXPECT_TRUE(comes_true([&] {
    status = study.place.ask({"status"}).output;
    return std::regex_search(status, waits);
  })) << status;
  study.place.slurm({"scancel", urgent.substr(0, urgent.find_first_of(";\n"))});
  study.go();
  const auto ended = study.finish();
  EXPECT_EQ(ended.exit_code, 0) << ended.errors;
  EXPECT_EQ(study.executions(), (std::map<std::string, int>{{"r1-a1", 1}, {"r1-a2", 1}}));
  EXPECT_EQ(study.state(2), "succeeded");
}

TEST(SlurmStudyFault, ARunThatOutlivesItsTimeLimitIsNotTriedAgain) {
  StudyOn study("plain", 1, "retries: 2, timeout: 2s");
  study.start();
  const auto ended = study.finish();
  EXPECT_EQ(ended.exit_code, 4) << ended.errors;
  EXPECT_EQ(study.state(), "timed_out");
  EXPECT_EQ(study.executions(), (std::map<std::string, int>{{"r1-a1", 1}}));
  EXPECT_TRUE(has(study.events(), "timed_out (time_limit): another attempt would end the same way"))
      << study.events();
}

TEST(SlurmStudyFault, ASuspendedRunDoesNotCountAndIsTriedAgain) {
  StudyOn study("plain", 1);
  study.start();
  ASSERT_TRUE(comes_true([&] { return study.all_run() && !study.job().empty(); }));
  const std::string id = study.job();
  study.place.slurm({"scontrol", "suspend", id});
  // Kneepoint has seen it once its mark is there.
  const std::string mark = study.attempt().at("folder").get<std::string>() + "/../" +
                           study.attempt().at("allocation").get<std::string>() + ".suspended";
  EXPECT_TRUE(comes_true([&] { return std::filesystem::exists(mark); }));
  study.place.slurm({"scontrol", "resume", id});
  study.go();
  const auto ended = study.finish();
  EXPECT_EQ(ended.exit_code, 0) << ended.errors;
  EXPECT_EQ(study.state(1), "preempted");
  EXPECT_EQ(study.detail(1), "suspended for a while by the backend: its time does not count");
  EXPECT_EQ(study.state(2), "succeeded");
  EXPECT_TRUE(has(study.events(), "preempted: trying again (1 of 2 retries)")) << study.events();
  EXPECT_TRUE(has(study.place.slurm({"scontrol", "show", "job", id}), "Requeue=0"));
}

TEST(SlurmStudyFault, AFullDiskIsNamedAndTheStudyGoesOnOnceThereIsRoom) {
  StudyOn study("plain", 2);
  const SmallDisk disk(study.place.path() + "/work");
  if (!disk.is_there()) GTEST_SKIP() << "a file system can't be mounted here: " << disk.problem();
  study.go();
  study.place.slurm({"scontrol", "update", "partition=batch", "state=down"});
  study.start();
  ASSERT_TRUE(comes_true([&] { return !study.job(1).empty() && !study.job(2).empty(); }));
  study.place.write("work/filler", std::string(1 << 20, 'x'));  // as much as there is room for
  study.place.slurm({"scontrol", "update", "partition=batch", "state=up"});
  ASSERT_TRUE(comes_true([&] { return has(study.errors(), "No space left on device"); }));
  ASSERT_TRUE(comes_true([&] { return study.state() == "lost" || study.state(1, 2) == "lost"; }));
  ::kill(study.pid(), SIGINT);
  const auto stopped = study.finish();
  EXPECT_EQ(stopped.exit_code, 130) << stopped.errors;
  EXPECT_TRUE(has(stopped.errors, "the file system of ")) << stopped.errors;
  EXPECT_TRUE(has(stopped.errors, " is full")) << stopped.errors;
  std::filesystem::remove(study.place.path() + "/work/filler");
  const auto again = study.place.run(study.command());
  EXPECT_EQ(again.exit_code, 0) << again.errors;
  for (const auto& [attempt, count] : study.executions()) EXPECT_EQ(count, 1) << attempt;
}

TEST(SlurmStudyFault, AReadOnlyRunDirectoryIsNamedAtOnce) {
  StudyOn study("plain", 1);
  const SmallDisk disk(study.place.path() + "/work");
  if (!disk.is_there()) GTEST_SKIP() << "a file system can't be mounted here: " << disk.problem();
  disk.make_read_only(true);
  study.start();
  const auto refused = study.finish();
  EXPECT_EQ(refused.exit_code, 3) << refused.errors;
  EXPECT_TRUE(has(refused.errors, "Read-only file system")) << refused.errors;
  EXPECT_TRUE(has(refused.errors, study.place.path() + "/work")) << refused.errors;
  disk.make_read_only(false);
  study.go();
  const auto again = study.place.run(study.command());
  EXPECT_EQ(again.exit_code, 0) << again.errors;
  EXPECT_EQ(study.executions(), (std::map<std::string, int>{{"r1-a1", 1}}));
}

// The node sees nothing of the study, or can't write to it, until the first job has failed there.
void appear_late(const std::string& how, StudyOn& study) {  // of one run
  const std::string work = study.place.path() + "/work";
  std::filesystem::create_directories(work);
  const int hidden = study.place.cluster("hide", {"n2", work, how});
  if (hidden != 0 && ::geteuid() != 0) GTEST_SKIP() << "only root can hide a folder from a node";
  ASSERT_EQ(hidden, 0);
  study.use_site("options: [--nodelist=n2]");
  study.go();
  study.start();
  EXPECT_TRUE(comes_true([&] {
    return has(study.place.slurm({"squeue", "-h", "-t", "all", "-o", "%r|%Z"}),
               "JobLaunchFailure|" + work);
  }));
  EXPECT_EQ(study.place.cluster("show", {"n2", work}), 0);
  const auto ended = study.finish();
  EXPECT_EQ(ended.exit_code, 0) << ended.errors;
  EXPECT_EQ(study.executions(), (std::map<std::string, int>{{"r1-a1", 1}}));
  EXPECT_TRUE(has(study.events(), "is that folder there on the nodes, and writable?"))
      << study.events();
  EXPECT_EQ(study.place.cluster("stop", {"n2", "KILL"}), 0);
  EXPECT_EQ(study.place.cluster("up"), 0);
}

TEST(SlurmStudyFault, AFolderThatAppearsLateOnTheNodesCostsNoAttempt) {
  StudyOn study("plain", 1);
  appear_late("", study);
}

TEST(SlurmStudyFault, AFolderThatNodesCantWriteToIsNamedAndCostsNoAttempt) {
  StudyOn study("plain", 1);
  appear_late("ro", study);
}

TEST(SlurmStudyFault, ANodeThatSwallowsAllocationsIsLeftOutAfterTheSecond) {
  StudyOn study("plain", 5);
  const std::string work = study.place.path() + "/work";
  std::filesystem::create_directories(work);
  const int hidden = study.place.cluster("hide", {"n1", work});  // where Slurm looks first
  if (hidden != 0 && ::geteuid() != 0) GTEST_SKIP() << "only root can hide a folder from a node";
  ASSERT_EQ(hidden, 0);
  study.use_site("", "limits: {concurrent: 1}\n");
  study.go();
  study.start();
  const auto ended = study.finish();
  EXPECT_EQ(study.place.cluster("show", {"n1", work}), 0);
  EXPECT_EQ(study.place.cluster("stop", {"n1", "KILL"}), 0);
  EXPECT_EQ(study.place.cluster("up"), 0);
  EXPECT_EQ(ended.exit_code, 0) << ended.errors;
  EXPECT_EQ(study.executions().size(), 5U);
  std::string events;
  for (int run = 1; run <= 5; ++run) events += study.events(run);
  std::size_t swallowed = 0;
  const std::string words = "ended before the step began";
  for (std::size_t at = 0; (at = events.find(words, at)) != events.npos; ++at) ++swallowed;
  EXPECT_EQ(swallowed, 2U) << events;
  EXPECT_TRUE(has(events, "2 allocations failed to begin on node n1")) << events;
}

TEST(SlurmStudyFault, WithoutMungeTheFirstCallSaysWhatToStart) {
  StudyOn study("forgetful", 1);
  ASSERT_EQ(study.place.cluster("stop", {"munged", "TERM"}), 0);
  std::vector<std::string> check = study.command();
  check[0] = "check";
  for (const auto& command : {check, study.command()}) {
    const auto told = study.place.run(command);
    EXPECT_EQ(told.exit_code, 3) << told.output << told.errors;
    EXPECT_TRUE(has(told.errors, "unge")) << told.errors;
    EXPECT_TRUE(has(told.errors, "check that munged runs on this host")) << told.errors;
    EXPECT_EQ(std::count(told.errors.begin(), told.errors.end(), '\n'), 1) << told.errors;
  }
  EXPECT_EQ(study.place.cluster("up"), 0);
}

TEST(SlurmStudyFaultSlow, AControllerThatIsAwayForAMinuteIsWaitedFor) {
  StudyOn study("plain", 2);
  be_silent_for(60'000'000, study);
}

TEST(SlurmStudyFaultSlow, AFailedNodeIsNamedExcludedAndTheRunTriedElsewhere) {
  StudyOn study("plain", 1);
  study.start();
  ASSERT_TRUE(comes_true([&] { return study.all_run() && study.attempt().contains("nodes"); }));
  const std::string node = study.attempt().at("nodes").get<std::string>();
  ASSERT_EQ(study.place.cluster("stop", {node, "KILL"}), 0);
  ASSERT_TRUE(comes_true([&] { return study.state() == "lost"; }, 600));
  study.go();
  const auto ended = study.finish();
  EXPECT_EQ(ended.exit_code, 0) << ended.errors;
  EXPECT_EQ(study.attempt(1).at("reason"), "node_failed");
  EXPECT_TRUE(has(study.detail(1), "NODE_FAIL")) << study.detail(1);
  EXPECT_TRUE(has(study.detail(1), node)) << study.detail(1);
  EXPECT_EQ(study.state(2), "succeeded");
  EXPECT_NE(study.attempt(2).at("nodes"), node);
  EXPECT_EQ(study.executions(), (std::map<std::string, int>{{"r1-a1", 1}, {"r1-a2", 1}}));
  EXPECT_EQ(study.place.cluster("up"), 0);
}

TEST(SlurmStudyFaultSlow, SlurmsOwnTimeLimitEndsTheRunAsTimedOut) {
  StudyOn study("plain", 1);
  study.start();
  ASSERT_TRUE(comes_true([&] { return study.all_run() && !study.job().empty(); }));
  study.place.slurm({"scontrol", "update", "jobid=" + study.job(), "TimeLimit=1"});
  const auto ended = study.finish();
  EXPECT_EQ(ended.exit_code, 4) << ended.errors;
  EXPECT_EQ(study.state(), "timed_out");
  EXPECT_TRUE(has(study.detail(), "TIMEOUT")) << study.detail();
  EXPECT_EQ(study.executions(), (std::map<std::string, int>{{"r1-a1", 1}}));
}

}  // namespace
}  // namespace kneepoint
