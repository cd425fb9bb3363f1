// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/io/process.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "orchestrator/io/subprocess.h"

namespace kneepoint {
namespace {

TEST(ProcessIdentity, ReadsBackFromItsText) {
  const ProcessIdentity process{123, 45678};
  EXPECT_EQ(to_string(process), "123:45678");
  EXPECT_EQ(parse_process_identity("123:45678"), process);
  for (const char* text : {"", "123", "123:", ":1", "a:b", "0:1", "-5:1", "1:2x"}) {
    EXPECT_FALSE(parse_process_identity(text)) << text;
  }
}

TEST(ProcessIdentity, KnowsTheLivingFromTheDeadAndFromNamesakes) {
  const auto self = living_process(::getpid());
  ASSERT_TRUE(self);
  EXPECT_GT(self->start_ticks, 0u);
  EXPECT_TRUE(is_alive(*self));
  EXPECT_FALSE(is_alive({self->pid, self->start_ticks + 1}));
  EXPECT_FALSE(is_alive({}));
}

TEST(ProcessIdentity, TellsWhenAProcessBegan) {
  const Nanoseconds before = system_clock().wall();
  SpawnOptions options;
  options.argv = {"sleep", "60"};
  const auto pid = spawn(options);
  ASSERT_TRUE(pid);
  const auto process = living_process(*pid);
  ASSERT_TRUE(process);
  EXPECT_NEAR(static_cast<double>(begin_of(*process)), static_cast<double>(before),
              static_cast<double>(30 * kSecond));
  ASSERT_TRUE(terminate(*process));
  ASSERT_EQ(::waitpid(*pid, nullptr, 0), *pid);
}

TEST(ProcessIdentity, AStoppedProcessCanBeTerminated) {
  SpawnOptions options;
  options.argv = {"sleep", "60"};
  const auto pid = spawn(options);
  ASSERT_TRUE(pid);
  const auto process = living_process(*pid);
  ASSERT_TRUE(process);
  ASSERT_EQ(::kill(*pid, SIGSTOP), 0);
  ASSERT_TRUE(terminate(*process));
  int status = 0;
  ASSERT_EQ(::waitpid(*pid, &status, 0), *pid);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
}

TEST(ProcessIdentity, TerminatesExactlyThisProcess) {
  SpawnOptions options;
  options.argv = {"sleep", "60"};
  const auto pid = spawn(options);
  ASSERT_TRUE(pid);
  const auto process = living_process(*pid);
  ASSERT_TRUE(process);
  ASSERT_TRUE(terminate({process->pid, process->start_ticks + 1})) << "gone already is fine";
  EXPECT_TRUE(is_alive(*process));
  ASSERT_TRUE(terminate(*process));
  siginfo_t info{};
  ASSERT_EQ(::waitid(P_PID, static_cast<id_t>(*pid), &info, WEXITED | WNOWAIT), 0);
  EXPECT_EQ(info.si_status, SIGTERM);
  EXPECT_FALSE(is_alive(*process)) << "a zombie is dead";
  ASSERT_EQ(::waitpid(*pid, nullptr, 0), *pid);
  EXPECT_TRUE(terminate(*process));
}

}  // namespace
}  // namespace kneepoint
