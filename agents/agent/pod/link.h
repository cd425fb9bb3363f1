// SPDX-License-Identifier: Apache-2.0
//
// A connection to another pod: a channel on a socket, and the clock. Both sides send a sign of life
// every two seconds; a side that was silent for too long is gone, though no one said so (a node
// without power closes no connection).
#pragma once

#include <poll.h>

#include <vector>

#include "agents/agent/file.h"
#include "agents/agent/pod/channel.h"
#include "orchestrator/base/clock.h"

namespace kneepoint::agent {

constexpr Nanoseconds kSignOfLife = 2 * kSecond;
constexpr Nanoseconds kSilence = 8 * kSecond;
constexpr Nanoseconds kGreetingLimit = 5 * kSecond;

class Link {
 public:
  // `socket` is non-blocking and connected.
  Link(File socket, Channel channel, Nanoseconds now);

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

  File socket_;
  Channel channel_;
  std::string problem_;
  Nanoseconds begun_;
  Nanoseconds now_;
  Nanoseconds heard_;
  Nanoseconds told_;
  bool ended_ = false;  // the other side will say no more
};

}  // namespace kneepoint::agent
