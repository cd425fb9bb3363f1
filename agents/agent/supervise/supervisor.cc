// SPDX-License-Identifier: Apache-2.0
//
// Reading keeps up with a flood: large blocks, a pipe made larger when it was found full, and a
// bounded number of blocks between two looks at the clock. Stages of ending: SIGTERM to the
// workload's group, after the grace SIGKILL, after the kill limit giving up; each stage is entered
// once and has one deadline.
#include "agents/agent/supervise/supervisor.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <limits>

#include "agents/agent/text.h"

namespace kneepoint::agent {

// Head, then a ring. A block larger than the ring replaces it, so a flood costs one copy of at most
// the ring's size for each block.

void OutputCapture::append(std::string_view bytes) {
  total_ += bytes.size();
  const std::size_t to_head = std::min(bytes.size(), head_limit_ - head_.size());
  head_.append(bytes.substr(0, to_head));
  bytes.remove_prefix(to_head);
  if (bytes.size() > tail_limit_) bytes.remove_prefix(bytes.size() - tail_limit_);

  const std::size_t to_grow = std::min(bytes.size(), tail_limit_ - ring_.size());
  ring_.append(bytes.substr(0, to_grow));
  bytes.remove_prefix(to_grow);
  while (!bytes.empty()) {
    const std::size_t n = std::min(bytes.size(), ring_.size() - oldest_);
    std::memcpy(ring_.data() + oldest_, bytes.data(), n);
    oldest_ = (oldest_ + n) % ring_.size();
    bytes.remove_prefix(n);
  }
}

std::string OutputCapture::tail() const {
  return ring_.substr(oldest_) + ring_.substr(0, oldest_);
}

std::string OutputCapture::rest() const {
  if (dropped() == 0) return tail();
  return "\n[kneepoint: " + std::to_string(dropped()) + " bytes dropped here]\n" + tail();
}

std::string last_line(const OutputCapture& capture, std::size_t limit) {
  const bool whole = capture.dropped() == 0;
  for (const std::string& part :
       {whole ? capture.head() + capture.tail() : capture.tail(), capture.head()}) {
    std::string_view text = std::string_view(part).substr(0, part.find_last_not_of(" \t\r\n") + 1);
    if (!text.empty()) return std::string(take_last_line(text).substr(0, limit));
  }
  return "";
}

namespace {

constexpr std::size_t kUsualPipe = 64 * 1024;
constexpr int kLargePipe = 1024 * 1024;
constexpr int kOutputBlocksPerTurn = 64;
constexpr int kBlocksAtEnd = 1024;
constexpr Nanoseconds kNoLimit = std::numeric_limits<Nanoseconds>::max();

std::array<char, 256 * 1024> block;  // one thread, used within drain() only

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
      drain(kOutputBlocksPerTurn);
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
    drain(kBlocksAtEnd);
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
      drain(kOutputBlocksPerTurn);
    }
  }

  void drain(int blocks) {
    out_.drain(blocks);
    err_.drain(blocks);
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
    while (const auto child = reap_child()) {
      if (child->pid != pid_) continue;
      result_.wait_status = child->status;
      return true;
    }
    return false;
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
    signal_group(pid_, SIGTERM);
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

void OutputStream::drain(int rounds) {
  while (pipe_.is_open() && rounds-- > 0) {
    const ssize_t n = read_some(pipe_.get(), block.data(), block.size());
    if (n < 0 && errno == EAGAIN) return;
    if (n <= 0) return pipe_.reset();
    capture_.append(std::string_view(block.data(), static_cast<std::size_t>(n)));
    if (!enlarged_ && static_cast<std::size_t>(n) >= kUsualPipe) {
      fcntl(pipe_.get(), F_SETPIPE_SZ, kLargePipe);
      enlarged_ = true;
    }
  }
}

void OutputStream::write_out(std::string_view bytes) {
  if (bytes.empty() || !problem_.empty()) return;
  if (!file_.is_open()) {
    file_ = Fd(open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644));
    if (!file_.is_open()) {
      problem_ = system_error("create " + path_, errno).message;
      return;
    }
  }
  const auto result = write_all(file_.get(), bytes, path_);
  if (!result) problem_ = result.error().message;
}

void OutputStream::flush() {
  const std::string_view head = capture_.head();
  write_out(head.substr(written_));
  written_ = head.size();
}

void OutputStream::finish() {
  flush();
  write_out(capture_.rest());
}

Supervision supervise(pid_t pid, Nanoseconds limit, Nanoseconds grace, OutputStream& out,
                      OutputStream& err, Signals& signals, const std::function<bool()>& on_tick) {
  return SupervisorLoop(pid, limit, grace, out, err, signals).run(on_tick);
}

}  // namespace kneepoint::agent
