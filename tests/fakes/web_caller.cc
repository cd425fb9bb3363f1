// SPDX-License-Identifier: Apache-2.0
#include "tests/fakes/web_caller.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <utility>

namespace kneepoint::testing_support {

std::string WebResponse::header(const std::string& name) const {
  const std::string opening = "\r\n" + name + ": ";
  const std::size_t at = head.find(opening);
  if (at == std::string::npos) return "";
  const std::size_t begin = at + opening.size();
  return head.substr(begin, head.find("\r\n", begin) - begin);
}

WebCaller::WebCaller(int port) : fd_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const timeval limit{20, 0};  // a test that hangs ends
  ::setsockopt(fd_, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  ::setsockopt(fd_, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
  if (::connect(fd_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    ::close(fd_);
    fd_ = -1;
  }
}

WebCaller::~WebCaller() {
  if (fd_ >= 0) ::close(fd_);
}

bool WebCaller::send(const std::string& bytes) {
  std::size_t sent = 0;
  while (sent < bytes.size()) {
    const ssize_t n = ::send(fd_, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
    if (n <= 0) return false;
    sent += static_cast<std::size_t>(n);
  }
  return true;
}

bool WebCaller::read_some() {
  char buffer[16384];
  const ssize_t n = ::recv(fd_, buffer, sizeof buffer, 0);
  if (n <= 0) return false;
  rest_.append(buffer, static_cast<std::size_t>(n));
  return true;
}

std::string WebCaller::read_until(const std::string& text) {
  for (;;) {
    const std::size_t at = rest_.find(text);
    if (at != std::string::npos) {
      std::string taken = rest_.substr(0, at + text.size());
      rest_.erase(0, at + text.size());
      return taken;
    }
    if (!read_some()) return std::exchange(rest_, {});
  }
}

bool WebCaller::is_closed() {
  return rest_.empty() && !read_some();
}

WebResponse WebCaller::answer() {
  WebResponse response;
  response.head = read_until("\r\n\r\n");
  if (!response.head.starts_with("HTTP/1.1 ")) return {};
  response.status = std::atoi(response.head.c_str() + 9);
  const std::string length = response.header("Content-Length");
  const auto wanted = static_cast<std::size_t>(std::atol(length.c_str()));
  while (rest_.size() < wanted && read_some()) {
  }
  response.body = rest_.substr(0, wanted);
  rest_.erase(0, response.body.size());
  return response;
}

std::string WebCaller::request(const std::string& method, const std::string& path,
                               const std::string& token, const std::string& body) {
  std::string text = method + " " + path + " HTTP/1.1\r\nHost: 127.0.0.1:1\r\n";
  if (!token.empty()) text += "Authorization: Bearer " + token + "\r\n";
  if (!body.empty()) text += "Content-Length: " + std::to_string(body.size()) + "\r\n";
  return text + "\r\n" + body;
}

WebResponse WebCaller::ask(const std::string& method, const std::string& path,
                           const std::string& token, const std::string& body) {
  if (!send(request(method, path, token, body))) return {};
  WebResponse response;
  if (method != "HEAD") return answer();
  response.head = read_until("\r\n\r\n");
  response.status = std::atoi(response.head.c_str() + 9);
  return response;
}

}  // namespace kneepoint::testing_support
