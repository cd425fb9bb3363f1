// SPDX-License-Identifier: Apache-2.0
//
// Finding one peer: resolve its name, connect, greet; when any of that fails, again after a while.
// Pods start in any order, and a name is there only some time after its pod.
#pragma once

#include <sys/socket.h>

#include <optional>

#include "agents/agent/pod/link.h"
#include "agents/agent/pod/settings.h"

namespace kneepoint::agent {

struct Address {
  sockaddr_storage storage{};
  socklen_t length = 0;
};

// "10.1.2.3", "fd00::1"; no names.
std::optional<Address> numeric_address(const std::string& text, int port);

class PodFinder {
 public:
  PodFinder(const PodSettings& settings, int index);

  void watch(std::vector<pollfd>& entries) const;
  Nanoseconds wake() const { return wake_; }  // when to turn though nothing happened
  void turn(Nanoseconds now);
  // The open link, once there is one.
  std::optional<Link> take();
  bool is_found() const { return link_ && link_->is_open(); }
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
  File answer_;  // of the process that resolves
  std::string answered_;
  File socket_;  // connecting
  std::optional<Link> link_;
  Nanoseconds wake_ = 0;
  Nanoseconds deadline_ = 0;  // of the connecting
  Nanoseconds pause_;
  std::string problem_ = "not looked for yet";
};

}  // namespace kneepoint::agent
