// SPDX-License-Identifier: Apache-2.0
//
// Plain system calls; everything is opened O_CLOEXEC so that a workload inherits nothing.
#include "agents/agent/file.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace kneepoint::agent {

void File::reset() {
  if (fd_ >= 0) close(fd_);
  fd_ = -1;
}

std::string read_small(const std::string& path, std::size_t limit) {
  const File file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  std::string text;
  char buffer[16 * 1024];
  while (file.is_open() && text.size() < limit) {
    const ssize_t n = read(file.fd(), buffer, std::min(sizeof buffer, limit - text.size()));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;
    text.append(buffer, static_cast<std::size_t>(n));
  }
  return text;
}

void fill_standard_descriptors() {
  for (int fd = open("/dev/null", O_RDWR); fd >= 0; fd = dup(fd)) {
    if (fd > 2) {
      close(fd);
      return;
    }
  }
}

Result<void> write_all(const File& file, std::string_view bytes, const std::string& path) {
  while (!bytes.empty()) {
    const ssize_t n = write(file.fd(), bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return system_error("write " + path, errno);
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
  return {};
}

}  // namespace kneepoint::agent
