// SPDX-License-Identifier: Apache-2.0
//
// One piece at a time, in the order of the steps: what arrives twice or out of order all the same
// is told apart by its numbers. A look at a file that has not grown is one system call.
#include "agents/agent/push/loop.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <limits>
#include <string_view>

#include "agents/agent/file.h"
#include "agents/wire/record.h"

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
  Loop(const AllocationFile& allocation, PushClient& client, const PushWorld& world, Random random,
       Nanoseconds last_limit)
      : client_(client), world_(world), random_(random), last_limit_(last_limit) {
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
        const Pushed sent = client_.send(step.attempt, piece, why, [this] { return is_late(); });
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

  PushClient& client_;
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
  if (piece.empty()) return;
  const std::string_view lines = std::string_view(piece).substr(0, piece.size() - 1);
  const std::size_t last = lines.rfind('\n');
  over_ =
      record::head_of(lines.substr(last == std::string_view::npos ? 0 : last + 1)).type == "end";
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

void push_records(const AllocationFile& allocation, PushClient& client, const PushWorld& world,
                  Random random, Nanoseconds last_limit) {
  Loop(allocation, client, world, random, last_limit).run();
}

}  // namespace kneepoint::agent
