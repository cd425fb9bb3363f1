// SPDX-License-Identifier: Apache-2.0
//
// Each in a process of its own, since signals belong to the whole process.
#include "agents/agent/supervise/child.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>

namespace kneepoint::agent {
namespace {

// What `body` returns there; -1 if it didn't get that far.
int in_a_process(const std::function<bool(Signals&)>& body) {
  const pid_t pid = fork();
  if (pid == 0) {
    auto signals = Signals::take();
    _exit(!signals ? 2 : body(*signals) ? 1 : 0);
  }
  int status = 0;
  waitpid(pid, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) < 2 ? WEXITSTATUS(status) : -1;
}

TEST(Signals, a_cancel_that_is_there_already_is_seen_without_waiting) {
  for (const int number : {SIGTERM, SIGINT}) {
    EXPECT_EQ(in_a_process([&](Signals& signals) {
                kill(getpid(), number);
                return signals.cancel_within(0);
              }),
              1);
  }
}

TEST(Signals, a_cancel_that_comes_later_is_waited_for) {
  EXPECT_EQ(in_a_process([](Signals& signals) {
              const pid_t parent = getpid();
              if (fork() == 0) {
                kill(parent, SIGTERM);
                _exit(0);
              }
              return signals.cancel_within(10 * kMinute);
            }),
            1);
}

TEST(Signals, the_end_of_a_child_is_no_cancel) {
  EXPECT_EQ(in_a_process([](Signals& signals) {
              const pid_t child = fork();
              if (child == 0) _exit(0);
              waitpid(child, nullptr, 0);
              return signals.cancel_within(kMillisecond);
            }),
            0);
}

}  // namespace
}  // namespace kneepoint::agent
