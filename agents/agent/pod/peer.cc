// SPDX-License-Identifier: Apache-2.0
//
// A peer: waits for the one who knows the key, then serves only that one. Strangers get a few
// seconds and a small greeting each; the oldest of them makes room for the next. Without its leader
// a peer has no reason to live: it ends all it has started, and itself.
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <deque>

#include "agents/agent/agent.h"
#include "agents/agent/pod/pod.h"
#include "agents/agent/pod/process.h"
#include "agents/agent/supervise/signals.h"

namespace kneepoint::agent {
namespace {

constexpr std::size_t kMostStrangers = 32;
constexpr int kTurnMs = 500;
constexpr Nanoseconds kStay = 15 * kSecond;          // of the 20 s that the Job's pods have
constexpr Nanoseconds kCleaningLimit = 3 * kSecond;  // the leader hears nothing meanwhile

Result<File> listen_on(int port) {
  for (const int family : {AF_INET6, AF_INET}) {  // the first takes both, where there is one
    File file(socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (!file.is_open()) continue;
    const int yes = 1;
    const int no = 0;
    setsockopt(file.fd(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    sockaddr_in6 six{};
    sockaddr_in four{};
    six.sin6_family = AF_INET6;
    four.sin_family = AF_INET;
    six.sin6_port = four.sin_port = htons(static_cast<std::uint16_t>(port));
    if (family == AF_INET6) setsockopt(file.fd(), IPPROTO_IPV6, IPV6_V6ONLY, &no, sizeof no);
    const auto* where = family == AF_INET6 ? reinterpret_cast<const sockaddr*>(&six)
                                           : reinterpret_cast<const sockaddr*>(&four);
    const socklen_t size = family == AF_INET6 ? sizeof six : sizeof four;
    if (bind(file.fd(), where, size) == 0 && listen(file.fd(), 64) == 0) return file;
  }
  return system_error("listen on port " + std::to_string(port), errno);
}

class Peer {
 public:
  Peer(const PodSettings& settings, Signals signals, File listener)
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
      entries.push_back({listener_.fd(), POLLIN, 0});
      for (const Link& stranger : strangers_) stranger.watch(entries);
    }
    poll(entries.data(), entries.size(), kTurnMs);
  }

  void greet(Nanoseconds now) {
    for (;;) {
      File file(accept4(listener_.fd(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
      if (!file.is_open()) break;
      const int yes = 1;
      setsockopt(file.fd(), IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
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
      const Leftovers left = processes_.kill_all(kCleaningLimit);
      std::string answer;
      put_u32(answer, static_cast<std::uint32_t>(left.killed));
      leader_->send({'c', answer + (left.gone ? '\1' : '\0')});
    }
    return true;
  }

  int end(int code) {
    processes_.kill_all(kCleaningLimit);
    return code;
  }

  const PodSettings& settings_;
  Signals signals_;
  File listener_;
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
