// SPDX-License-Identifier: Apache-2.0
//
// Every rank is a child: in pod 0 the program itself, for other pods `kneepoint-agent exec`. The
// first one that fails ends the others: SIGTERM, and SIGKILL for those who stay.

#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>

#include "agents/agent/file.h"
#include "agents/agent/pod/link.h"
#include "agents/agent/pod/pod.h"
#include "agents/agent/supervise/child.h"
#include "agents/agent/text.h"
#include "agents/wire/record.h"
#include "orchestrator/base/text.h"

namespace kneepoint::agent {

// The pure part of spread: arguments, variables, shell text.

namespace {

constexpr char kMasterPort[] = "29500";  // torchrun's own default
constexpr int kMost = 100'000;

Result<int> count(const std::string& text, const char* what) {
  const auto value = whole_number<int>(text);
  if (!value || *value < 1 || *value > kMost) {
    return Error{ErrorCode::invalid, std::string(what) + " is '" + text + "'", false};
  }
  return *value;
}

}  // namespace

Result<Spread> parse_spread(const std::vector<std::string>& arguments) {
  Spread spread;
  if (arguments.empty()) return Error{ErrorCode::invalid, "how many pods?", false};
  TRY_ASSIGN(spread.pods, count(arguments[0], "the number of pods"));
  std::size_t at = 1;
  for (; at + 1 < arguments.size() && arguments[at] != "--"; at += 2) {
    if (arguments[at] == "-r") {
      TRY_ASSIGN(spread.ranks_per_pod, count(arguments[at + 1], "-r"));
    } else if (arguments[at] == "-x") {
      spread.passed.push_back(arguments[at + 1]);
    } else {
      return Error{ErrorCode::invalid, "unknown option '" + arguments[at] + "'", false};
    }
  }
  if (at + 1 >= arguments.size() || arguments[at] != "--") {
    return Error{ErrorCode::invalid, "-- and a command are missing", false};
  }
  spread.argv.assign(arguments.begin() + static_cast<std::ptrdiff_t>(at) + 1, arguments.end());
  return spread;
}

Environment rank_variables(const Spread& spread, const std::string& master, int rank) {
  const std::string pod = std::to_string(rank / spread.ranks_per_pod);
  const std::string local = std::to_string(rank % spread.ranks_per_pod);
  const std::string pods = std::to_string(spread.pods);
  const std::string world = std::to_string(spread.pods * spread.ranks_per_pod);
  return {{"RANK", std::to_string(rank)},
          {"WORLD_SIZE", world},
          {"LOCAL_RANK", local},
          {"LOCAL_WORLD_SIZE", std::to_string(spread.ranks_per_pod)},
          {"NODE_RANK", pod},
          {"GROUP_RANK", pod},
          {"MASTER_ADDR", master},
          {"MASTER_PORT", kMasterPort},
          {"PET_NNODES", pods},
          {"PET_NODE_RANK", pod},
          {"PET_MASTER_ADDR", master},
          {"PET_MASTER_PORT", kMasterPort},
          {"KNEEPOINT_RANK", std::to_string(rank)},
          {"KNEEPOINT_RANKS", world}};
}

namespace {

constexpr Nanoseconds kEndGrace = 3 * kSecond;
constexpr Nanoseconds kKillGrace = 3 * kSecond;
constexpr int kSpreadTurnMs = 200;

// Output of one rank: whole lines with the rank before them, or as it comes for rank 0.
class RankOutput {
 public:
  explicit RankOutput(int rank) : rank_(rank), opening_("[" + std::to_string(rank) + "] ") {}

  void take(int stream, std::string_view bytes) {
    if (rank_ == 0) return write_out(stream, bytes);
    std::string& rest = rest_[stream == 1 ? 0 : 1];
    rest += bytes;
    std::string lines;
    std::size_t at = 0;
    for (std::size_t end; (end = rest.find('\n', at)) != std::string::npos; at = end + 1) {
      lines += opening_ + rest.substr(at, end + 1 - at);
    }
    rest.erase(0, at);
    if (rest.size() > kLongest) lines += opening_ + std::exchange(rest, "") + "\n";
    write_out(2, lines);
  }
  void finish() {
    for (std::string& rest : rest_) {
      if (!rest.empty()) write_out(2, opening_ + std::exchange(rest, "") + "\n");
    }
  }

 private:
  static constexpr std::size_t kLongest = 16 * 1024;

  int rank_;
  std::string opening_;
  std::array<std::string, 2> rest_;
};

struct Rank {
  explicit Rank(int number) : output(number) {}

  RankOutput output;
  Child child;
  bool ended = false;
};

class SpreadRun {
 public:
  SpreadRun(const Spread& spread, Signals signals)
      : spread_(spread),
        signals_(std::move(signals)),
        job_(environment_variable(kJobVariable)),
        is_mpi_job_(!environment_variable(kPodVariable).empty()) {}

  int run() {
    for (int i = 0; i < spread_.pods * spread_.ranks_per_pod && result_ == 0; ++i) start(i);
    while (!all_ended()) {
      wait();
      signals_.read_pending();
      for (Rank& rank : ranks_) drain(rank);
      while (const auto child = reap_child()) note_end(*child);
      if (signals_.cancel_asked()) fail(128 + SIGTERM);
      if (stage_ == 1 && system_clock().steady() >= deadline_) {
        signal_all(SIGKILL);
        stage_ = 2;
        deadline_ = system_clock().steady() + kKillGrace;
      } else if (stage_ == 2 && system_clock().steady() >= deadline_) {
        break;
      }
    }
    for (Rank& rank : ranks_) rank.output.finish();
    return result_;
  }

 private:
  void start(int number) {
    Rank& rank = ranks_.emplace_back(number);
    const int pod = number / spread_.ranks_per_pod;
    auto child = pod == 0 ? start_here(number) : start_in(host(pod), number);
    if (child) {
      rank.child = std::move(*child);
      return;
    }
    write_out(2, "kneepoint-agent spread: rank " + std::to_string(number) + ": " +
                     child.error().message + "\n");
    rank.ended = true;
    fail(127);
  }

  std::string host(int pod) const { return pod_host(job_, is_mpi_job_, pod); }

  Result<Child> start_here(int number) const {
    Environment variables = rank_variables(spread_, host(0), number);
    if (number > 0) variables.emplace_back(record::kPathVariable, "");  // rank 0 has the records
    return start_child(spread_.argv, variables);
  }

  Result<Child> start_in(const std::string& pod, int number) const {
    Environment variables;
    for (const std::string& name : spread_.passed) {
      if (const char* value = getenv(name.c_str())) variables.emplace_back(name, value);
    }
    for (auto& one : rank_variables(spread_, host(0), number)) variables.push_back(std::move(one));
    return start_child({own_program(), "exec", pod, shell_text(variables, spread_.argv)}, {});
  }

  void wait() {
    std::vector<pollfd> entries = {{signals_.fd(), POLLIN, 0}};
    for (const Rank& rank : ranks_) {
      if (!rank.ended) rank.child.watch(entries);
    }
    poll(entries.data(), entries.size(), kSpreadTurnMs);
  }

  static void drain(Rank& rank) {
    if (rank.ended) return;
    drain_pipes(rank.child,
                [&](char stream, std::string_view bytes) { rank.output.take(stream, bytes); });
  }

  void note_end(const Ended& child) {
    for (Rank& rank : ranks_) {
      if (rank.ended || rank.child.pid != child.pid) continue;
      drain(rank);
      rank.output.finish();
      rank.ended = true;
      if (const int code = end_of(child.status).exit_code(); code != 0) fail(code);
    }
  }

  void fail(int code) {
    if (result_ != 0) return;
    result_ = code;
    stage_ = 1;
    deadline_ = system_clock().steady() + kEndGrace;
    signal_all(SIGTERM);
  }

  void signal_all(int number) {
    for (Rank& rank : ranks_) {
      if (!rank.ended) signal_group(rank.child.pid, number);
    }
  }

  bool all_ended() const {
    return std::all_of(ranks_.begin(), ranks_.end(), [](const Rank& rank) { return rank.ended; });
  }

  const Spread& spread_;
  Signals signals_;
  const std::string job_;
  const bool is_mpi_job_;
  std::vector<Rank> ranks_;
  int result_ = 0;
  int stage_ = 0;  // 1: asked to end, 2: killed
  Nanoseconds deadline_ = 0;
};

}  // namespace

int run_spread(const Spread& spread) {
  auto signals = Signals::take();
  if (!signals) {
    std::fprintf(stderr, "kneepoint-agent spread: %s\n", signals.error().message.c_str());
    return 127;
  }
  return SpreadRun(spread, std::move(*signals)).run();
}

}  // namespace kneepoint::agent
