// SPDX-License-Identifier: Apache-2.0
//
// A connection to another pod: a channel on a socket, and the clock. Both sides send a sign of life
// every two seconds; a side that was silent for too long is gone, though no one said so (a node
// without power closes no connection).
#pragma once

#include <poll.h>
#include <sys/socket.h>

#include <optional>
#include <vector>

#include "agents/agent/file.h"
#include "agents/agent/pod/channel.h"
#include "agents/agent/pod/pod.h"
#include "orchestrator/base/clock.h"

namespace kneepoint::agent {

constexpr Nanoseconds kSignOfLife = 2 * kSecond;
constexpr Nanoseconds kSilence = 8 * kSecond;
constexpr Nanoseconds kGreetingLimit = 5 * kSecond;

class Link {
 public:
  // `socket` is non-blocking and connected.
  Link(Fd socket, Channel channel, Nanoseconds now);

  void watch(std::vector<pollfd>& entries) const;
  // Reads and writes what can be without waiting, and looks at the clock.
  void turn(Nanoseconds now);
  std::optional<Message> next();
  void send(const Message& message);
  void close(const std::string& why);

  bool is_open() const { return socket_.is_open() && channel_.is_open(); }
  bool is_closed() const { return !socket_.is_open(); }
  const std::string& problem() const { return problem_; }  // why it is closed

 private:
  void receive();
  void write_out();

  Fd socket_;
  Channel channel_;
  std::string problem_;
  Nanoseconds begun_;
  Nanoseconds now_;
  Nanoseconds heard_;
  Nanoseconds told_;
  bool ended_ = false;  // the other side will say no more
};

// Finding one peer: resolve its name, connect, greet; when any of that fails, again after a while.
// Pods start in any order, and a name is there only some time after its pod.
struct Address {
  sockaddr_storage storage{};
  socklen_t length = 0;
  const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&storage); }
};

// "10.1.2.3", "fd00::1"; no names.
std::optional<Address> numeric_address(const std::string& text, int port);
// Of a socket in the file system; nothing if the path is empty or too long.
std::optional<Address> unix_address(const std::string& path);

class PodFinder {
 public:
  PodFinder(const PodSettings& settings, int index);

  void watch(std::vector<pollfd>& entries) const;
  void turn(Nanoseconds now);
  // The open link, once there is one.
  std::optional<Link> take();
  const std::string& problem() const { return problem_; }  // of the last try

 private:
  void begin(Nanoseconds now);
  void resolve(Nanoseconds now);
  void connect_to(const Address& address, Nanoseconds now);
  void look_at_connection(Nanoseconds now);
  void again(const std::string& why, Nanoseconds now);

  const PodSettings& settings_;
  int index_;
  std::string name_;
  Fd answer_;  // of the process that resolves
  std::string answered_;
  Fd socket_;  // connecting
  std::optional<Link> link_;
  Nanoseconds wake_ = 0;
  Nanoseconds deadline_ = 0;  // of the connecting
  Nanoseconds pause_;
  std::string problem_ = "not looked for yet";
};

}  // namespace kneepoint::agent
