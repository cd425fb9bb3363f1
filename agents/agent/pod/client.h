// SPDX-License-Identifier: Apache-2.0
//
// The way from a process of a step to the agent of pod 0: a socket in a folder of its user's.
#pragma once

#include <optional>

#include "agents/agent/file.h"
#include "agents/agent/pod/channel.h"
#include "orchestrator/base/clock.h"

namespace kneepoint::agent {

class PodClient {
 public:
  static Result<PodClient> open(const std::string& path);

  int fd() const { return socket_.get(); }
  bool is_open() const { return socket_.is_open(); }
  void close() { socket_.reset(); }  // takes the process along that it asked for
  void send(const Message& message);
  // Waits for bytes and takes them; the end of the connection shows as is_open() == false.
  void receive();
  std::optional<Message> next() { return reader_.next(); }

 private:
  Fd socket_;
  MessageReader reader_;
};

// Has every peer kill what the last step left behind there.
struct Cleaned {
  int killed = 0;
  bool gone = true;
};
Cleaned clean_peers(const std::string& path, Nanoseconds limit);

// The exit code of `kneepoint-agent exec HOST TEXT...`.
int exec_in_pod(const std::string& host, const std::string& text);

}  // namespace kneepoint::agent
