// SPDX-License-Identifier: Apache-2.0
//
// What has arrived is read before silence is judged: an agent that was itself stopped for a while
// must not blame the others.
#include "agents/agent/pod/link.h"

#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstring>

namespace kneepoint::agent {
namespace {

constexpr int kBlocksPerTurn = 16;

}  // namespace

Link::Link(File socket, Channel channel, Nanoseconds now)
    : socket_(std::move(socket)),
      channel_(std::move(channel)),
      begun_(now),
      now_(now),
      heard_(now),
      told_(now) {}

void Link::watch(std::vector<pollfd>& entries) const {
  if (!socket_.is_open()) return;
  const bool unsent = channel_.has_unsent();
  entries.push_back({socket_.fd(), static_cast<short>(unsent ? POLLIN | POLLOUT : POLLIN), 0});
}

void Link::close(const std::string& why) {
  if (!socket_.is_open()) return;
  socket_.reset();
  problem_ = why;
}

void Link::receive() {
  std::array<char, 32 * 1024> block;
  for (int i = 0; i < kBlocksPerTurn && !ended_; ++i) {
    const ssize_t n = recv(socket_.fd(), block.data(), block.size(), MSG_DONTWAIT);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && errno == EAGAIN) return;
    if (n < 0) return close(std::string("the connection broke: ") + std::strerror(errno));
    if (n == 0) {
      ended_ = true;
      return;
    }
    channel_.take(std::string_view(block.data(), static_cast<std::size_t>(n)));
    if (channel_.has_failed()) return close(channel_.problem());
  }
}

void Link::write_out() {
  std::string& out = channel_.to_send();
  while (!out.empty()) {
    const ssize_t n = ::send(socket_.fd(), out.data(), out.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && errno == EAGAIN) return;
    if (n < 0) return close(std::string("the connection broke: ") + std::strerror(errno));
    out.erase(0, static_cast<std::size_t>(n));
  }
}

void Link::turn(Nanoseconds now) {
  now_ = now;
  if (!socket_.is_open()) return;
  receive();
  if (!socket_.is_open()) return;
  if (!channel_.is_open()) {
    if (ended_) return close("the connection was closed");
    if (now - begun_ > kGreetingLimit) return close("no greeting within 5 s");
    heard_ = now;
  } else if (now - told_ >= kSignOfLife) {
    send({'H', ""});
  }
  write_out();
}

std::optional<Message> Link::next() {
  while (socket_.is_open()) {
    auto message = channel_.next();
    if (channel_.has_failed()) {
      close(channel_.problem());
      return {};
    }
    if (!message) break;
    heard_ = now_;
    if (message->type != 'H') return message;
  }
  if (!is_open()) return {};
  if (ended_) {
    close("the connection was closed");
  } else if (now_ - heard_ > kSilence) {
    close("no sign of life for " + to_duration_text(kSilence));
  }
  return {};
}

void Link::send(const Message& message) {
  if (!is_open()) return;
  channel_.send(message);
  told_ = now_;
}

}  // namespace kneepoint::agent
