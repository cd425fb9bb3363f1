// SPDX-License-Identifier: Apache-2.0
//
// Ranks of pod 0 are children, those of other pods clients of the agent of pod 0. The first one
// that fails ends the others: SIGTERM, and SIGKILL for those who stay.
#include "agents/agent/provenance/spread.h"

#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <memory>

#include "agents/agent/file.h"
#include "agents/agent/pod/client.h"
#include "agents/agent/pod/pod.h"
#include "agents/agent/run_folder.h"
#include "agents/agent/supervise/child.h"
#include "agents/agent/supervise/signals.h"
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

Variables rank_variables(const Spread& spread, const std::string& master, int rank) {
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

std::string shell_quoted(const std::string& text) {
  std::string quoted = "'";
  for (const char c : text) {
    if (c == '\'') {
      quoted += "'\\''";
    } else {
      quoted += c;
    }
  }
  return quoted + "'";
}

std::string shell_text(const Variables& variables, const std::vector<std::string>& argv) {
  std::string text;
  for (const auto& [name, value] : variables) {
    text += "export " + name + "=" + shell_quoted(value) + "; ";
  }
  text += "exec";
  for (const std::string& argument : argv) text += " " + shell_quoted(argument);
  return text;
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
  Child child;  // in this pod
  std::optional<PodClient> client;
  bool ended = false;
  int code = 0;
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
      for (auto& rank : ranks_) look_at(*rank);
      reap();
      if (signals_.cancel_asked()) fail(128 + SIGTERM);
      if (stage_ == 1 && system_clock().steady() >= deadline_) {
        signal_all(SIGKILL);
        stage_ = 2;
        deadline_ = system_clock().steady() + kKillGrace;
      } else if (stage_ == 2 && system_clock().steady() >= deadline_) {
        break;
      }
    }
    for (auto& rank : ranks_) rank->output.finish();
    return result_;
  }

 private:
  void start(int number) {
    ranks_.push_back(std::make_unique<Rank>(number));
    Rank& rank = *ranks_.back();
    const bool here = number < spread_.ranks_per_pod;
    const auto started = here ? start_here(rank, number) : start_there(rank, number);
    if (started) return;
    write_out(2, "kneepoint-agent spread: rank " + std::to_string(number) + ": " +
                     started.error().message + "\n");
    rank.ended = true;
    fail(127);
  }

  std::string host(int pod) const { return pod_host(job_, is_mpi_job_, pod); }

  Result<void> start_here(Rank& rank, int number) {
    Variables variables = rank_variables(spread_, host(0), number);
    if (number > 0) variables.emplace_back(record::kPathVariable, "");  // rank 0 has the records
    TRY_ASSIGN(rank.child, start_child(spread_.argv, variables));
    return {};
  }

  Result<void> start_there(Rank& rank, int number) {
    Variables variables;
    for (const std::string& name : spread_.passed) {
      if (const char* value = getenv(name.c_str())) variables.emplace_back(name, value);
    }
    for (auto& one : rank_variables(spread_, host(0), number)) variables.push_back(std::move(one));
    TRY_ASSIGN(rank.client, PodClient::open(environment_variable(kLinkVariable)));
    const std::string pod = host(number / spread_.ranks_per_pod);
    rank.client->send(
        {'R', pod + '\0' + prepare_folder_text() + shell_text(variables, spread_.argv)});
    return {};
  }

  void wait() {
    std::vector<pollfd> entries = {{signals_.fd(), POLLIN, 0}};
    for (const auto& rank : ranks_) {
      if (rank->ended) continue;
      if (rank->client) entries.push_back({rank->client->fd(), POLLIN, 0});
      if (rank->child.out.is_open()) entries.push_back({rank->child.out.get(), POLLIN, 0});
      if (rank->child.err.is_open()) entries.push_back({rank->child.err.get(), POLLIN, 0});
    }
    poll(entries.data(), entries.size(), kSpreadTurnMs);
  }

  void look_at(Rank& rank) {
    if (rank.ended) return;
    if (!rank.client) return drain(rank);
    pollfd entry{rank.client->fd(), POLLIN, 0};
    if (poll(&entry, 1, 0) > 0) rank.client->receive();
    while (const auto message = rank.client->next()) {
      const std::string_view payload = message->payload;
      if (message->type == 'O' && !payload.empty()) rank.output.take(payload[0], payload.substr(1));
      if (message->type == 'X') return ended(rank, decoded_end(payload));
    }
    if (!rank.client->is_open()) {
      ended(rank, {ProcessEnd::Kind::lost, 0, "the agent of pod 0 is gone"});
    }
  }

  static void drain(Rank& rank) {
    drain_pipes(rank.child,
                [&](char stream, std::string_view bytes) { rank.output.take(stream, bytes); });
  }

  void reap() {
    for (;;) {
      int status = 0;
      const pid_t pid = waitpid(-1, &status, WNOHANG);
      if (pid < 0 && errno == EINTR) continue;
      if (pid <= 0) return;
      for (auto& rank : ranks_) {
        if (rank->client || rank->ended || rank->child.pid != pid) continue;
        drain(*rank);
        ended(*rank, end_of(status));
      }
    }
  }

  void ended(Rank& rank, const ProcessEnd& end) {
    if (!end.text.empty()) rank.output.take(2, end.text + "\n");
    rank.output.finish();
    rank.ended = true;
    rank.code = end.exit_code();
    if (rank.code != 0) fail(rank.code);
  }

  void fail(int code) {
    if (result_ != 0) return;
    result_ = code;
    stage_ = 1;
    deadline_ = system_clock().steady() + kEndGrace;
    signal_all(SIGTERM);
  }

  void signal_all(int number) {
    for (auto& rank : ranks_) {
      if (rank->ended) continue;
      if (rank->client) {
        rank->client->send({'K', std::string(1, static_cast<char>(number))});
      } else {
        kill(-rank->child.pid, number);
        if (number == SIGTERM) kill(-rank->child.pid, SIGCONT);
      }
    }
  }

  bool all_ended() const {
    for (const auto& rank : ranks_) {
      if (!rank->ended) return false;
    }
    return true;
  }

  const Spread& spread_;
  Signals signals_;
  const std::string job_;
  const bool is_mpi_job_;
  std::vector<std::unique_ptr<Rank>> ranks_;
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
