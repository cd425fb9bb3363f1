// SPDX-License-Identifier: Apache-2.0
//
// A child of the agent, which spares it when it kills what steps leave behind, and reaps it. It
// outlives an agent that is killed. The small static agent waits in its place for the first second:
// loading libraries would take time from a workload that is just starting.
#include "agents/agent/push/pusher.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

#include "agents/agent/agent.h"
#include "agents/agent/file.h"
#include "agents/agent/supervise/child.h"
#include "orchestrator/base/text.h"

namespace kneepoint::agent {
namespace {

constexpr int kBackground = 10;          // niceness
constexpr Nanoseconds kExtra = kSecond;  // for its own end

// Between fork and exec. Signals to the whole job are not for it: it ends when the agent has.
[[noreturn]] void become(const char* program, const char* path, int life, int done) {
  setsid();
  for (const int number : {SIGTERM, SIGINT, SIGHUP, SIGPIPE}) signal(number, SIG_IGN);
  if (dup2(life, 0) != 0 || dup2(done, 1) != 1) _exit(127);
  syscall(SYS_close_range, 3U, ~0U, 0U);
  execl(program, program, "push", path, nullptr);
  _exit(127);
}

}  // namespace

void Pusher::start(const std::string& allocation_path) {
  const std::string program = own_program();
  auto life = make_pipe();
  auto done = make_pipe();
  if (program.empty() || !life || !done) return;
  const pid_t pid = fork();
  if (pid == 0) {
    become(program.c_str(), allocation_path.c_str(), life->read_end.get(), done->write_end.get());
  }
  if (pid < 0) return;
  spare_child(pid);
  pid_ = pid;
  life_ = std::move(life->write_end);
  done_ = std::move(done->read_end);
}

void Pusher::finish(Signals& signals) {
  if (!done_.is_open()) return;
  life_.reset();
  signals.read_pending();
  const Nanoseconds most = signals.cancel_asked() ? kHurriedPush : kLastPush;
  const Nanoseconds deadline = system_clock().steady() + most + kExtra;
  pollfd entry{done_.get(), POLLIN, 0};
  for (;;) {
    const Nanoseconds left = deadline - system_clock().steady();
    if (left <= 0) {
      kill(pid_, SIGKILL);  // it should have given up by now
      break;
    }
    if (poll(&entry, 1, static_cast<int>(left / kMillisecond) + 1) > 0) break;
  }
  end_spared_child(pid_);
}

int become_pusher(const std::string& allocation_path) {
  (void)!nice(kBackground);
  pollfd life{0, POLLIN, 0};
  poll(&life, 1, static_cast<int>(kFirstPush / kMillisecond));
  const std::string program = find_part(kPushProgram);
  if (!program.empty()) execl(program.c_str(), program.c_str(), allocation_path.c_str(), nullptr);
  std::fprintf(stderr, "kneepoint-agent: records are not pushed: %s\n",
               program.empty() ? "kneepoint-push is not installed with the agent"
                               : system_error("'" + program + "'", errno).message.c_str());
  return kExitUsage;
}

}  // namespace kneepoint::agent
