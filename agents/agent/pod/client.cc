// SPDX-License-Identifier: Apache-2.0
//
// `exec` is what mpirun calls in place of ssh: output, signals and the end go through it.
#include "agents/agent/pod/client.h"

#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

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

}  // namespace

Result<PodClient> PodClient::open(const std::string& path) {
  sockaddr_un where{};
  where.sun_family = AF_UNIX;
  if (path.empty() || path.size() >= sizeof where.sun_path) {
    return Error{ErrorCode::invalid, std::string(kLinkVariable) + " names no socket", false};
  }
  std::memcpy(where.sun_path, path.c_str(), path.size());
  PodClient client;
  client.socket_ = Fd(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (connect(client.socket_.get(), reinterpret_cast<sockaddr*>(&where), sizeof where) != 0) {
    return system_error("connect to the agent of pod 0 at " + path, errno);
  }
  return client;
}

void PodClient::send(const Message& message) {
  const std::string text = encoded(message);
  for (std::size_t at = 0; at < text.size() && socket_.is_open();) {
    const ssize_t n = ::send(socket_.get(), text.data() + at, text.size() - at, MSG_NOSIGNAL);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return;  // reading will tell
    at += static_cast<std::size_t>(n);
  }
}

void PodClient::receive() {
  std::array<char, 64 * 1024> block;
  const ssize_t n = recv(socket_.get(), block.data(), block.size(), 0);
  if (n < 0 && (errno == EINTR || errno == EAGAIN)) return;
  if (n <= 0) return socket_.reset();
  reader_.take(std::string_view(block.data(), static_cast<std::size_t>(n)));
}

Cleaned clean_peers(const std::string& path, Nanoseconds limit) {
  Cleaned cleaned;
  auto client = PodClient::open(path);
  if (!client) return cleaned;
  const Nanoseconds deadline = system_clock().steady() + limit;
  client->send({'C', ""});
  while (client->is_open()) {
    if (const auto message = client->next(); message && message->type == 'c') {
      std::string_view rest = message->payload;
      cleaned.killed = static_cast<int>(take_u32(rest));
      cleaned.gone = rest.empty() || rest[0] != 0;
      return cleaned;
    }
    const Nanoseconds left = deadline - system_clock().steady();
    pollfd entry{client->fd(), POLLIN, 0};
    if (left <= 0 || poll(&entry, 1, static_cast<int>(left / kMillisecond) + 1) == 0) break;
    client->receive();
  }
  cleaned.gone = false;
  return cleaned;
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
