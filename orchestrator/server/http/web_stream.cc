// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/server/http/web_stream.h"

#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace kneepoint {

WebStream::WebStream(const TlsContext* context, int fd) : fd_(fd) {
  if (context != nullptr) tls_.emplace(*context, fd);
}

WebStream::~WebStream() {
  if (!tls_) ::close(fd_);
}

WebStream::Status WebStream::read(std::string& into, std::size_t most) {
  if (tls_) return tls_->read(into, most);
  const std::size_t before = into.size();
  into.resize(before + most);
  ssize_t n = 0;
  do {
    n = ::recv(fd_, into.data() + before, most, 0);
  } while (n < 0 && errno == EINTR);
  const int why = errno;
  into.resize(before + static_cast<std::size_t>(std::max<ssize_t>(n, 0)));
  if (n > 0) return Status::done;
  return n < 0 && (why == EAGAIN || why == EWOULDBLOCK) ? Status::want_read : Status::closed;
}

WebStream::Status WebStream::write(std::string_view& bytes) {
  if (tls_) return tls_->write(bytes);
  while (!bytes.empty()) {
    const ssize_t n = ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return Status::want_write;
    if (n <= 0) return Status::closed;
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
  return Status::done;
}

}  // namespace kneepoint
