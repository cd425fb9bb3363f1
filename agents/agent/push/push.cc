// SPDX-License-Identifier: Apache-2.0
//
// One piece at a time, in the order of the steps: what arrives twice or out of order all the same
// is told apart by its numbers. A look at a file that has not grown is one system call.
#include "agents/agent/push/push.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <string_view>

#include "agents/agent/agent.h"
#include "agents/agent/file.h"
#include "agents/agent/text.h"
#include "agents/wire/record.h"
#include "orchestrator/base/text.h"

namespace kneepoint::agent {
namespace {

constexpr Nanoseconds kFirstBackOff = kSecond;
constexpr Nanoseconds kHurried = 300 * kMillisecond;  // between tries once the agent has ended
constexpr int kMostDoublings = 6;

struct Followed {
  std::string attempt;
  RecordFollower records;
};

class Loop {
 public:
  Loop(const AllocationFile& allocation, const PushWorld& world, Random random,
       Nanoseconds last_limit)
      : world_(world), random_(random), last_limit_(last_limit) {
    for (const StepSpec& step : allocation.steps) {
      steps_.push_back({step.attempt, RecordFollower(step.run_dir + "/records.ndjson")});
    }
  }

  void run() {
    for (;;) {
      const bool is_last = agent_ended();  // before the look: what it wrote last is seen
      const Pushed sent = send_all();
      if (sent == Pushed::never) return;
      if (is_last && (sent == Pushed::delivered || is_late())) return;
      failures_ = sent == Pushed::delivered ? 0 : failures_ + 1;
      const Nanoseconds delay = push_delay(failures_, agent_ended(), random_.uniform());
      // Once it has ended there is nothing more to be woken by.
      if (world_.agent_ended_within(delay)) note_end();
    }
  }

 private:
  bool agent_ended() {
    if (ended_at_ == 0 && world_.agent_ended_within(0)) note_end();
    return ended_at_ != 0;
  }
  void note_end() {
    if (ended_at_ == 0) ended_at_ = std::max<Nanoseconds>(1, world_.clock.steady());
  }
  bool is_late() { return agent_ended() && world_.clock.steady() - ended_at_ >= last_limit_; }

  Pushed send_all() {
    for (Followed& step : steps_) {
      for (;;) {
        const std::string piece = step.records.next(kPushBytes);
        if (piece.empty()) break;
        if (is_late()) return Pushed::later;
        std::string why;
        const Pushed sent = world_.send(step.attempt, piece, why, [this] { return is_late(); });
        if (sent != Pushed::delivered) {
          if (sent == Pushed::never || failures_ == 0) {
            world_.say("records of " + step.attempt + " are not pushed" +
                       (sent == Pushed::never ? ": " : " for now: ") + why);
          }
          return sent;
        }
        step.records.delivered(piece);
      }
    }
    return Pushed::delivered;
  }

  const PushWorld& world_;
  Random random_;
  const Nanoseconds last_limit_;
  std::vector<Followed> steps_;
  int failures_ = 0;
  Nanoseconds ended_at_ = 0;  // 0: it runs
};

}  // namespace

std::string RecordFollower::next(std::size_t most) const {
  struct stat status {};
  if (over_ || stat(path_.c_str(), &status) != 0) return "";
  const auto size = static_cast<std::size_t>(status.st_size);
  if (size <= offset_) return "";
  const Fd file(open(path_.c_str(), O_RDONLY | O_CLOEXEC));
  std::string text = read_part(file, offset_, std::min(size - offset_, most));
  text.resize(text.rfind('\n') + 1);  // npos + 1 is 0
  return text;
}

void RecordFollower::delivered(const std::string& piece) {
  offset_ += piece.size();
  std::string_view lines = piece;
  over_ = over_ || record::head_of(take_last_line(lines)).type == record::End::kType;
}

Pushed meaning_of(long status) {
  if (status >= 200 && status < 300) return Pushed::delivered;
  // These say that the same bytes will never be taken; all else may be a proxy or a bad moment.
  const bool is_final = status == 400 || status == 401 || status == 403 || status == 413;
  return is_final ? Pushed::never : Pushed::later;
}

Nanoseconds push_delay(int failures, bool agent_ended, double chance) {
  Nanoseconds delay = kPushEvery;
  if (agent_ended) {
    delay = kHurried;
  } else if (failures > 0) {
    delay = std::min(kLongestBackOff, kFirstBackOff << std::min(failures, kMostDoublings));
  }
  return static_cast<Nanoseconds>(static_cast<double>(delay) * (0.5 + chance));
}

void push_records(const AllocationFile& allocation, const PushWorld& world, Random random,
                  Nanoseconds last_limit) {
  Loop(allocation, world, random, last_limit).run();
}

// A child of the agent, which spares it when it kills what steps leave behind, and reaps it. It
// outlives an agent that is killed. The small static agent waits in its place for the first second:
// loading libraries would take time from a workload that is just starting.

namespace {

constexpr int kBackground = 10;          // niceness
constexpr Nanoseconds kExtra = kSecond;  // for its own end

// Between fork and exec. Signals to the whole job are not for it: it ends when the agent has.
[[noreturn]] void become_child(const char* program, const char* path, int life, int done) {
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
    become_child(program.c_str(), allocation_path.c_str(), life->read_end.get(),
                 done->write_end.get());
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
  if (!wait_readable(done_.get(), system_clock().steady() + most + kExtra)) {
    kill(pid_, SIGKILL);  // it should have given up by now
  }
  end_spared_child(pid_);
}

int become_pusher(const std::string& allocation_path) {
  (void)!nice(kBackground);
  wait_readable(0, system_clock().steady() + kFirstPush);
  const std::string program = find_part(kPushProgram);
  if (!program.empty()) execl(program.c_str(), program.c_str(), allocation_path.c_str(), nullptr);
  std::fprintf(stderr, "kneepoint-agent: records are not pushed: %s\n",
               program.empty() ? "kneepoint-push is not installed with the agent"
                               : system_error("'" + program + "'", errno).message.c_str());
  return kExitUsage;
}

}  // namespace kneepoint::agent
