// SPDX-License-Identifier: Apache-2.0
//
// One misbehaving workload each: it must end as the outcome that is named for it.
#include <csignal>

#include "orchestrator/base/clock.h"
#include "tests/fault/agent/agent_fixture.h"

namespace kneepoint::agent {
namespace {

TEST_F(AgentTest, a_good_workload_succeeds_and_its_records_are_passed_on) {
  const auto r = run_one({.argv = misbehave("good"), .own_harness = true, .bind = "core"});
  EXPECT_EQ(word(r), "succeeded/none") << end_of(r).detail;
  EXPECT_EQ(begin_of(r).attempt, "r1-a1");
  EXPECT_EQ(r.samples.size(), 3u);
  EXPECT_EQ(r.ranks.size(), 1u);
  EXPECT_EQ(r.done->iterations, 2);
  EXPECT_EQ(fact_of(r, "compiler"), "some compiler");
  EXPECT_EQ(fact_of(r, "binding"), "as asked");
  EXPECT_NE(fact_of(r, "cpu.model"), "(no such fact)");
  EXPECT_GT(end_of(r).elapsed_ns, 0);
  EXPECT_FALSE(exists(run_dir(1) + "/stdout.txt"));  // there was no output
}

TEST_F(AgentTest, an_oversubscribed_run_is_not_asked_for_its_binding) {
  const auto r = run_one(
      {.argv = misbehave("good"), .own_harness = true, .bind = "core", .oversubscribed = true});
  EXPECT_EQ(fact_of(r, "binding"), "not asked");
  EXPECT_EQ(fact_of(r, "oversubscribed"), "yes");
}

TEST_F(AgentTest, a_time_is_taken_from_the_output) {
  const auto r = run_one({.argv = misbehave("print", "t=0.25"), .time_pattern = "t=([0-9.]+)"});
  EXPECT_EQ(word(r), "succeeded/none") << end_of(r).detail;
  ASSERT_EQ(r.metrics.size(), 1u);
  EXPECT_EQ(r.metrics[0].value, 0.25);
  EXPECT_EQ(read(run_dir(1) + "/stdout.txt"), "t=0.25\n");
}

TEST_F(AgentTest, no_time_is_a_failure) {
  const auto r = run_one({.argv = misbehave("print", "hello"), .time_pattern = "t=([0-9.]+)"});
  EXPECT_EQ(word(r), "failed/no_time");
  EXPECT_EQ(end_of(r).detail, "metric 'time': no line of stdout matches 't=([0-9.]+)'");
}

TEST_F(AgentTest, a_hanging_workload_is_ended_at_its_limit) {
  const auto r = run_one({.argv = misbehave("hang"), .limit_ns = 300 * kMillisecond});
  EXPECT_EQ(word(r), "timed_out/time_limit");
  EXPECT_EQ(end_of(r).signal, SIGTERM);
}

TEST_F(AgentTest, a_workload_deaf_to_sigterm_is_killed_after_the_grace) {
  const auto before = signal(SIGTERM, SIG_IGN);  // inherited: deaf from its first instruction
  const auto r = run_one({.argv = misbehave("hang"), .limit_ns = 300 * kMillisecond});
  signal(SIGTERM, before);
  EXPECT_EQ(word(r), "timed_out/time_limit");
  EXPECT_EQ(end_of(r).signal, SIGKILL);
  EXPECT_GE(end_of(r).elapsed_ns, 3 * kSecond);
}

TEST_F(AgentTest, a_crash_is_told_by_its_signal) {
  const auto r = run_one({.argv = misbehave("crash")});
  EXPECT_EQ(word(r), "failed/killed_by_signal");
  EXPECT_EQ(end_of(r).signal, SIGABRT);
  EXPECT_NE(end_of(r).detail.find("SIGABRT"), std::string::npos) << end_of(r).detail;
}

TEST_F(AgentTest, a_workload_killed_from_outside_is_told_by_its_signal) {
  const auto r = run_one({.argv = misbehave("kill-self")});
  EXPECT_EQ(word(r), "failed/killed_by_signal");
  EXPECT_EQ(end_of(r).signal, SIGKILL);
}

TEST_F(AgentTest, an_exit_code_is_kept_with_the_last_line_of_stderr) {
  const auto r = run_one({.argv = misbehave("fail-loudly", "7")});
  EXPECT_EQ(word(r), "failed/exit_code");
  EXPECT_EQ(end_of(r).exit_code, 7);
  EXPECT_NE(end_of(r).detail.find("exited with 7; last line of stderr: what went wrong"),
            std::string::npos)
      << end_of(r).detail;
  EXPECT_EQ(read(run_dir(1) + "/stderr.txt"), "first line\nwhat went wrong\n");
}

TEST_F(AgentTest, an_exit_without_the_harnesss_own_end_is_invalid) {
  const auto r = run_one({.argv = misbehave("no-done"), .own_harness = true});
  EXPECT_EQ(word(r), "invalid/no_end_record");
  EXPECT_EQ(r.samples.size(), 3u);  // data of failed runs is kept
  const auto silent = records(1);
  EXPECT_EQ(end_of(silent).exit_code, 0);
}

TEST_F(AgentTest, garbage_in_the_records_is_invalid_quoted_and_kept) {
  const auto r = run_one({.argv = misbehave("garbage"), .own_harness = true});
  EXPECT_EQ(word(r), "invalid/bad_record");
  EXPECT_NE(end_of(r).detail.find("line 4 of workload.ndjson"), std::string::npos)
      << end_of(r).detail;
  EXPECT_NE(end_of(r).detail.find("Segmentation"), std::string::npos) << end_of(r).detail;
  EXPECT_NE(read(run_dir(1) + "/workload.ndjson").find("Segmentation \xff fault"),
            std::string::npos);
}

TEST_F(AgentTest, endless_noise_in_the_records_is_stopped) {
  const auto r = run_one({.argv = misbehave("noise"), .own_harness = true});
  EXPECT_EQ(word(r), "invalid/bad_record");
}

TEST_F(AgentTest, a_wrong_answer_is_a_failure_whatever_the_exit_code) {
  const auto r = run_one({.argv = misbehave("wrong-answer"), .own_harness = true});
  EXPECT_EQ(word(r), "failed/wrong_answer");
  EXPECT_EQ(end_of(r).detail, "residual 2 above 1e-6");
  EXPECT_EQ(end_of(r).exit_code, 1);
}

TEST_F(AgentTest, a_daemon_left_behind_is_killed) {
  const std::string pid_file = folder_ + "/daemon.pid";
  const auto r = run_one({.argv = misbehave("daemon", pid_file), .time_pattern = "time=([0-9]+)"});
  EXPECT_EQ(word(r), "succeeded/none");
  EXPECT_NE(end_of(r).detail.find("left behind"), std::string::npos) << end_of(r).detail;
  EXPECT_EQ(fact_of(r, "leftovers"), "1");
  const pid_t daemon = std::stoi(read(pid_file));
  EXPECT_FALSE(is_alive(daemon));
}

TEST_F(AgentTest, a_flood_of_output_is_cut_and_its_end_is_still_read) {
  const auto r =
      run_one({.argv = misbehave("flood", "256"), .time_pattern = "time=([0-9.]+) at the"});
  EXPECT_EQ(word(r), "succeeded/none") << end_of(r).detail;
  EXPECT_TRUE(end_of(r).output_truncated);
  EXPECT_EQ(r.metrics.at(0).value, 2.5);
  const std::string kept = read(run_dir(1) + "/stdout.txt");
  EXPECT_LT(kept.size(), 2200000u);
  EXPECT_EQ(kept.rfind("time=1.5 at the beginning\n", 0), 0u);
  EXPECT_NE(kept.find("bytes dropped here]"), std::string::npos);
  EXPECT_NE(kept.find("time=2.5 at the end\n"), std::string::npos);
}

TEST_F(AgentTest, a_missing_program_was_not_started) {
  const auto r = run_one({.argv = {"no-such-program-anywhere"}});
  EXPECT_EQ(word(r), "failed/not_started");
  EXPECT_NE(end_of(r).detail.find("'no-such-program-anywhere'"), std::string::npos);
  EXPECT_NE(end_of(r).detail.find("No such file or directory"), std::string::npos)
      << end_of(r).detail;
}

TEST_F(AgentTest, a_file_that_is_no_program_was_not_started) {
  const auto r = run_one({.argv = {folder_ + "/allocation.json"}});
  EXPECT_EQ(word(r), "failed/not_started");
  EXPECT_NE(end_of(r).detail.find("Permission denied"), std::string::npos) << end_of(r).detail;
}

TEST_F(AgentTest, the_environment_of_the_step_arrives_and_its_values_stay_out_of_the_records) {
  const auto r = run_one({.argv = misbehave("show", "SECRET"), .env = {{"SECRET", "hunter2"}}});
  EXPECT_EQ(read(run_dir(1) + "/stdout.txt"), "SECRET=hunter2\n");
  EXPECT_EQ(fact_of(r, "environment"), "SECRET");
  EXPECT_EQ(read(run_dir(1) + "/records.ndjson").find("hunter2"), std::string::npos);
}

TEST_F(AgentTest, the_workload_learns_the_name_of_its_attempt) {
  run_one({.argv = misbehave("show", "KNEEPOINT_ATTEMPT")});
  EXPECT_EQ(read(run_dir(1) + "/stdout.txt"), "KNEEPOINT_ATTEMPT=r1-a1\n");
}

}  // namespace
}  // namespace kneepoint::agent
