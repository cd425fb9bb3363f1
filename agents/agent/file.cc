// SPDX-License-Identifier: Apache-2.0
//
// Plain system calls; everything is opened O_CLOEXEC so that a workload inherits nothing.
#include "agents/agent/file.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "orchestrator/base/text.h"

namespace kneepoint::agent {

std::string read_small(const std::string& path, std::size_t limit) {
  const Fd file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  std::string text;
  char buffer[16 * 1024];
  while (file.is_open() && text.size() < limit) {
    const ssize_t n = read(file.get(), buffer, std::min(sizeof buffer, limit - text.size()));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;
    text.append(buffer, static_cast<std::size_t>(n));
  }
  return text;
}

std::string read_part(const Fd& file, std::size_t offset, std::size_t size) {
  std::string bytes(size, '\0');
  std::size_t have = 0;
  while (file.is_open() && have < size) {
    const ssize_t n =
        pread(file.get(), bytes.data() + have, size - have, static_cast<off_t>(offset + have));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;
    have += static_cast<std::size_t>(n);
  }
  bytes.resize(have);
  return bytes;
}

void fill_standard_descriptors() {
  for (int fd = open("/dev/null", O_RDWR); fd >= 0; fd = dup(fd)) {
    if (fd > 2) {
      close(fd);
      return;
    }
  }
}

Result<void> write_all(const Fd& file, std::string_view bytes, const std::string& path) {
  while (!bytes.empty()) {
    const ssize_t n = write(file.get(), bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return system_error("write " + path, errno);
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
  return {};
}

void write_out(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = write(fd, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return;
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
}

Result<Pipe> make_pipe(int flags) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC | flags) != 0) return system_error("pipe", errno);
  return Pipe{Fd(ends[0]), Fd(ends[1])};
}

// orchestrator/cli/places.cc has the same rule for `kneepoint` itself.

std::vector<std::string> places_of_part(const std::string& program, const std::string& name) {
  const std::size_t slash = program.rfind('/');
  if (slash == std::string::npos) return {};
  const std::string folder = program.substr(0, slash);
  const std::size_t above = folder.rfind('/');
  std::vector<std::string> places = {folder + "/" + name};
  if (above != std::string::npos) {
    places.push_back(folder.substr(0, above) + "/lib/kneepoint/" + name);
  }
  return places;
}

std::string find_part(const std::string& name) {
  for (const std::string& path : places_of_part(own_program(), name)) {
    if (access(path.c_str(), F_OK) == 0) return path;
  }
  return "";
}

}  // namespace kneepoint::agent
