// SPDX-License-Identifier: Apache-2.0
//
// The way from a process of a step to the agent of pod 0: a socket in a folder of its user's.
// `exec` is what mpirun and `spread` start ranks in other pods with, in place of ssh: output,
// signals and the end go through it.
#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "agents/agent/file.h"
#include "agents/agent/pod/link.h"
#include "agents/agent/pod/pod.h"
#include "agents/agent/run_folder.h"
#include "orchestrator/base/text.h"

namespace kneepoint::agent {
namespace {

constexpr int kExitLost = 255;  // as ssh says it

int complain(const std::string& host, const std::string& text) {
  std::fprintf(stderr, "kneepoint-agent exec: %s: %s\n", host.c_str(), text.c_str());
  return kExitLost;
}

// SIGTERM, SIGINT and SIGHUP as a descriptor.
Fd take_signals() {
  sigset_t set;
  sigemptyset(&set);
  for (const int number : {SIGTERM, SIGINT, SIGHUP}) sigaddset(&set, number);
  sigprocmask(SIG_BLOCK, &set, nullptr);
  return Fd(signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
}

// The exit code when the message was the end.
std::optional<int> take_in(const Message& message, const std::string& host) {
  const std::string_view payload = message.payload;
  if (message.type == 'O' && !payload.empty()) {
    write_out(payload[0] == 2 ? 2 : 1, payload.substr(1));
  }
  if (message.type != 'X') return {};
  const ProcessEnd end = decoded_end(payload);
  if (!end.text.empty()) complain(host, end.text);
  return end.exit_code();
}

class PodClient {
 public:
  static Result<PodClient> open(const std::string& path) {
    const auto address = unix_address(path);
    if (!address) {
      return Error{ErrorCode::invalid, std::string(kLinkVariable) + " names no socket", false};
    }
    PodClient client;
    client.socket_ = Fd(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    if (connect(client.socket_.get(), address->get(), address->length) != 0) {
      return system_error("connect to the agent of pod 0 at " + path, errno);
    }
    return client;
  }

  int fd() const { return socket_.get(); }
  bool is_open() const { return socket_.is_open(); }
  void send(const Message& message) {
    const std::string text = encoded(message);
    for (std::size_t at = 0; at < text.size() && socket_.is_open();) {
      const ssize_t n = ::send(socket_.get(), text.data() + at, text.size() - at, MSG_NOSIGNAL);
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) return;  // reading will tell
      at += static_cast<std::size_t>(n);
    }
  }
  // Waits for bytes and takes them; the end of the connection shows as is_open() == false.
  void receive() {
    std::array<char, 64 * 1024> block;
    const ssize_t n = read_some(socket_.get(), block.data(), block.size());
    if (n <= 0) return socket_.reset();
    reader_.take(std::string_view(block.data(), static_cast<std::size_t>(n)));
  }
  std::optional<Message> next() { return reader_.next(); }

 private:
  Fd socket_;
  MessageReader reader_;
};

}  // namespace

Leftovers clean_peers(const std::string& path, Nanoseconds limit) {
  auto client = PodClient::open(path);
  if (!client) return {};
  const Nanoseconds deadline = system_clock().steady() + limit;
  client->send({'C', ""});
  while (client->is_open()) {
    if (const auto message = client->next(); message && message->type == 'c') {
      return decoded_leftovers(message->payload);
    }
    if (!wait_readable(client->fd(), deadline)) break;
    client->receive();
  }
  return {0, false};
}

int exec_in_pod(const std::string& host, const std::string& text) {
  if (pod_index(host, environment_variable(kJobVariable)) == 0) {  // this very pod
    execl("/bin/sh", "sh", "-c", text.c_str(), nullptr);
    return complain(host, std::string("/bin/sh: ") + std::strerror(errno));
  }
  const Fd signals = take_signals();
  auto client = PodClient::open(environment_variable(kLinkVariable));
  if (!client) return complain(host, client.error().message);
  client->send({'R', host + '\0' + prepare_folder_text() + text});
  while (client->is_open()) {
    while (const auto message = client->next()) {
      if (const auto code = take_in(*message, host)) return *code;
    }
    std::array<pollfd, 2> entries = {{{client->fd(), POLLIN, 0}, {signals.get(), POLLIN, 0}}};
    poll(entries.data(), entries.size(), -1);
    signalfd_siginfo info{};
    while (read(signals.get(), &info, sizeof info) == static_cast<ssize_t>(sizeof info)) {
      client->send({'K', std::string(1, static_cast<char>(info.ssi_signo))});
    }
    if (entries[0].revents != 0) client->receive();
  }
  return complain(host, "the agent of pod 0 is gone");
}

}  // namespace kneepoint::agent
