// SPDX-License-Identifier: Apache-2.0
//
// Plain system calls; everything is opened O_CLOEXEC so that a workload inherits nothing.
#include "agents/agent/file.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>

#include "orchestrator/base/text.h"

namespace kneepoint::agent {

std::string read_small(const std::string& path, std::size_t limit) {
  const Fd file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  std::string text;
  char buffer[16 * 1024];
  while (file.is_open() && text.size() < limit) {
    const ssize_t n = read_some(file.get(), buffer, std::min(sizeof buffer, limit - text.size()));
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

ssize_t read_some(int fd, char* to, std::size_t size) {
  for (;;) {
    const ssize_t n = read(fd, to, size);
    if (n >= 0 || errno != EINTR) return n;
  }
}

bool wait_readable(int fd, Nanoseconds deadline) {
  for (;;) {
    const Nanoseconds left = deadline - system_clock().steady();
    if (left <= 0) return false;
    pollfd entry{fd, POLLIN, 0};
    if (poll(&entry, 1, static_cast<int>(left / kMillisecond) + 1) > 0) return true;
  }
}

bool read_until(int fd, Nanoseconds deadline, std::size_t most, std::string& text) {
  char buffer[4096];
  while (text.size() < most) {
    if (!wait_readable(fd, deadline)) return false;
    const ssize_t n = read_some(fd, buffer, sizeof buffer);
    if (n < 0 && errno == EAGAIN) continue;
    if (n <= 0) break;
    text.append(buffer, static_cast<std::size_t>(n));
  }
  return true;
}

void fill_standard_descriptors() {
  for (int fd = open("/dev/null", O_RDWR); fd >= 0; fd = dup(fd)) {
    if (fd > 2) {
      close(fd);
      return;
    }
  }
}

Result<void> write_all(int fd, std::string_view bytes, const std::string& path) {
  while (!bytes.empty()) {
    const ssize_t n = write(fd, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return system_error("write " + path, errno);
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
  return {};
}

void write_out(int fd, std::string_view bytes) {
  (void)write_all(fd, bytes, "");
}

Result<void> write_new_file(const std::string& path, std::string_view bytes, mode_t mode) {
  const Fd file(open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode));
  if (!file.is_open()) return system_error("write " + path, errno);
  return write_all(file.get(), bytes, path);
}

std::vector<std::string> names_in(const std::string& folder) {
  std::vector<std::string> names;
  std::error_code problem;
  std::filesystem::directory_iterator entry(folder, problem), end;
  for (; !problem && entry != end; entry.increment(problem)) {
    names.push_back(entry->path().filename().string());
  }
  return names;
}

Result<Pipe> make_pipe(int flags) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC | flags) != 0) return system_error("pipe", errno);
  return Pipe{Fd(ends[0]), Fd(ends[1])};
}

// orchestrator/answers/places.cc has the same rule for `kneepoint` itself.
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
