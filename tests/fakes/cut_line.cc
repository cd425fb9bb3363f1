// SPDX-License-Identifier: Apache-2.0
//
// One thread that looks every few milliseconds: a cut side is simply not read. Blocking writes are
// no trouble, since both ends read what they are sent.
#include "tests/fakes/cut_line.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "orchestrator/base/ensure.h"

namespace kneepoint::testing_support {
namespace {

constexpr int kTurnMs = 10;

sockaddr_in loopback(int port) {
  sockaddr_in where{};
  where.sin_family = AF_INET;
  where.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  where.sin_port = htons(static_cast<std::uint16_t>(port));
  return where;
}

}  // namespace

HeldPort::HeldPort() : fd_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  const int yes = 1;
  ::setsockopt(fd_, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  sockaddr_in where = loopback(0);
  socklen_t size = sizeof where;
  ENSURE(::bind(fd_, reinterpret_cast<sockaddr*>(&where), size) == 0, "bind");
  ::getsockname(fd_, reinterpret_cast<sockaddr*>(&where), &size);
  number_ = ntohs(where.sin_port);
}

HeldPort::~HeldPort() {
  ::close(fd_);
}

CutLine::CutLine() : listener_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  sockaddr_in where = loopback(0);
  socklen_t size = sizeof where;
  ENSURE(::bind(listener_, reinterpret_cast<sockaddr*>(&where), size) == 0, "bind");
  ENSURE(::listen(listener_, 64) == 0, "listen");
  ::getsockname(listener_, reinterpret_cast<sockaddr*>(&where), &size);
  port_ = ntohs(where.sin_port);
  thread_ = std::thread([this] { run(); });
}

CutLine::~CutLine() {
  ending_ = true;
  thread_.join();
  for (const Pair& pair : pairs_) {
    ::close(pair.near);
    ::close(pair.far);
  }
  ::close(listener_);
}

void CutLine::accept_one() {
  const int near = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
  if (near < 0) return;
  const int far = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const sockaddr_in where = loopback(target_);
  if (::connect(far, reinterpret_cast<const sockaddr*>(&where), sizeof where) != 0) {
    ::close(near);
    ::close(far);
    return;
  }
  pairs_.push_back({near, far});
  ++connections_;
}

bool CutLine::pass(int from, int to) {
  std::array<char, 64 * 1024> block;
  const ssize_t n = ::recv(from, block.data(), block.size(), 0);
  if (n <= 0) return false;
  for (ssize_t at = 0; at < n;) {
    const ssize_t sent =
        ::send(to, block.data() + at, static_cast<std::size_t>(n - at), MSG_NOSIGNAL);
    if (sent <= 0) return false;
    at += sent;
  }
  return true;
}

void CutLine::run() {
  while (!ending_) {
    const Cut how = cut_;
    std::vector<pollfd> entries = {
        {target_ != 0 && how != Cut::all ? listener_ : -1, POLLIN, 0}};  // -1: not looked at
    for (const Pair& pair : pairs_) {
      entries.push_back({how == Cut::all ? -1 : pair.near, POLLIN, 0});
      entries.push_back({how == Cut::none ? pair.far : -1, POLLIN, 0});
    }
    if (::poll(entries.data(), entries.size(), kTurnMs) <= 0) continue;
    std::vector<std::size_t> ended;
    for (std::size_t i = 0; i < pairs_.size(); ++i) {
      const Pair& pair = pairs_[i];
      const bool good = (entries[1 + 2 * i].revents == 0 || pass(pair.near, pair.far)) &&
                        (entries[2 + 2 * i].revents == 0 || pass(pair.far, pair.near));
      if (good && how == Cut::answers && entries[1 + 2 * i].revents != 0) ++unanswered_;
      if (!good) ended.push_back(i);
    }
    for (auto i = ended.rbegin(); i != ended.rend(); ++i) {
      ::close(pairs_[*i].near);
      ::close(pairs_[*i].far);
      pairs_.erase(pairs_.begin() + static_cast<std::ptrdiff_t>(*i));
    }
    if (entries[0].revents != 0) accept_one();
  }
}

}  // namespace kneepoint::testing_support
