// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/io/subprocess.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace kneepoint {
namespace {

SpawnOptions command(std::vector<std::string> argv) {
  SpawnOptions options;
  options.argv = std::move(argv);
  return options;
}

std::string content_of(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

TEST(Subprocess, CapturesBothStreamsAndTheExitCode) {
  auto captured = run_captured(command({"sh", "-c", "echo out; echo err >&2; exit 3"}), kMinute);
  ASSERT_TRUE(captured) << captured.error().message;
  EXPECT_EQ(captured->exit_code, 3);
  EXPECT_EQ(captured->output, "out\n");
  EXPECT_EQ(captured->errors, "err\n");
}

TEST(Subprocess, PassesArgumentsWithoutAShell) {
  auto captured = run_captured(command({"printf", "%s|", "a b", "$HOME", "*;'\""}), kMinute);
  EXPECT_EQ(captured->output, "a b|$HOME|*;'\"|");
}

TEST(Subprocess, AddsAndReplacesVariables) {
  auto options = command({"env"});
  options.environment = {{"HOME", "/elsewhere"}, {"KNEEPOINT_TEST", "x=y z"}};
  const std::string output = run_captured(options, kMinute)->output;
  EXPECT_NE(output.find("HOME=/elsewhere\n"), std::string::npos);
  EXPECT_NE(output.find("KNEEPOINT_TEST=x=y z\n"), std::string::npos);
  EXPECT_EQ(output.find("HOME="), output.rfind("HOME=")) << output;
}

TEST(Subprocess, LeavesOutVariablesByTheBeginningOfTheirNames) {
  ::setenv("SBATCH_PARTITION", "nowhere", 1);
  ::setenv("SLURM_CONF", "/elsewhere", 1);
  auto options = command({"env"});
  options.without_prefixes = {"SBATCH_", "SLURM_"};
  options.environment = {{"SLURM_CONF", "/here"}};
  const std::string output = run_captured(options, kMinute)->output;
  ::unsetenv("SBATCH_PARTITION");
  ::unsetenv("SLURM_CONF");
  EXPECT_EQ(output.find("SBATCH_"), std::string::npos) << output;
  EXPECT_NE(output.find("SLURM_CONF=/here\n"), std::string::npos) << output;
  EXPECT_EQ(output.find("/elsewhere"), std::string::npos) << output;
}

TEST(Subprocess, TellsASignalByItsExitCode) {
  auto captured = run_captured(command({"sh", "-c", "kill -9 $$"}), kMinute);
  EXPECT_EQ(captured->exit_code, 128 + SIGKILL);
}

TEST(Subprocess, NamesAProgramThatIsMissingAndWhatToDo) {
  auto captured = run_captured(command({"kneepoint-no-such-program"}), kMinute);
  ASSERT_FALSE(captured);
  EXPECT_EQ(captured.error().code, ErrorCode::not_found);
  EXPECT_EQ(captured.error().message,
            "start 'kneepoint-no-such-program': no such program in PATH; install it or give its "
            "path");
  auto spawned = spawn(command({"/no/such/program"}));
  ASSERT_FALSE(spawned);
  EXPECT_EQ(spawned.error().message, "start '/no/such/program': no such program; check the path");
}

TEST(Subprocess, KillsWhatDoesNotEndInTimeWithItsChildren) {
  auto captured =
      run_captured(command({"sh", "-c", "sleep 9999 & sleep 9999; echo never"}), 50 * kMillisecond);
  ASSERT_FALSE(captured);
  EXPECT_EQ(captured.error().code, ErrorCode::timeout);
  EXPECT_EQ(captured.error().message, "'sh' did not end within 50 ms and was killed");
}

TEST(Subprocess, DoesNotWaitForWhatAProgramLeftBehind) {
  auto captured = run_captured(command({"sh", "-c", "sleep 9999 & echo $!"}), kMinute);
  ASSERT_TRUE(captured) << captured.error().message;
  ::kill(std::stoi(captured->output), SIGKILL);
}

TEST(Subprocess, CapturesBigOutputWholeAndRefusesTooBig) {
  const std::size_t size = 5 << 20;
  auto options = command({"head", "-c", std::to_string(size), "/dev/zero"});
  auto captured = run_captured(options, kMinute);
  ASSERT_TRUE(captured) << captured.error().message;
  EXPECT_EQ(captured->output.size(), size);
  auto refused = run_captured(options, kMinute, 1 << 20);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message, "'head' wrote more than 1048576 bytes and was killed");
}

TEST(Subprocess, AppendsOutputToAFileAndStartsASessionOfItsOwn) {
  const auto path = std::filesystem::path(testing::TempDir()) /
                    ("kp_spawn_" + std::to_string(::getpid()) + ".txt");
  std::filesystem::remove(path);
  auto options = command({"sh", "-c", "echo line; echo error >&2; cut -d' ' -f6 /proc/$$/stat"});
  options.new_session = true;
  options.output_path = path.string();
  for (int i = 0; i < 2; ++i) {
    auto pid = spawn(options);
    ASSERT_TRUE(pid) << pid.error().message;
    int status = -1;
    ASSERT_EQ(::waitpid(*pid, &status, 0), *pid);
    EXPECT_EQ(status, 0);
    EXPECT_NE(content_of(path).find(std::to_string(*pid)), std::string::npos);
  }
  EXPECT_EQ(content_of(path).find("line\nerror\n"), 0u);
  EXPECT_NE(content_of(path).rfind("line\nerror\n"), 0u);
  std::filesystem::remove(path);
}

TEST(Subprocess, SaysThatTheOutputFileIsTheTrouble) {
  auto options = command({"true"});
  options.output_path = "/no/such/folder/out.txt";
  auto pid = spawn(options);
  ASSERT_FALSE(pid);
  EXPECT_EQ(pid.error().message,
            "with its output in '/no/such/folder/out.txt': start 'true': No such file or "
            "directory");
}

TEST(Subprocess, BindsTheChildAndNotItself) {
  cpu_set_t before, after;
  ASSERT_EQ(::sched_getaffinity(0, sizeof before, &before), 0);
  int last = -1;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(cpu, &before)) last = cpu;
  }
  auto options = command({"grep", "Cpus_allowed_list", "/proc/self/status"});
  options.cpus = {last};
  EXPECT_EQ(run_captured(options, kMinute)->output,
            "Cpus_allowed_list:\t" + std::to_string(last) + "\n");
  ASSERT_EQ(::sched_getaffinity(0, sizeof after, &after), 0);
  EXPECT_TRUE(CPU_EQUAL(&before, &after));
}

TEST(Subprocess, LeavesNoneOfOurDescriptorsToTheChild) {
  const int inheritable = ::dup(0);  // deliberately without close-on-exec
  auto captured = run_captured(command({"ls", "/proc/self/fd"}), kMinute);
  ::close(inheritable);
  EXPECT_EQ(captured->output, "0\n1\n2\n3\n");  // 3 is the folder that ls reads
}

TEST(Subprocess, FindsProgramsAsExecWould) {
  EXPECT_TRUE(program_exists("sh"));
  EXPECT_TRUE(program_exists("/bin/sh"));
  EXPECT_FALSE(program_exists("kneepoint-no-such-program"));
  EXPECT_FALSE(program_exists("/etc/passwd"));
  EXPECT_FALSE(program_exists(""));
}

}  // namespace
}  // namespace kneepoint
