// SPDX-License-Identifier: Apache-2.0
//
// Ends that others begin: a batch system that tells the workload before the agent, and a starter
// that is gone before what it started on other nodes. Fakes of mpirun and of its srun are scripts.
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <fstream>

#include "tests/fault/agent/agent_fixture.h"

namespace kneepoint::agent {
namespace {

const char* kStarterTime = "t=([0-9.]+)";

// Ended, and its parent knows it.
bool is_reaped(pid_t pid) {
  return kill(pid, 0) != 0 && errno == ESRCH;
}

class AgentStarterTest : public AgentTest {
 protected:
  // Begins a step that says its pid and hangs, and one behind it.
  pid_t begin_hanging(pid_t& workload) {
    write_allocation({{.argv = misbehave("samples-then-hang"), .own_harness = true},
                      {.argv = misbehave("print", "t=1"), .time_pattern = kStarterTime}});
    const pid_t agent = start_agent();
    wait_until("the workload says its pid",
               [&] { return read(run_dir(1) + "/stdout.txt").find('\n') != std::string::npos; });
    workload = std::stoi(read(run_dir(1) + "/stdout.txt"));
    return agent;
  }

  std::string script(const std::string& name, const std::string& text) const {
    const std::string path = folder_ + "/" + name;
    std::ofstream(path) << "#!/bin/sh\n" << text;
    chmod(path.c_str(), 0755);
    return path;
  }

  // mpirun that ends as soon as its srun is ready (srun.ready) and leaves its srun behind, which
  // does as `srun` says.
  TestStep mpirun_leaving(const std::string& srun) const {
    script("srun", srun);
    const std::string mpirun = "test \"$1\" = --version && exec echo 'a fake mpirun'\necho $$ >" +
                               folder_ + "/mpirun.pid\n" + folder_ + "/srun $$ &\nuntil test -e " +
                               folder_ + "/srun.ready; do sleep 0.01; done\necho t=1\n";
    return {.argv = {script("mpirun", mpirun)}, .time_pattern = kStarterTime};
  }
};

TEST_F(AgentStarterTest, a_step_whose_workload_was_told_to_end_before_the_agent_is_cancelled) {
  pid_t workload = 0;
  const pid_t agent = begin_hanging(workload);
  kill(workload, SIGTERM);
  wait_until("the agent has seen its end", [&] { return is_reaped(workload); });
  kill(agent, SIGTERM);
  EXPECT_EQ(wait_for(agent), 0);
  EXPECT_EQ(word(records(1)), "cancelled/user_cancelled");
  EXPECT_FALSE(exists(run_dir(2))) << "no step begins in an allocation that is being cancelled";
}

TEST_F(AgentStarterTest, a_workload_that_somebody_ended_alone_has_failed_and_the_next_one_runs) {
  pid_t workload = 0;
  const pid_t agent = begin_hanging(workload);
  kill(workload, SIGTERM);
  EXPECT_EQ(wait_for(agent), 0);
  EXPECT_EQ(word(records(1)), "failed/killed_by_signal");
  EXPECT_EQ(end_of(records(1)).signal, SIGTERM);
  EXPECT_EQ(word(records(2)), "succeeded/none");
}

TEST_F(AgentStarterTest, the_srun_that_mpirun_leaves_behind_ends_by_itself_before_the_next_step) {
  const std::string ended = folder_ + "/daemons.ended";
  TestStep first = mpirun_leaving(
      "touch " + folder_ +
      "/srun.ready\nwhile kill -0 $1 2>/dev/null; do sleep 0.01; done\n"  // until mpirun is gone
      "sleep 0.3\necho late words\ntouch " +
      ended + "\n");
  ASSERT_EQ(run({first,
                 {.argv = {"/bin/sh", "-c", "test -e " + ended + " && echo t=2"},
                  .time_pattern = kStarterTime}}),
            0);
  EXPECT_EQ(word(records(1)), "succeeded/none");
  EXPECT_EQ(fact_of(records(1), "leftovers"), "(no such fact)");
  EXPECT_NE(read(run_dir(1) + "/stdout.txt").find("late words"), std::string::npos);
  EXPECT_EQ(word(records(2)), "succeeded/none") << "it ran beside the daemons of the first";
}

TEST_F(AgentStarterTest, a_cancel_does_not_wait_for_what_mpirun_left_behind_but_tells_it) {
  const std::string told = folder_ + "/srun.told";
  const std::string ready = folder_ + "/srun.ready";
  write_allocation({mpirun_leaving("trap 'touch " + told + "; exit 0' TERM\ntouch " + ready +
                                   "\nwhile :; do sleep 0.05; done\n"),
                    {.argv = misbehave("print", "t=2"), .time_pattern = kStarterTime}});
  const pid_t agent = start_agent();
  wait_until("srun listens", [&] { return exists(ready); });
  const pid_t mpirun = std::stoi(read(folder_ + "/mpirun.pid"));
  wait_until("mpirun is gone", [&] { return is_reaped(mpirun); });
  kill(agent, SIGTERM);
  EXPECT_EQ(wait_for(agent), 0);
  EXPECT_TRUE(exists(told)) << "srun ends its tasks when it is told to, not when it is killed";
  EXPECT_EQ(word(records(1)), "succeeded/none");
  EXPECT_FALSE(exists(run_dir(2)));
}

}  // namespace
}  // namespace kneepoint::agent
