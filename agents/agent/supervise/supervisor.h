// SPDX-License-Identifier: Apache-2.0
//
// Watches one started workload: one loop over its two pipes, the agent's signals and the clock.
// Reads for ever, keeps a bounded part, ends what must end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "agents/agent/supervise/child.h"

namespace kneepoint::agent {

// Keeps the first and the last bytes of a stream of any length and counts what it dropped between
// them. Memory grows with the output, up to head + tail and no further.
constexpr std::size_t kCaptureHead = 1024 * 1024;
constexpr std::size_t kCaptureTail = 1024 * 1024;

class OutputCapture {
 public:
  explicit OutputCapture(std::size_t head_limit = kCaptureHead,
                         std::size_t tail_limit = kCaptureTail)
      : head_limit_(head_limit), tail_limit_(tail_limit) {}

  void append(std::string_view bytes);

  std::uint64_t dropped() const { return total_ - head_.size() - ring_.size(); }
  const std::string& head() const { return head_; }
  std::string tail() const;  // oldest byte first

  // What goes into the file after the head: the tail, with a line before it that says how much was
  // dropped, if any was.
  std::string rest() const;

 private:
  std::size_t head_limit_;
  std::size_t tail_limit_;
  std::uint64_t total_ = 0;
  std::string head_;
  std::string ring_;
  std::size_t oldest_ = 0;  // index into ring_ once it is full
};

// The last line with something on it, cut to `limit` bytes; "" if there is none.
std::string last_line(const OutputCapture& capture, std::size_t limit);

// A captured stream and the file it goes to: made when the first byte comes, the head written as it
// comes, the rest at the end. A file that can't be written loses output, not the run.
class OutputStream {
 public:
  explicit OutputStream(std::string path) : path_(std::move(path)) {}

  void attach(Fd pipe) { pipe_ = std::move(pipe); }
  int fd() const { return pipe_.get(); }
  void drain(int rounds);  // reads at most so many blocks; closes the pipe at its end
  void flush();
  void finish();

  const OutputCapture& capture() const { return capture_; }
  const std::string& problem() const { return problem_; }

 private:
  void write_out(std::string_view bytes);

  std::string path_;
  Fd pipe_;
  Fd file_;
  OutputCapture capture_;
  std::size_t written_ = 0;  // of the head
  bool enlarged_ = false;
  std::string problem_;
};

struct Supervision {
  int wait_status = 0;
  bool ended = true;  // false: could not even be killed
  bool limit_passed = false;
  bool cancelled = false;
  bool stopped = false;  // on_tick asked for it
  Leftovers leftovers;
};

constexpr Nanoseconds kEarlyTick = 200 * kMillisecond;  // in the first second: short runs
constexpr Nanoseconds kTick = 500 * kMillisecond;       // most of what an agent costs are its ticks
constexpr Nanoseconds kHelperTick = 200 * kMillisecond;
constexpr Nanoseconds kGrace = 3 * kSecond;          // between SIGTERM and SIGKILL
constexpr Nanoseconds kStarterGrace = 10 * kSecond;  // the same for srun and mpirun: see below
constexpr Nanoseconds kKillLimit = 10 * kSecond;     // for what SIGKILL doesn't end at once
constexpr Nanoseconds kHelperWait = 30 * kSecond;    // for daemons on other nodes that are ending

// Returns when the child and all its descendants are gone and their output is read. `on_tick` is
// called about every kTick; when it returns false the child is killed.
//
// A starter (`grace`: kStarterGrace) has ranks or daemons on other nodes, which no signal of ours
// reaches: killing it, or the srun that mpirun leaves behind, would have them live on beside the
// next step. So it has time to end them; what it leaves behind to wait for them is waited for.
Supervision supervise(pid_t pid, Nanoseconds limit, Nanoseconds grace, OutputStream& out,
                      OutputStream& err, Signals& signals, const std::function<bool()>& on_tick);

}  // namespace kneepoint::agent
