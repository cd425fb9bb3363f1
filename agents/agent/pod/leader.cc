// SPDX-License-Identifier: Apache-2.0
//
// The leader: one loop over the peers, the local clients, the `run` that does the steps, and the
// log. `run` is a process of its own because it waits for and kills every descendant it has. When a
// pod is lost the reason is left in a file and `run` is told to end, which then says so in the
// record of the step.
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>

#include "agents/agent/agent.h"
#include "agents/agent/pod/leader.h"
#include "agents/agent/pod/link.h"
#include "agents/agent/pod/pod.h"
#include "agents/agent/supervise/child.h"
#include "agents/wire/allocation.h"
#include "orchestrator/base/files.h"
#include "orchestrator/base/text.h"

namespace kneepoint::agent {
namespace {

constexpr Nanoseconds kTurn = 200 * kMillisecond;
constexpr Nanoseconds kKillLimit = 3 * kSecond;
constexpr Nanoseconds kGoodbyeLimit = 3 * kSecond;
constexpr std::size_t kMostLooking = 64;  // peers that are looked for at once
constexpr std::size_t kMostUnprinted = 1024 * 1024;

Nanoseconds now() {
  return system_clock().steady();
}

class Leader {
 public:
  Leader(const PodSettings& settings, Signals signals, const std::vector<std::string>& attempts)
      : settings_(settings),
        signals_(std::move(signals)),
        log_(settings.work + "/runs", attempts),
        lost_path_(settings.work + "/link/lost") {}

  int lead() {
    std::vector<Link> links;
    const int missing = find_peers(links);
    if (missing != kExitDone) return missing;
    relay_.emplace(settings_, std::move(links));
    const auto begun = begin();
    if (!begun) {
      last_words(begun.error().message);
      return kExitIo;
    }
    while (!run_ended_) turn();
    kill_leftovers(0, kKillLimit);
    drain_run();
    print(true);
    const Nanoseconds deadline = now() + kGoodbyeLimit;
    while (!relay_->say_goodbye(now()) && now() < deadline) wait({}, kTurn);
    return exit_code();
  }

 private:
  // All links, or why not.
  int find_peers(std::vector<Link>& links) {
    std::vector<PodFinder> finders;
    for (int i = 1; i < settings_.pods; ++i) finders.emplace_back(settings_, i);
    std::vector<std::optional<Link>> found(finders.size());
    const Nanoseconds begun = now();
    for (;;) {
      const Nanoseconds time = now();
      std::size_t looking = 0;
      int missing = 0;
      for (std::size_t i = 0; i < finders.size(); ++i) {
        if (!found[i] && looking++ < kMostLooking) finders[i].turn(time);
        if (!found[i]) found[i] = finders[i].take();
        if (!found[i] && missing == 0) missing = static_cast<int>(i) + 1;
        if (found[i] && !keep_alive(*found[i], time)) {
          return give_up(static_cast<int>(i) + 1, "went away: " + found[i]->problem());
        }
      }
      if (missing == 0) break;
      if (time - begun >= settings_.wait) {
        return give_up(missing, "did not come within " + to_duration_text(settings_.wait) + ": " +
                                    finders[static_cast<std::size_t>(missing - 1)].problem());
      }
      signals_.read_pending();
      if (signals_.cancel_asked()) return kExitCancelled;
      while (reap_child()) {
      }
      std::vector<pollfd> entries;
      for (std::size_t i = 0; i < finders.size(); ++i) {
        found[i] ? found[i]->watch(entries) : finders[i].watch(entries);
      }
      wait(std::move(entries), kTurn);
    }
    for (auto& link : found) links.push_back(std::move(*link));
    return kExitDone;
  }

  static bool keep_alive(Link& link, Nanoseconds time) {
    link.turn(time);
    while (link.next()) {
    }
    return !link.is_closed();
  }

  int give_up(int pod, const std::string& why) const {
    last_words("pod " + settings_.pod_name(pod) + " " + why + "; no step was begun");
    return kExitPeer;
  }

  Result<void> begin() {
    TRY(relay_->open(settings_.work + "/link"));
    const std::string runs = settings_.work + "/runs";
    if (mkdir(runs.c_str(), 0755) != 0 && errno != EEXIST) {
      return system_error("mkdir " + runs, errno);
    }
    const std::string path = settings_.work + "/allocation.json";
    TRY(write_whole_file(path, settings_.allocation, kOwnerOnly));
    TRY_ASSIGN(run_, start_child({own_program(), "run", path},
                                 {{kLinkVariable, relay_->path()}, {kLostVariable, lost_path_}}));
    return {};
  }

  void turn() {
    std::vector<pollfd> entries;
    relay_->watch(entries);
    run_.watch(entries);
    if (!unprinted_.empty()) entries.push_back({1, POLLOUT, 0});
    wait(std::move(entries), kTurn);
    signals_.read_pending();
    relay_->turn(now());
    drain_run();
    reap();
    if (signals_.cancel_asked()) ask_to_end();
    if (!relay_->lost().empty() && !lost_noted_ && !signals_.cancel_asked()) {
      lost_noted_ = true;
      last_words(relay_->lost());
      if (const auto noted = write_whole_file(lost_path_, relay_->lost(), kOwnerOnly); !noted) {
        last_words(noted.error().message);
      }
      ask_to_end();
    }
    if (now() >= next_print_) print(false);
  }

  void wait(std::vector<pollfd> entries, Nanoseconds most) const {
    entries.push_back({signals_.fd(), POLLIN, 0});
    poll(entries.data(), entries.size(), static_cast<int>(most / kMillisecond));
  }

  void ask_to_end() {
    if (!asked_ && !run_ended_) kill(run_.pid, SIGTERM);
    asked_ = true;
  }

  void reap() {
    while (const auto child = reap_child()) {
      if (child->pid != run_.pid) continue;
      run_ended_ = true;
      run_code_ = end_of(child->status).exit_code();
    }
  }

  // What `run` itself has to say goes where our own messages go.
  void drain_run() {
    drain_pipes(run_, [](char, std::string_view bytes) { write_out(2, bytes); });
  }

  // Who reads the log may be slow: only what fits is written, unless it is the last.
  void print(bool last) {
    next_print_ = now() + kTurn;
    if (last || unprinted_.size() < kMostUnprinted) unprinted_ += log_.take(last);
    std::size_t written = 0;
    while (written < unprinted_.size()) {
      pollfd entry{1, POLLOUT, 0};
      if (!last && poll(&entry, 1, 0) <= 0) break;
      const std::size_t most = std::min<std::size_t>(unprinted_.size() - written, PIPE_BUF);
      const ssize_t n = write(1, unprinted_.data() + written, most);
      if (n < 0 && (errno == EINTR || errno == EAGAIN)) continue;
      if (n < 0) {
        written = unprinted_.size();  // nobody reads: the files are still there
        break;
      }
      written += static_cast<std::size_t>(n);
    }
    unprinted_.erase(0, written);
  }

  int exit_code() const {
    if (lost_noted_) return kExitPeer;
    if (run_code_ == kExitDone && signals_.cancel_asked()) return kExitCancelled;
    if (run_code_ != kExitDone) last_words("`run` ended with " + std::to_string(run_code_));
    return run_code_;
  }

  const PodSettings& settings_;
  Signals signals_;
  PodLog log_;
  std::string lost_path_;
  std::optional<PodRelay> relay_;
  Child run_;
  bool run_ended_ = false;
  int run_code_ = 0;
  bool asked_ = false;
  bool lost_noted_ = false;
  Nanoseconds next_print_ = 0;
  std::string unprinted_;
};

}  // namespace

int lead(const PodSettings& settings) {
  const auto allocation = parse_allocation(settings.allocation);
  if (!allocation) {
    last_words("the allocation: " + allocation.error().message);
    return kExitUsage;
  }
  auto signals = Signals::take();
  if (!signals) {
    last_words(signals.error().message);
    return kExitIo;
  }
  std::vector<std::string> attempts;
  for (const StepSpec& step : allocation->steps) attempts.push_back(step.attempt);
  return Leader(settings, std::move(*signals), attempts).lead();
}

}  // namespace kneepoint::agent
