// SPDX-License-Identifier: Apache-2.0
//
// What clusters do to jobs, done to real ones: the launcher's answer to each. A test that hurts the
// cluster heals it again; `cluster up` starts what is missing.
#include <signal.h>

#include <filesystem>

#include "orchestrator/backend/allocation_files.h"
#include "orchestrator/backend/launcher.h"
#include "tests/slurm/slurm_place.h"

namespace kneepoint {
namespace {

using testing_support::comes_true;
using testing_support::SlurmPlace;

class OnCluster {
 public:
  explicit OnCluster(const std::string& cluster) : place(cluster) {
    site_.name = "lab";
    site_.backend = BackendKind::slurm;
    site_.slurm.exclusive = false;
    site_.slurm.time_margin = 0;
    renew();
  }

  void exclude_failed(bool yes) { site_.slurm.exclude_failed = yes; }

  // Another controller: it knows only what was written down.
  void renew() {
    launcher_.reset();
    auto made = make_launcher({site_, system_clock(), poller_, KP_BIN_DIR "/kneepoint-agent"});
    if (!made) {
      ADD_FAILURE() << made.error().message;
      return;
    }
    launcher_ = std::move(made).value();
  }

  AllocationRequest request(const std::string& name, const std::string& script) const {
    AllocationRequest request;
    request.name = name;
    request.directory = place.path() + "/study";
    request.limit = kHour;
    Step step;
    step.attempt = name + "-s1";
    step.run_dir = request.directory + "/" + step.attempt;
    step.limit = kHour;
    step.command.argv = {"sh", "-c", script};
    step.metrics = {{"time", "t=([0-9.]+)", "s", "stdout"}};
    request.steps.push_back(step);
    return request;
  }

  JobRef submit(const AllocationRequest& request) {
    const auto answers = launcher_->submit({&request, 1}, soon());
    if (answers[0]) return *answers[0];
    ADD_FAILURE() << answers[0].error().message;
    return {};
  }

  Observation look(const JobRef& job) {
    const auto seen = launcher_->observe({&job, 1}, soon());
    if (seen) return seen->front();
    Observation none;
    none.state = AllocationState::queued;
    none.detail = seen.error().message;
    return none;
  }

  Observation wait_for(const JobRef& job, AllocationState state, int seconds = 400) {
    Observation seen;
    EXPECT_TRUE(comes_true(
        [&] {
          seen = look(job);
          return seen.state == state;
        },
        seconds))
        << job.name << " does not get there: " << seen.detail;
    return seen;
  }

  bool has_begun(const AllocationRequest& request) const {
    return path_exists(request.steps[0].run_dir + "/records.ndjson");
  }

  Launcher& launcher() { return *launcher_; }
  static Deadline soon() { return system_clock().steady() + kMinute; }

  SlurmPlace place;

 private:
  Site site_;
  Poller poller_;
  std::unique_ptr<Launcher> launcher_;
};

TEST(SlurmFault, AJobThatSlurmLostIsUnknownEvenIfItsIdIsGivenOutAgain) {
  OnCluster cluster("plain");
  ASSERT_EQ(cluster.place.cluster("keep"), 0);
  cluster.place.slurm({"scontrol", "update", "partition=batch", "state=down"});
  const AllocationRequest lost = cluster.request("kp-lost", "echo t=1");
  const JobRef job = cluster.submit(lost);
  ASSERT_FALSE(job.id.empty());
  ASSERT_EQ(cluster.place.cluster("lose"), 0);
  cluster.place.slurm({"scontrol", "update", "partition=batch", "state=up"});
  const std::string foreign = cluster.place.slurm(
      {"sbatch", "--parsable", "-J", "foreign", "-o", "/dev/null", "--wrap", "true"});
  ASSERT_EQ(foreign, job.id + "\n") << "the fault was not reached";
  ASSERT_TRUE(comes_true([&] {
    return cluster.place.slurm({"squeue", "-h", "-t", "all", "-j", job.id, "-o", "%T"}) ==
           "COMPLETED\n";
  }));
  cluster.renew();  // a controller that has the id from the store
  const Observation seen = cluster.wait_for(job, AllocationState::unknown);
  EXPECT_EQ(seen.job.name, "kp-lost");
  EXPECT_EQ(seen.detail, "Slurm no longer knows of job " + job.id + " named kp-lost");
  EXPECT_TRUE(cluster.launcher().cancel({&job, 1}, OnCluster::soon())[0]);
  EXPECT_FALSE(cluster.has_begun(lost));
}

TEST(SlurmFault, AControllerThatIsAwayIsAnErrorThatPasses) {
  OnCluster cluster("plain");
  const AllocationRequest request = cluster.request(
      "kp-away", "while [ ! -e " + cluster.place.path() + "/go ]; do sleep 0.2; done; echo t=1");
  const JobRef job = cluster.submit(request);
  ASSERT_TRUE(comes_true([&] { return cluster.has_begun(request); }));
  EXPECT_EQ(cluster.place.cluster("stop", {"slurmctld", "TERM"}), 0);
  EXPECT_TRUE(comes_true([&] {
    const auto seen = cluster.launcher().observe({&job, 1}, system_clock().steady() + 10 * kSecond);
    if (seen) return false;  // the last answer was recent enough
    EXPECT_TRUE(seen.error().retryable) << seen.error().message;
    EXPECT_NE(seen.error().message.find("slurmctld"), std::string::npos) << seen.error().message;
    return true;
  }));
  cluster.place.write("go", "");
  EXPECT_EQ(cluster.place.cluster("up"), 0);
  const Observation end = cluster.wait_for(job, AllocationState::ended);
  EXPECT_EQ(end.reason, Reason::none) << end.detail;
}

// It holds its port and says nothing: every call must end by its deadline all the same.
TEST(SlurmFault, AControllerThatHangsCostsNoCallMoreThanItsDeadline) {
  OnCluster cluster("plain");
  const AllocationRequest first = cluster.request("kp-before", "echo t=1");
  const AllocationRequest second = cluster.request("kp-during", "echo t=1");
  const JobRef job = cluster.submit(first);
  cluster.wait_for(job, AllocationState::ended);
  const pid_t slurmctld = cluster.place.pid_of("slurmctld");
  ASSERT_GT(slurmctld, 1);
  ASSERT_EQ(::kill(slurmctld, SIGSTOP), 0);
  // They come back at all: it says nothing for as long as this lasts.
  const auto within = [](auto call) { return call(system_clock().steady() + 3 * kSecond); };
  const auto submitted = within([&](Deadline d) {
    return cluster.launcher().submit({&second, 1}, d);
  });
  const JobRef other{second.name, second.directory, "", 0};
  const auto seen = within([&](Deadline d) { return cluster.launcher().observe({&other, 1}, d); });
  const auto cancelled = within([&](Deadline d) {
    return cluster.launcher().cancel({&other, 1}, d);
  });
  ASSERT_EQ(::kill(slurmctld, SIGCONT), 0);
  ASSERT_FALSE(submitted.at(0));
  EXPECT_EQ(submitted[0].error().code, ErrorCode::timeout) << submitted[0].error().message;
  ASSERT_FALSE(seen);
  EXPECT_EQ(seen.error().code, ErrorCode::timeout) << seen.error().message;
  EXPECT_FALSE(cancelled.at(0));
  // It may have arrived: its name tells, and there is one of it in the end.
  JobRef made;
  EXPECT_TRUE(comes_true([&] {
    const auto again = cluster.launcher().submit({&second, 1}, OnCluster::soon());
    if (again[0]) made = *again[0];
    return again[0].has_value();
  }));
  EXPECT_EQ(cluster.wait_for(made, AllocationState::ended).reason, Reason::none);
  const std::string queue =
      cluster.place.slurm({"squeue", "-h", "-t", "all", "--name=kp-during", "-o", "%i|%Z"});
  const std::size_t one = queue.find("|" + second.directory + "\n");
  ASSERT_NE(one, std::string::npos) << queue;
  EXPECT_EQ(queue.find("|" + second.directory + "\n", one + 1), std::string::npos) << queue;
  EXPECT_TRUE(cluster.has_begun(second));
}

TEST(SlurmFault, AJobThatSomebodyElseCancelledSaysByWhom) {
  OnCluster cluster("accounting");
  const AllocationRequest request = cluster.request("kp-theirs", "sleep 600");
  const JobRef job = cluster.submit(request);
  ASSERT_TRUE(comes_true([&] { return cluster.has_begun(request); }));
  cluster.place.slurm({"scancel", job.id});
  const Observation end = cluster.wait_for(job, AllocationState::ended);
  EXPECT_EQ(end.reason, Reason::user_cancelled);
  const std::string whom = "CANCELLED by user " + std::to_string(::geteuid());
  EXPECT_NE(end.detail.find(whom), std::string::npos) << end.detail;
}

// As long as enough nodes remain, and unless the site says no.
TEST(SlurmFault, ANodeThatFailedBeforeIsExcludedIfTheSiteAllows) {
  OnCluster cluster("plain");
  std::filesystem::create_directories(cluster.place.path() + "/study");
  const auto excluded = [&](const std::string& name) {
    const JobRef job = cluster.submit(cluster.request(name, "echo t=1"));
    const std::string shown = cluster.place.slurm({"scontrol", "show", "job", job.id});
    const std::size_t at = shown.find("ExcNodeList=");
    if (at == std::string::npos) return "not told: " + shown;
    return shown.substr(at, shown.find_first_of(" \n", at) - at);
  };
  cluster.place.write("study/failed-nodes.txt", "n1\nn3\n");
  EXPECT_EQ(excluded("kp-without"), "ExcNodeList=n[1,3]");
  cluster.exclude_failed(false);
  cluster.renew();
  EXPECT_EQ(excluded("kp-with"), "ExcNodeList=(null)");
  cluster.exclude_failed(true);
  cluster.renew();
  cluster.place.write("study/failed-nodes.txt", "n1\nn2\nn3\nn4\nn5\nn6\nn7\nn8\n");
  EXPECT_EQ(excluded("kp-none-left"), "ExcNodeList=(null)");
}

TEST(SlurmFault, ARunDirectoryThatCantBeMadeIsToldInTheAgentsWords) {
  OnCluster cluster("plain");
  AllocationRequest request = cluster.request("kp-full", "echo t=1");
  cluster.place.write("file", "not a folder");
  request.steps[0].run_dir = cluster.place.path() + "/file/kp-full-s1";
  const JobRef job = cluster.submit(request);
  const Observation end = cluster.wait_for(job, AllocationState::ended);
  EXPECT_NE(end.detail.find("FAILED"), std::string::npos) << end.detail;
  EXPECT_NE(end.detail.find("Not a directory"), std::string::npos) << end.detail;
}

TEST(SlurmFault, WrongRequestsAreRehearsedInSlurmsOwnWords) {
  SlurmPlace place("accounting");
  const std::string plan =
      place.write("plan.yaml",
                  "study: wrong\nworker: node\nscale: [2]\nmodes: [strong]\nworkloads:\n"
                  "  - name: w\n    command: [\"true\"]\n    mpi: false\n"
                  "    metrics: {time: {pattern: \"(.)\", unit: s}}\n");
  const auto check = [&](const std::string& slurm) {
    return place.kneepoint({"check", plan, "--site", place.site("slurm: {" + slurm + "}\n")});
  };
  auto told = check("partition: nowhere");
  EXPECT_NE(told.exit_code, 0);
  EXPECT_NE((told.output + told.errors).find("slurm.partition"), std::string::npos)
      << told.output << told.errors;
  told = check("account: nobody");
  EXPECT_NE(told.output.find("slurm.account"), std::string::npos) << told.output << told.errors;
  told = check("partition: small");
  EXPECT_NE((told.output + told.errors).find("node"), std::string::npos) << told.output;
  told = check("partition: batch");
  EXPECT_EQ(told.exit_code, 0) << told.errors;
  EXPECT_NE(told.output.find("would start at"), std::string::npos) << told.output;
}

TEST(SlurmFault, AnUnreachableControllerIsOneSentenceAndExitCodeThree) {
  SlurmPlace place("plain");
  const std::string plan =
      place.write("plan.yaml",
                  "study: away\nworker: node\nscale: [1]\nmodes: [strong]\nworkloads:\n"
                  "  - name: w\n    command: [\"true\"]\n    mpi: false\n"
                  "    metrics: {time: {pattern: \"(.)\", unit: s}}\n");
  const std::string site = place.site("");
  ::setenv("SLURM_CONF", "/nonexistent/slurm.conf", 1);
  const auto told = place.run({"run", plan, "--site", site});
  EXPECT_EQ(told.exit_code, 3) << told.errors;
  EXPECT_NE(told.errors.find("SLURM_CONF"), std::string::npos) << told.errors;
}

TEST(SlurmFaultSlow, ANodeThatFailsIsRememberedAndExcluded) {
  OnCluster cluster("plain");
  const AllocationRequest request = cluster.request("kp-node", "sleep 900");
  const JobRef job = cluster.submit(request);
  ASSERT_TRUE(comes_true([&] { return cluster.has_begun(request); }));
  const std::string node = cluster.wait_for(job, AllocationState::running).nodes;
  EXPECT_EQ(cluster.place.cluster("stop", {node, "KILL"}), 0);
  const Observation end = cluster.wait_for(job, AllocationState::ended, 600);
  EXPECT_EQ(end.reason, Reason::node_failed) << end.detail;
  EXPECT_EQ(cluster.place.read("study/failed-nodes.txt"), node + "\n");
  EXPECT_EQ(cluster.place.cluster("up"), 0);
  const JobRef next = cluster.submit(cluster.request("kp-next", "echo t=1"));
  EXPECT_NE(cluster.place.slurm({"scontrol", "show", "job", next.id}).find("ExcNodeList=" + node),
            std::string::npos);
  EXPECT_NE(cluster.wait_for(next, AllocationState::ended).nodes, node);
}

TEST(SlurmFaultSlow, SlurmsOwnTimeLimitIsATimeLimit) {
  OnCluster cluster("plain");
  AllocationRequest request = cluster.request("kp-long", "sleep 900");
  request.limit = request.steps[0].limit = kMinute;
  // The agent would end it first; with a limit of its own it does not know.
  request.steps[0].limit = 0;
  const JobRef job = cluster.submit(request);
  const Observation end = cluster.wait_for(job, AllocationState::ended, 900);
  EXPECT_EQ(end.reason, Reason::time_limit) << end.detail;
}

}  // namespace
}  // namespace kneepoint
