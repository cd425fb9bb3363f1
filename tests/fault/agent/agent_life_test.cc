// SPDX-License-Identifier: Apache-2.0
//
// The agent's own life: exactly once, in turn, cancelled, killed, without a disk.
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>

#include "orchestrator/base/clock.h"
#include "tests/fault/agent/agent_fixture.h"

namespace kneepoint::agent {
namespace {

const char* kTime = "t=([0-9.]+)";

TEST_F(AgentTest, three_steps_run_in_turn_whatever_becomes_of_each) {
  ASSERT_EQ(run({{.argv = misbehave("print", "t=1"), .time_pattern = kTime},
                 {.argv = misbehave("exit", "3")},
                 {.argv = misbehave("print", "t=3"), .time_pattern = kTime}}),
            0);
  EXPECT_EQ(word(records(1)), "succeeded/none");
  EXPECT_EQ(word(records(2)), "failed/exit_code");
  EXPECT_EQ(word(records(3)), "succeeded/none");
  EXPECT_LE(end_of(records(1)).wall_ns, begin_of(records(2)).wall_ns);
  EXPECT_LE(end_of(records(2)).wall_ns, begin_of(records(3)).wall_ns);
}

TEST_F(AgentTest, a_step_whose_directory_exists_is_left_alone) {
  ASSERT_EQ(mkdir(run_dir(1).c_str(), 0755), 0);
  ASSERT_EQ(run({{.argv = misbehave("print", "t=1"), .time_pattern = kTime},
                 {.argv = misbehave("print", "t=2"), .time_pattern = kTime}}),
            0);
  EXPECT_TRUE(std::filesystem::is_empty(run_dir(1)));
  EXPECT_EQ(word(records(2)), "succeeded/none");
}

TEST_F(AgentTest, a_second_agent_on_the_same_file_leaves_at_once) {
  write_allocation({{.argv = misbehave("hang")}});
  const pid_t first = start_agent();
  wait_until("the step begins", [&] { return records(1).begin.has_value(); });
  EXPECT_EQ(wait_for(start_agent()), 75);
  EXPECT_TRUE(is_alive(first));
  kill(first, SIGTERM);
  EXPECT_EQ(wait_for(first), 0);
}

TEST_F(AgentTest, sigterm_cancels_the_step_and_begins_no_other) {
  write_allocation({{.argv = misbehave("hang")}, {.argv = misbehave("print", "t=1")}});
  const pid_t agent = start_agent();
  wait_until("the step begins", [&] { return records(1).begin.has_value(); });
  kill(agent, SIGTERM);
  EXPECT_EQ(wait_for(agent), 0);
  EXPECT_EQ(word(records(1)), "cancelled/user_cancelled");
  EXPECT_TRUE(records(1).complete);
  EXPECT_FALSE(exists(run_dir(2)));
}

TEST_F(AgentTest, cancelling_a_workload_deaf_to_sigterm_kills_it_after_the_grace) {
  write_allocation({{.argv = misbehave("hang-ignoring-sigterm")}});
  const pid_t agent = start_agent();
  wait_until("it is deaf", [&] { return read(run_dir(1) + "/stdout.txt") == "deaf\n"; });
  kill(agent, SIGTERM);
  EXPECT_EQ(wait_for(agent), 0);
  EXPECT_EQ(word(records(1)), "cancelled/user_cancelled");
  EXPECT_EQ(end_of(records(1)).signal, SIGKILL);
}

TEST_F(AgentTest, a_killed_agent_leaves_a_step_begun_without_end_and_no_workload) {
  write_allocation({{.argv = misbehave("samples-then-hang"), .own_harness = true}});
  const pid_t agent = start_agent();
  wait_until("samples arrive while it runs", [&] { return records(1).samples.size() == 3; });
  const std::string printed = read(run_dir(1) + "/stdout.txt");
  ASSERT_NE(printed, "");
  const pid_t workload = std::stoi(printed);
  EXPECT_TRUE(is_alive(workload));
  kill(agent, SIGKILL);
  EXPECT_EQ(wait_for(agent), 1000 + SIGKILL);
  wait_until("the workload dies with its agent", [&] { return !is_alive(workload); });
  const auto r = records(1);
  EXPECT_TRUE(r.begin.has_value());
  EXPECT_FALSE(r.end.has_value());
  EXPECT_FALSE(r.complete);
  EXPECT_TRUE(r.problems.empty());
  EXPECT_EQ(wait_for(start_agent()), 0);  // the lock went with it, the claim did not
  EXPECT_EQ(word(records(1)), "no end");
}

TEST_F(AgentTest, sighup_does_not_end_the_agent) {
  write_allocation({{.argv = misbehave("hang"), .limit_ns = 700 * kMillisecond}});
  const pid_t agent = start_agent();
  wait_until("the step begins", [&] { return records(1).begin.has_value(); });
  kill(agent, SIGHUP);
  EXPECT_EQ(wait_for(agent), 0);
  EXPECT_EQ(word(records(1)), "timed_out/time_limit");
}

TEST_F(AgentTest, a_folder_that_is_not_there_is_an_error_with_its_name) {
  write_allocation({{.argv = misbehave("print", "t=1")}});
  const std::string file = folder_ + "/allocation.json";
  std::string text = read(file);
  const std::string good = folder_ + "/r1-a1";
  text.replace(text.find(good), good.size(), folder_ + "/nowhere/r1-a1");
  ASSERT_EQ(std::filesystem::remove(file), true);
  FILE* out = std::fopen(file.c_str(), "w");
  std::fputs(text.c_str(), out);
  std::fclose(out);
  EXPECT_EQ(wait_for(start_agent()), 74);
  const std::string message = read(folder_ + "/agent.stderr");
  EXPECT_NE(message.find("r1-a1: mkdir " + folder_ + "/nowhere/r1-a1: No such file or directory"),
            std::string::npos)
      << message;
}

TEST_F(AgentTest, a_disk_that_takes_no_bytes_is_an_error_and_starts_nothing) {
  ASSERT_EQ(pipe(message_pipe_), 0);
  EXPECT_EQ(run({{.argv = misbehave("print", "t=1")}}), 74);
  char message[512] = {};
  ASSERT_GT(::read(message_pipe_[0], message, sizeof message - 1), 0);
  EXPECT_NE(std::string(message).find("r1-a1: write " + run_dir(1) + "/records.ndjson: "),
            std::string::npos)
      << message;
  EXPECT_EQ(read(run_dir(1) + "/records.ndjson"), "");
  EXPECT_FALSE(exists(run_dir(1) + "/stdout.txt"));
}

TEST_F(AgentTest, an_allocation_file_that_is_wrong_or_missing_is_an_error) {
  EXPECT_EQ(wait_for(start_agent()), 2);
  write_allocation({{.argv = {}}});
  EXPECT_EQ(wait_for(start_agent()), 2);
  EXPECT_NE(read(folder_ + "/agent.stderr").find("step 1: 'argv' names no program"),
            std::string::npos);
}

TEST_F(AgentTest, under_slurm_an_allocation_file_may_come_late) {
  write_allocation({{.argv = misbehave("print", "t=1"), .time_pattern = kTime}});
  const std::string file = folder_ + "/allocation.json";
  std::filesystem::rename(file, file + ".hidden");
  ::setenv("SLURM_JOB_ID", "7", 1);
  const pid_t agent = start_agent();
  ::unsetenv("SLURM_JOB_ID");
  wait_until("it is the agent", [&] {
    return read("/proc/" + std::to_string(agent) + "/comm") == "kneepoint-agent\n";
  });
  std::filesystem::rename(file + ".hidden", file);
  EXPECT_EQ(wait_for(agent), 0) << read(folder_ + "/agent.stderr");
  EXPECT_EQ(word(records(1)), "succeeded/none");
}

TEST_F(AgentTest, node_facts_are_gathered_once_and_kept_for_the_next_agent) {
  run_one({.argv = misbehave("print", "t=1"), .time_pattern = kTime});
  std::size_t kept = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder_ + "/kneepoint")) {
    kept += entry.path().filename().string().rfind("node-", 0) == 0;
  }
  EXPECT_EQ(kept, 1u);
}

}  // namespace
}  // namespace kneepoint::agent
