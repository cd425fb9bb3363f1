// SPDX-License-Identifier: Apache-2.0
//
// What has arrived is read before silence is judged: an agent that was itself stopped for a while
// must not blame the others.
#include "agents/agent/pod/link.h"

#include <arpa/inet.h>
#include <arpa/nameser.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <resolv.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <limits>

namespace kneepoint::agent {
constexpr int kBlocksPerTurn = 16;

Link::Link(Fd socket, Channel channel, Nanoseconds now)
    : socket_(std::move(socket)),
      channel_(std::move(channel)),
      begun_(now),
      now_(now),
      heard_(now),
      told_(now) {}

void Link::watch(std::vector<pollfd>& entries) const {
  if (!socket_.is_open()) return;
  const bool unsent = channel_.has_unsent();
  entries.push_back({socket_.get(), static_cast<short>(unsent ? POLLIN | POLLOUT : POLLIN), 0});
}

void Link::close(const std::string& why) {
  if (!socket_.is_open()) return;
  socket_.reset();
  problem_ = why;
}

void Link::receive() {
  std::array<char, 32 * 1024> block;
  for (int i = 0; i < kBlocksPerTurn && !ended_; ++i) {
    const ssize_t n = recv(socket_.get(), block.data(), block.size(), MSG_DONTWAIT);
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
    const ssize_t n = ::send(socket_.get(), out.data(), out.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
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

// Names are asked of the name server by res_search in a process of its own: it may take many
// seconds, and the agent, which is linked statically, must not load the image's resolver plug-ins.

namespace {

constexpr Nanoseconds kFirstPause = 200 * kMillisecond;
constexpr Nanoseconds kLongestPause = 3 * kSecond;
constexpr Nanoseconds kConnectLimit = 5 * kSecond;
constexpr Nanoseconds kNever = std::numeric_limits<Nanoseconds>::max();

// The first address of this kind in the answer; "" if there is none.
std::string first_address(const std::string& name, int kind, int family) {
  std::array<unsigned char, 4096> answer{};
  const int length = res_search(name.c_str(), ns_c_in, kind, answer.data(), answer.size());
  ns_msg parsed{};
  if (length <= 0 || ns_initparse(answer.data(), length, &parsed) != 0) return "";
  for (int i = 0; i < ns_msg_count(parsed, ns_s_an); ++i) {
    ns_rr entry{};
    if (ns_parserr(&parsed, ns_s_an, i, &entry) != 0 || ns_rr_type(entry) != kind) continue;
    const std::size_t wanted = family == AF_INET ? 4 : 16;
    std::array<char, INET6_ADDRSTRLEN> text{};
    if (ns_rr_rdlen(entry) != wanted) continue;
    if (inet_ntop(family, ns_rr_rdata(entry), text.data(), text.size()) != nullptr) {
      return text.data();
    }
  }
  return "";
}

// A process that writes the address of `name` into the pipe, or nothing.
Fd ask_name_server(const std::string& name) {
  auto pipe = make_pipe(O_NONBLOCK);
  const pid_t pid = pipe ? fork() : -1;
  if (pid < 0) return Fd();
  if (pid == 0) {
    std::string found = first_address(name, ns_t_a, AF_INET);
    if (found.empty()) found = first_address(name, ns_t_aaaa, AF_INET6);
    (void)!write(pipe->write_end.get(), found.data(), found.size());
    _exit(0);
  }
  return std::move(pipe->read_end);
}

}  // namespace

std::optional<Address> numeric_address(const std::string& text, int port) {
  Address address;
  auto* four = reinterpret_cast<sockaddr_in*>(&address.storage);
  auto* six = reinterpret_cast<sockaddr_in6*>(&address.storage);
  const auto order = htons(static_cast<std::uint16_t>(port));
  if (inet_pton(AF_INET, text.c_str(), &four->sin_addr) == 1) {
    four->sin_family = AF_INET;
    four->sin_port = order;
    address.length = sizeof *four;
    return address;
  }
  if (inet_pton(AF_INET6, text.c_str(), &six->sin6_addr) == 1) {
    six->sin6_family = AF_INET6;
    six->sin6_port = order;
    address.length = sizeof *six;
    return address;
  }
  return {};
}

std::optional<Address> unix_address(const std::string& path) {
  Address address;
  auto* where = reinterpret_cast<sockaddr_un*>(&address.storage);
  if (path.empty() || path.size() >= sizeof where->sun_path) return {};
  where->sun_family = AF_UNIX;
  std::memcpy(where->sun_path, path.c_str(), path.size());
  address.length = sizeof *where;
  return address;
}

PodFinder::PodFinder(const PodSettings& settings, int index)
    : settings_(settings), index_(index), name_(settings.pod_name(index)), pause_(kFirstPause) {}

void PodFinder::watch(std::vector<pollfd>& entries) const {
  if (answer_.is_open()) entries.push_back({answer_.get(), POLLIN, 0});
  if (socket_.is_open()) entries.push_back({socket_.get(), POLLOUT, 0});
  if (link_) link_->watch(entries);
}

void PodFinder::again(const std::string& why, Nanoseconds now) {
  problem_ = why;
  answer_.reset();
  socket_.reset();
  link_.reset();
  wake_ = now + pause_;
  pause_ = std::min(2 * pause_, kLongestPause);
}

void PodFinder::begin(Nanoseconds now) {
  if (settings_.places.empty()) {
    answered_.clear();
    answer_ = ask_name_server(name_);
    wake_ = kNever;
    if (!answer_.is_open()) again(system_error("resolve", errno).message, now);
    return;
  }
  const std::string& place = settings_.places[static_cast<std::size_t>(index_ - 1)];
  const std::size_t colon = place.rfind(':');
  const auto address = numeric_address(
      place.substr(0, colon),
      colon == std::string::npos ? settings_.port : std::atoi(place.c_str() + colon + 1));
  if (!address) return again("'" + place + "' is no address", now);
  connect_to(*address, now);
}

void PodFinder::resolve(Nanoseconds now) {
  std::array<char, 256> block{};
  const ssize_t n = read(answer_.get(), block.data(), block.size());
  if (n < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (n > 0) {
    answered_.append(block.data(), static_cast<std::size_t>(n));
    return;
  }
  answer_.reset();
  const auto address = numeric_address(answered_, settings_.port);
  if (!address) return again("its name does not resolve", now);
  connect_to(*address, now);
}

void PodFinder::connect_to(const Address& address, Nanoseconds now) {
  socket_ = Fd(socket(address.storage.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!socket_.is_open() ||
      (connect(socket_.get(), address.get(), address.length) != 0 && errno != EINPROGRESS)) {
    return again(system_error("connect", errno).message, now);
  }
  deadline_ = wake_ = now + kConnectLimit;
}

void PodFinder::look_at_connection(Nanoseconds now) {
  pollfd entry{socket_.get(), POLLOUT, 0};
  if (poll(&entry, 1, 0) == 0) {
    if (now >= deadline_) again("connect: no answer", now);
    return;
  }
  int failure = 0;
  socklen_t size = sizeof failure;
  getsockopt(socket_.get(), SOL_SOCKET, SO_ERROR, &failure, &size);
  if (failure != 0) return again(std::string("connect: ") + std::strerror(failure), now);
  const int yes = 1;
  setsockopt(socket_.get(), IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
  link_.emplace(std::move(socket_), Channel(Channel::Side::leader, settings_.key, name_), now);
  socket_ = Fd();
  wake_ = now + kGreetingLimit;
}

void PodFinder::turn(Nanoseconds now) {
  if (!answer_.is_open() && !socket_.is_open() && !link_) {
    if (now < wake_) return;
    begin(now);
  }
  if (answer_.is_open()) resolve(now);
  if (socket_.is_open()) look_at_connection(now);
  if (!link_ || link_->is_open()) return;
  link_->turn(now);
  if (link_->is_closed()) again(link_->problem(), now);
}

std::optional<Link> PodFinder::take() {
  if (!link_ || !link_->is_open()) return {};
  return std::exchange(link_, std::nullopt);
}

}  // namespace kneepoint::agent
