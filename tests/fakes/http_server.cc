// SPDX-License-Identifier: Apache-2.0
//
// A thread for each connection, answers one at a time; a pipe ends them wherever they wait.
#include "tests/fakes/http_server.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>

#include "orchestrator/base/ensure.h"

namespace kneepoint {
namespace {

// False: the server is to stop, or the connection is over.
bool readable(int fd, int stop) {
  pollfd both[2] = {{fd, POLLIN, 0}, {stop, POLLIN, 0}};
  return ::poll(both, 2, -1) > 0 && both[1].revents == 0;
}

bool read_more(int fd, int stop, std::string& text) {
  char buffer[16384];
  if (!readable(fd, stop)) return false;
  const ssize_t got = ::read(fd, buffer, sizeof buffer);
  if (got <= 0) return false;
  text.append(buffer, static_cast<std::size_t>(got));
  return true;
}

std::size_t body_length(const std::string& head) {
  const char* const found = ::strcasestr(head.c_str(), "\r\nContent-Length:");
  return found == nullptr ? 0 : std::strtoul(found + 17, nullptr, 10);
}

}  // namespace

FakeHttpServer::FakeHttpServer(Answer answer, const std::string& socket_path)
    : answer_(std::move(answer)), socket_path_(socket_path) {
  ENSURE(::pipe(stop_) == 0, "pipe");
  int bound = -1;
  if (socket_path_.empty()) {
    listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in here{};
    here.sin_family = AF_INET;
    here.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    bound = ::bind(listener_, reinterpret_cast<sockaddr*>(&here), sizeof here);
    socklen_t size = sizeof here;
    ::getsockname(listener_, reinterpret_cast<sockaddr*>(&here), &size);
    port_ = ntohs(here.sin_port);
  } else {
    listener_ = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_un here{};
    here.sun_family = AF_UNIX;
    socket_path_.copy(here.sun_path, sizeof here.sun_path - 1);
    bound = ::bind(listener_, reinterpret_cast<sockaddr*>(&here), sizeof here);
  }
  ENSURE(listener_ >= 0 && bound == 0 && ::listen(listener_, 16) == 0, "no socket to listen on");
  thread_ = std::thread([this] { serve(); });
}

FakeHttpServer::~FakeHttpServer() {
  static_cast<void>(!::write(stop_[1], "x", 1));
  thread_.join();
  for (const int fd : {listener_, stop_[0], stop_[1]}) ::close(fd);
}

std::string FakeHttpServer::url() const {
  if (!socket_path_.empty()) return "unix:" + socket_path_;
  return "http://127.0.0.1:" + std::to_string(port_);
}

std::vector<FakeHttpRequest> FakeHttpServer::requests() const {
  const std::lock_guard lock(mutex_);
  return requests_;
}

int FakeHttpServer::connections() const {
  const std::lock_guard lock(mutex_);
  return connections_;
}

void FakeHttpServer::serve() {
  while (readable(listener_, stop_[0])) {
    const int connection = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (connection < 0) continue;
    {
      const std::lock_guard lock(mutex_);
      ++connections_;
    }
    talks_.emplace_back([this, connection] {
      talk(connection);
      ::close(connection);
    });
  }
  for (std::thread& one : talks_) one.join();
}

void FakeHttpServer::talk(int connection) {
  std::string text;
  for (;;) {
    std::size_t end = 0;
    while ((end = text.find("\r\n\r\n")) == std::string::npos) {
      if (!read_more(connection, stop_[0], text)) return;
    }
    FakeHttpRequest request;
    request.head = text.substr(0, end + 2);
    const std::size_t length = body_length(request.head);
    while (text.size() < end + 4 + length) {
      if (!read_more(connection, stop_[0], text)) return;
    }
    request.body = text.substr(end + 4, length);
    text.erase(0, end + 4 + length);
    const std::size_t first = request.head.find(' ');
    request.method = request.head.substr(0, first);
    request.path = request.head.substr(first + 1, request.head.find(' ', first + 1) - first - 1);
    {
      const std::lock_guard lock(mutex_);
      requests_.push_back(request);
    }
    std::string answer;
    {
      const std::lock_guard lock(answering_);
      answer = answer_(request);
    }
    if (answer.empty()) return;
    for (std::size_t done = 0; done < answer.size();) {
      const ssize_t sent =
          ::send(connection, answer.data() + done, answer.size() - done, MSG_NOSIGNAL);
      if (sent <= 0) return;
      done += static_cast<std::size_t>(sent);
    }
    if (answer.find("Connection: close") != std::string::npos) return;
  }
}

std::string FakeHttpServer::reply(int status, const std::string& body, const std::string& type) {
  return "HTTP/1.1 " + std::to_string(status) + " x\r\nContent-Type: " + type +
         "\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

}  // namespace kneepoint
