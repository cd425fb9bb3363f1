// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/io/poller.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>

#include "orchestrator/io/subprocess.h"
#include "tests/fakes/patience.h"

namespace kneepoint {
namespace {

pid_t start(std::vector<std::string> argv) {
  SpawnOptions options;
  options.argv = std::move(argv);
  auto pid = spawn(options);
  EXPECT_TRUE(pid) << pid.error().message;
  return pid ? *pid : -1;
}

TEST(Poller, WakesWhenAWatchedProcessEndsAndReapsIt) {
  Poller poller;
  const pid_t pid = start({"true"});
  ASSERT_TRUE(poller.watch_process(pid));
  auto woken = poller.wait(kPatience);
  ASSERT_TRUE(woken);
  EXPECT_EQ(woken->ended, std::vector<pid_t>{pid});
  EXPECT_EQ(::waitpid(pid, nullptr, WNOHANG), -1);
  EXPECT_EQ(errno, ECHILD);
}

TEST(Poller, TellsOfAnEndOnlyOnce) {
  Poller poller;
  const pid_t pid = start({"true"});
  ASSERT_TRUE(poller.watch_process(pid));
  ASSERT_TRUE(poller.watch_process(pid)) << "watching twice is watching";
  ASSERT_EQ(poller.wait(kPatience)->ended.size(), 1u);
  EXPECT_TRUE(poller.wait(0)->ended.empty());
}

TEST(Poller, WakesAtOnceForAProcessThatIsNotThere) {
  Poller poller;
  const pid_t pid = start({"true"});
  ASSERT_EQ(::waitpid(pid, nullptr, 0), pid);
  ASSERT_TRUE(poller.watch_process(pid));
  EXPECT_EQ(poller.wait(kPatience)->ended, std::vector<pid_t>{pid});
}

TEST(Poller, SaysWhenNothingHappenedInTime) {
  Poller poller;
  EXPECT_TRUE(poller.wait(0)->ended.empty());
  const Nanoseconds before = system_clock().steady();
  EXPECT_TRUE(poller.wait(2 * kMillisecond)->ended.empty());
  EXPECT_GE(system_clock().steady() - before, 2 * kMillisecond);
}

TEST(Poller, TellsOfManyEndsWithoutLosingOne) {
  Poller poller;
  std::vector<pid_t> started, ended;
  for (int i = 0; i < 100; ++i) {
    started.push_back(start({"true"}));
    ASSERT_TRUE(poller.watch_process(started.back()));
  }
  const Nanoseconds until = system_clock().steady() + 30 * kSecond;
  while (ended.size() < started.size() && system_clock().steady() < until) {
    const auto woken = poller.wait(kSecond);
    ended.insert(ended.end(), woken->ended.begin(), woken->ended.end());
  }
  std::sort(started.begin(), started.end());
  std::sort(ended.begin(), ended.end());
  EXPECT_EQ(ended, started);
}

TEST(Poller, BringsSignalsThroughWaitAndNowhereElse) {
  sigset_t before, after;
  ::pthread_sigmask(SIG_SETMASK, nullptr, &before);
  {
    Poller poller;
    ASSERT_TRUE(poller.take_signals());
    ::kill(::getpid(), SIGTERM);
    ::kill(::getpid(), SIGHUP);
    auto woken = poller.wait(kPatience);
    std::sort(woken->signals.begin(), woken->signals.end());
    EXPECT_EQ(woken->signals, (std::vector<int>{SIGHUP, SIGTERM}));
  }
  ::pthread_sigmask(SIG_SETMASK, nullptr, &after);
  EXPECT_EQ(sigismember(&before, SIGTERM), sigismember(&after, SIGTERM));
}

TEST(Poller, ChildrenDoNotInheritTheBlockedSignals) {
  Poller poller;
  ASSERT_TRUE(poller.take_signals());
  const pid_t pid = start({"sleep", "60"});
  ASSERT_TRUE(poller.watch_process(pid));
  ::kill(pid, SIGTERM);
  EXPECT_EQ(poller.wait(kPatience)->ended, std::vector<pid_t>{pid});
}

}  // namespace
}  // namespace kneepoint
