// SPDX-License-Identifier: Apache-2.0
//
// The local backend where two agents have the same allocation: the controller before this one was
// killed when its agent had only just been started, and this one could not see it yet.
#include <sys/stat.h>
#include <sys/wait.h>

#include <csignal>
#include <fstream>

#include "orchestrator/io/subprocess.h"
#include "tests/contract/backends.h"

namespace kneepoint::contract {
namespace {

class LocalAgents : public Contract {
 protected:
  // This controller's agents stay at the gate before they look at their file.
  void SetUp() override {
    ASSERT_EQ(::mkfifo((folder_ + "/gate").c_str(), 0600), 0);
    const std::string agent = agent_path_;
    agent_path_ = folder_ + "/slow-agent";
    std::ofstream(agent_path_) << "#!/bin/sh\nread -r go <" << folder_ << "/gate\nexec " << agent
                               << " \"$@\"\n";
    ASSERT_EQ(::chmod(agent_path_.c_str(), 0755), 0);
    Contract::SetUp();
  }

  // The agent of the controller before.
  pid_t start_earlier_agent(const JobRef& job) {
    SpawnOptions options;
    options.argv = {KP_BIN_DIR "/kneepoint-agent", "run", job.directory + "/" + job.name + ".json"};
    options.new_session = true;
    options.output_path = folder_ + "/earlier.log";
    const auto pid = spawn(options);
    if (!pid) throw std::runtime_error(pid.error().message);
    return *pid;
  }

  // Its exit code; -1 when it had to be killed or was.
  int end_of_earlier_agent(pid_t pid) {
    const Nanoseconds until = system_clock().steady() + kPatience;
    int status = 0;
    while (::waitpid(pid, &status, WNOHANG) != pid) {
      if (system_clock().steady() > until) ::kill(pid, SIGKILL);
      wait_a_moment();
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
};

TEST_P(LocalAgents, CancellingReachesTheAgentThatHoldsTheAllocation) {
  const AllocationRequest request = endless("kp-second", 2, 1);
  const JobRef job = submit(request);
  const pid_t holder = start_earlier_agent(job);
  wait_until_begun(job, 0);
  EXPECT_TRUE(launcher().cancel({&job, 1}, soon())[0]);
  EXPECT_EQ(end_of_earlier_agent(holder), 0);
  EXPECT_EQ(wait_until_ended(job).state, AllocationState::ended);
  const Artifacts artifacts = collect(job);
  EXPECT_EQ(outcome_of(artifacts.steps.at(0)), "cancelled");
  EXPECT_FALSE(artifacts.steps.at(1).begun);
}

TEST_P(LocalAgents, CancelledBeforeAnAgentHoldsItNoneBeginsIt) {
  const AllocationRequest request = quick("kp-unborn");
  const JobRef job = submit(request);
  EXPECT_TRUE(launcher().cancel({&job, 1}, soon())[0]);
  const pid_t late = start_earlier_agent(job);
  EXPECT_EQ(end_of_earlier_agent(late), 0);
  EXPECT_EQ(wait_until_ended(job).state, AllocationState::unknown) << "it never began";
  EXPECT_FALSE(collect(job).steps.at(0).begun);
  EXPECT_EQ(executions("kp-unborn-s1"), 0);
  submit(request);
  EXPECT_EQ(observe(job).state, AllocationState::unknown) << "cancelled for ever";
}

INSTANTIATE_TEST_SUITE_P(Backends, LocalAgents,
                         testing::Values(BackendUnderTest{"local", BackendKind::local, true}),
                         [](const auto& row) { return row.param.name; });

}  // namespace
}  // namespace kneepoint::contract
