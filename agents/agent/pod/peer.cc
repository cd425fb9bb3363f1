// SPDX-License-Identifier: Apache-2.0
//
// A peer: waits for the one who knows the key, then serves only that one. Strangers get a few
// seconds and a small greeting each; the oldest of them makes room for the next. Without its leader
// a peer has no reason to live: it ends all it has started, and itself.
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <deque>
#include <map>

#include "agents/agent/agent.h"
#include "agents/agent/pod/link.h"
#include "agents/agent/pod/pod.h"
#include "agents/agent/supervise/child.h"

namespace kneepoint::agent {
namespace {

constexpr std::size_t kMostProcesses = 4096;
constexpr std::size_t kMostStrangers = 32;
constexpr int kTurnMs = 500;
constexpr Nanoseconds kStay = 15 * kSecond;          // of the 20 s that the Job's pods have
constexpr Nanoseconds kCleaningLimit = 3 * kSecond;  // the leader hears nothing meanwhile

// What a peer has started for the leader. Output is read only as far as the leader has room for it,
// so that a flood waits in the process that makes it. An end is told when the process is reaped and
// its pipes are empty; a daemon that holds them open does not delay it.
class PodProcesses {
 public:
  void watch(std::vector<pollfd>& entries) const {
    for (const auto& [id, process] : processes_) {
      if (process.window > 0) process.child.watch(entries);
    }
  }

  // Reaps, and sends output and ends.
  void turn(Link& link) {
    reap();
    for (auto entry = processes_.begin(); entry != processes_.end();) {
      auto& [id, process] = *entry;
      while (pass_on(id, process, process.child.out, 1, link)) {
      }
      while (pass_on(id, process, process.child.err, 2, link)) {
      }
      if (process.ended && process.window > 0) {
        link.send(message_about('X', id, encoded(end_of(process.wait_status))));
        entry = processes_.erase(entry);
      } else {
        ++entry;
      }
    }
  }

  // One of the leader's messages about a process: R, K, W.
  void handle(const Message& message, Link& link) {
    std::string_view rest = message.payload;
    const std::uint32_t id = take_u32(rest);
    if (message.type == 'R') return start(id, rest, link);
    const auto found = processes_.find(id);
    if (found == processes_.end()) return;  // it has ended, and its end is on the way
    Process& process = found->second;
    if (message.type == 'W') {
      process.window = std::min(kWindow, process.window + std::min(take_u32(rest), kWindow));
    } else if (message.type == 'K' && !rest.empty() && !process.ended) {
      signal_group(process.child.pid, static_cast<unsigned char>(rest[0]));
    }
  }

  // Ends everything that was started and all they left behind.
  Leftovers kill_all(Nanoseconds limit) {
    reap();
    for (auto& [id, process] : processes_) {
      if (process.ended) continue;
      kill(-process.child.pid, SIGKILL);
      process.ended = true;
      process.wait_status = SIGKILL;
    }
    return kill_leftovers(0, limit);
  }

 private:
  struct Process {
    Child child;
    std::uint32_t window = kWindow;
    bool ended = false;
    int wait_status = 0;
  };

  void start(std::uint32_t id, std::string_view text, Link& link) {
    const auto refuse = [&](const std::string& why) {
      link.send(message_about('X', id, encoded(ProcessEnd{ProcessEnd::Kind::not_started, 0, why})));
    };
    if (processes_.size() >= kMostProcesses) return refuse("too many processes");
    if (processes_.contains(id)) return;
    auto child = start_child({"/bin/sh", "-c", std::string(text)}, {});
    if (!child) return refuse(child.error().message);
    processes_[id].child = std::move(*child);
  }

  // False: nothing more can be read now.
  static bool pass_on(std::uint32_t id, Process& process, Fd& pipe, char stream, Link& link) {
    if (!pipe.is_open() || process.window == 0) return false;
    std::array<char, kMostOutput> block;
    const std::size_t most = std::min<std::size_t>(block.size(), process.window);
    const ssize_t n = read_some(pipe.get(), block.data(), most);
    if (n < 0 && errno == EAGAIN) return false;
    if (n <= 0) return pipe.reset(), false;
    process.window -= static_cast<std::uint32_t>(n);
    link.send(message_about(
        'O', id, std::string(1, stream) + std::string(block.data(), static_cast<std::size_t>(n))));
    return true;
  }

  void reap() {
    while (const auto child = reap_child()) {
      for (auto& [id, process] : processes_) {
        if (process.child.pid != child->pid || process.ended) continue;
        process.ended = true;
        process.wait_status = child->status;
      }
    }
  }

  std::map<std::uint32_t, Process> processes_;
};

Result<Fd> listen_on(int port) {
  for (const int family : {AF_INET6, AF_INET}) {  // the first takes both, where there is one
    Fd file(socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (!file.is_open()) continue;
    const int yes = 1;
    const int no = 0;
    setsockopt(file.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    const auto any = numeric_address(family == AF_INET6 ? "::" : "0.0.0.0", port);
    if (family == AF_INET6) setsockopt(file.get(), IPPROTO_IPV6, IPV6_V6ONLY, &no, sizeof no);
    if (bind(file.get(), any->get(), any->length) == 0 && listen(file.get(), 64) == 0) return file;
  }
  return system_error("listen on port " + std::to_string(port), errno);
}

class Peer {
 public:
  Peer(const PodSettings& settings, Signals signals, Fd listener)
      : settings_(settings), signals_(std::move(signals)), listener_(std::move(listener)) {}

  int run() {
    for (;;) {
      wait();
      signals_.read_pending();
      const Nanoseconds now = system_clock().steady();
      if (signals_.cancel_asked() && !may_stay(now)) return end(kExitCancelled);
      if (!leader_) {
        greet(now);
        continue;
      }
      leader_->turn(now);
      if (!serve()) return end(signals_.cancel_asked() ? kExitCancelled : kExitDone);
      processes_.turn(*leader_);
      leader_->turn(now);
      if (leader_->is_closed()) {
        last_words("the leader, " + settings_.pod_name(0) + ", is gone: " + leader_->problem());
        return end(kExitPeer);
      }
    }
  }

 private:
  // Asked to end, the peer tells its leader, who knows whether all are to end or this pod alone.
  bool may_stay(Nanoseconds now) {
    if (!leader_) return false;
    if (told_at_ == 0) {
      told_at_ = now;
      leader_->send({'T', ""});
    }
    return now - told_at_ < kStay;
  }

  void wait() {
    std::vector<pollfd> entries = {{signals_.fd(), POLLIN, 0}};
    if (leader_) {
      leader_->watch(entries);
      processes_.watch(entries);
    } else {
      entries.push_back({listener_.get(), POLLIN, 0});
      for (const Link& stranger : strangers_) stranger.watch(entries);
    }
    poll(entries.data(), entries.size(), kTurnMs);
  }

  void greet(Nanoseconds now) {
    for (;;) {
      Fd file(accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
      if (!file.is_open()) break;
      const int yes = 1;
      setsockopt(file.get(), IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
      if (strangers_.size() >= kMostStrangers) strangers_.pop_front();
      strangers_.emplace_back(
          std::move(file), Channel(Channel::Side::peer, settings_.key, settings_.own_name()), now);
    }
    for (Link& stranger : strangers_) {
      stranger.turn(now);
      if (stranger.is_open()) {
        leader_.emplace(std::move(stranger));
        strangers_.clear();
        listener_.reset();
        return;
      }
    }
    std::erase_if(strangers_, [](const Link& stranger) { return stranger.is_closed(); });
  }

  // False: the leader said goodbye.
  bool serve() {
    while (const auto message = leader_->next()) {
      if (message->type == 'G') return false;
      if (message->type != 'C') {
        processes_.handle(*message, *leader_);
        continue;
      }
      leader_->send(message_of(processes_.kill_all(kCleaningLimit)));
    }
    return true;
  }

  int end(int code) {
    processes_.kill_all(kCleaningLimit);
    return code;
  }

  const PodSettings& settings_;
  Signals signals_;
  Fd listener_;
  std::deque<Link> strangers_;
  std::optional<Link> leader_;
  PodProcesses processes_;
  Nanoseconds told_at_ = 0;
};

}  // namespace

int follow(const PodSettings& settings) {
  auto signals = Signals::take();
  auto listener = listen_on(settings.port);
  for (const Error* error :
       {signals ? nullptr : &signals.error(), listener ? nullptr : &listener.error()}) {
    if (error == nullptr) continue;
    last_words(error->message);
    return kExitIo;
  }
  return Peer(settings, std::move(*signals), std::move(*listener)).run();
}

}  // namespace kneepoint::agent
