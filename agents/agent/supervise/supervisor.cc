// SPDX-License-Identifier: Apache-2.0
//
// The loop. Stages of ending: SIGTERM to the workload's group, after the grace SIGKILL, after the
// kill limit giving up; each stage is entered once and has one deadline.
#include "agents/agent/supervise/supervisor.h"

#include <poll.h>
#include <signal.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <limits>

namespace kneepoint::agent {
namespace {

constexpr int kOutputBlocksPerTurn = 64;
constexpr int kBlocksAtEnd = 1024;
constexpr Nanoseconds kNoLimit = std::numeric_limits<Nanoseconds>::max();

enum class Stage { running, asked_to_end, killed };

class SupervisorLoop {
 public:
  SupervisorLoop(pid_t pid, Nanoseconds limit, Nanoseconds grace, OutputStream& out,
                 OutputStream& err, Signals& signals)
      : pid_(pid), grace_(grace), out_(out), err_(err), signals_(signals) {
    const Nanoseconds now = system_clock().steady();
    begun_ = now;
    next_tick_ = now + kEarlyTick;
    stage_deadline_ = limit > 0 && limit < kNoLimit - now ? now + limit : kNoLimit;
  }

  Supervision run(const std::function<bool()>& on_tick) {
    while (!reap()) {
      wait(std::min(next_tick_, stage_deadline_));
      out_.drain(kOutputBlocksPerTurn);
      err_.drain(kOutputBlocksPerTurn);
      signals_.read_pending();
      const Nanoseconds now = system_clock().steady();
      if (signals_.cancel_asked() && stage_ == Stage::running) {
        result_.cancelled = true;
        ask_to_end(now);
      }
      if (now >= stage_deadline_ && !next_stage(now)) break;
      if (now >= next_tick_) {
        out_.flush();
        err_.flush();
        if (!on_tick() && stage_ != Stage::killed) {
          result_.stopped = true;
          kill_all(now);
        }
        next_tick_ = system_clock().steady() + (now - begun_ < kSecond ? kEarlyTick : kTick);
      }
    }
    if (await_helpers(kHelperWait, false) > 0) {
      for (const pid_t helper : remote_helpers()) kill(helper, SIGTERM);  // srun kills its tasks
      await_helpers(grace_, true);
    }
    result_.leftovers = kill_leftovers(pid_, kKillLimit);
    out_.drain(kBlocksAtEnd);
    err_.drain(kBlocksAtEnd);
    return result_;
  }

 private:
  // Until there is none or the time is over, or somebody cancels; how many are left.
  std::size_t await_helpers(Nanoseconds most, bool though_cancelled) {
    const Nanoseconds deadline = system_clock().steady() + most;
    while (true) {
      const std::size_t left = remote_helpers().size();
      const Nanoseconds now = system_clock().steady();
      signals_.read_pending();
      const bool hurry = signals_.cancel_asked() && !though_cancelled;
      if (left == 0 || hurry || now >= deadline) return left;
      wait(std::min(now + kHelperTick, deadline));  // an end wakes it, unless it is a grandchild's
      out_.drain(kOutputBlocksPerTurn);
      err_.drain(kOutputBlocksPerTurn);
    }
  }

  void wait(Nanoseconds until) {
    const Nanoseconds left = std::max<Nanoseconds>(0, until - system_clock().steady());
    std::array<pollfd, 3> entries = {{{signals_.fd(), POLLIN, 0},  // a closed pipe is -1: ignored
                                      {out_.fd(), POLLIN, 0},
                                      {err_.fd(), POLLIN, 0}}};
    timespec timeout{};
    timeout.tv_sec = left / kSecond;
    timeout.tv_nsec = left % kSecond;
    ppoll(entries.data(), entries.size(), &timeout, nullptr);
  }

  // True when the workload itself has ended. Adopted processes that ended are reaped on the way.
  bool reap() {
    while (true) {
      int status = 0;
      const pid_t pid = waitpid(-1, &status, WNOHANG);
      if (pid == pid_) {
        result_.wait_status = status;
        return true;
      }
      if (pid > 0 || (pid < 0 && errno == EINTR)) continue;
      return false;
    }
  }

  bool next_stage(Nanoseconds now) {
    switch (stage_) {
      case Stage::running:
        result_.limit_passed = true;
        ask_to_end(now);
        return true;
      case Stage::asked_to_end:
        kill_all(now);
        return true;
      case Stage::killed:
        result_.ended = false;
        return false;
    }
    return false;
  }

  void ask_to_end(Nanoseconds now) {
    kill(-pid_, SIGTERM);
    kill(-pid_, SIGCONT);  // a stopped program can't end
    stage_ = Stage::asked_to_end;
    stage_deadline_ = now + grace_;
  }

  void kill_all(Nanoseconds now) {
    kill(-pid_, SIGKILL);
    stage_ = Stage::killed;
    stage_deadline_ = now + kKillLimit;
  }

  pid_t pid_;
  Nanoseconds grace_;
  OutputStream& out_;
  OutputStream& err_;
  Signals& signals_;
  Nanoseconds begun_ = 0;
  Nanoseconds next_tick_ = 0;
  Nanoseconds stage_deadline_ = 0;
  Stage stage_ = Stage::running;
  Supervision result_;
};

}  // namespace

Supervision supervise(pid_t pid, Nanoseconds limit, Nanoseconds grace, OutputStream& out,
                      OutputStream& err, Signals& signals, const std::function<bool()>& on_tick) {
  return SupervisorLoop(pid, limit, grace, out, err, signals).run(on_tick);
}

}  // namespace kneepoint::agent
