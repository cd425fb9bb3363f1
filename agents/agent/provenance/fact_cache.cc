// SPDX-License-Identifier: Apache-2.0
//
// A kept file is one provenance record. It is written under a name of this process's own (O_EXCL,
// 0600) and renamed, so that a reader sees all of it or nothing.
#include "agents/agent/provenance/fact_cache.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <optional>

#include "agents/agent/file.h"
#include "agents/wire/record.h"

namespace kneepoint::agent {
namespace {

constexpr const char* kScope = "cache";

bool is_ours(const struct stat& status) {
  return status.st_uid == getuid() && (status.st_mode & 022) == 0;
}

std::optional<Facts> read_kept(const std::string& path) {
  const File file(open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  struct stat status {};
  if (!file.is_open() || fstat(file.fd(), &status) != 0) return std::nullopt;
  if (!S_ISREG(status.st_mode) || !is_ours(status) ||
      status.st_size > static_cast<off_t>(record::kMaxLine)) {
    return std::nullopt;
  }
  std::string text(static_cast<std::size_t>(status.st_size), '\0');
  if (read(file.fd(), text.data(), text.size()) != status.st_size) return std::nullopt;
  auto records = record::parse(text);
  if (records.provenance.size() != 1 || records.provenance[0].scope != kScope) return std::nullopt;
  return std::move(records.provenance[0].facts);
}

void keep(const std::string& folder, const std::string& path, const Facts& facts) {
  const std::string temporary = folder + "/." + std::to_string(getpid()) + ".new";
  const File file(
      open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!file.is_open()) return;
  const bool written =
      write_all(file, record::to_line(0, record::Provenance{kScope, facts}), temporary).has_value();
  if (!written || rename(temporary.c_str(), path.c_str()) != 0) unlink(temporary.c_str());
}

}  // namespace

std::string fact_cache_folder() {
  const char* runtime = getenv("XDG_RUNTIME_DIR");
  const std::string folder = runtime != nullptr && runtime[0] == '/'
                                 ? std::string(runtime) + "/kneepoint"
                                 : "/tmp/kneepoint-" + std::to_string(getuid());
  if (mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) return "";
  struct stat status {};
  if (lstat(folder.c_str(), &status) != 0 || !S_ISDIR(status.st_mode) || !is_ours(status)) {
    return "";
  }
  return folder;
}

Facts cached_facts(const std::string& folder, const std::string& name,
                   const std::function<Facts()>& gather) {
  if (folder.empty()) return gather();
  const std::string path = folder + '/' + name + ".json";
  if (auto kept = read_kept(path)) return std::move(*kept);
  Facts facts = gather();
  if (!facts.empty()) keep(folder, path, facts);
  return facts;
}

}  // namespace kneepoint::agent
