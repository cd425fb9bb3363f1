// SPDX-License-Identifier: Apache-2.0
//
// Written under another name first; linked for keep_first, so that of two controllers one wins.
#include "orchestrator/server/push/files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>

namespace kneepoint {
namespace {

constexpr std::size_t kMostBytes = 1 << 20;

Result<void> write_new(const std::string& path, const std::string& text) {
  const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (fd < 0) return system_error("create '" + path + "'", errno);
  const ssize_t n = ::write(fd, text.data(), text.size());
  const int why = n == static_cast<ssize_t>(text.size()) ? (::fsync(fd) == 0 ? 0 : errno)
                  : n < 0                                ? errno
                                                         : ENOSPC;
  ::close(fd);
  if (why != 0) return system_error("write '" + path + "'", why);
  return {};
}

std::string fresh_name(const std::string& path) {
  return path + ".new-" + std::to_string(::getpid());
}

}  // namespace

Result<void> make_private_folder(const std::string& path) {
  std::error_code failure;
  std::filesystem::create_directories(std::filesystem::path(path).parent_path(), failure);
  if (::mkdir(path.c_str(), 0700) != 0 && errno != EEXIST) {
    return system_error("make folder '" + path + "'", errno);
  }
  if (::chmod(path.c_str(), 0700) != 0) return system_error("chmod '" + path + "'", errno);
  return {};
}

Result<std::string> read_text(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0 && errno == ENOENT) return std::string();
  if (fd < 0) return system_error("read '" + path + "'", errno);
  std::string text(kMostBytes, '\0');
  std::size_t have = 0;
  int why = 0;
  while (have < text.size()) {
    const ssize_t n = ::read(fd, text.data() + have, text.size() - have);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) why = errno;
    if (n <= 0) break;
    have += static_cast<std::size_t>(n);
  }
  ::close(fd);
  if (why != 0) return system_error("read '" + path + "'", why);
  text.resize(have);
  return text;
}

Result<std::string> read_named_file(const char* key, const std::string& path) {
  TRY_ASSIGN(std::string text, read_text(path));
  if (!text.empty()) return text;
  return Error{ErrorCode::invalid,
               std::string("push.") + key + " of the site: '" + path + "' is not there or empty",
               false};
}

Result<std::string> keep_first(const std::string& path, const std::string& text) {
  const std::string fresh = fresh_name(path);
  ::unlink(fresh.c_str());
  TRY(write_new(fresh, text));
  const int linked = ::link(fresh.c_str(), path.c_str());
  const int why = errno;
  ::unlink(fresh.c_str());
  if (linked == 0) return text;
  if (why != EEXIST) return system_error("create '" + path + "'", why);
  return read_text(path);
}

Result<void> write_private(const std::string& path, const std::string& text) {
  const std::string fresh = fresh_name(path);
  ::unlink(fresh.c_str());
  TRY(write_new(fresh, text));
  if (::rename(fresh.c_str(), path.c_str()) != 0)
    return system_error("rename '" + fresh + "'", errno);
  return {};
}

bool is_open_to_others(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 && (status.st_mode & 077U) != 0;
}

}  // namespace kneepoint
