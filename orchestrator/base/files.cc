// SPDX-License-Identifier: Apache-2.0
//
// std::filesystem with messages. remove_all never follows links.
#include "orchestrator/base/files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <vector>

#include "orchestrator/base/fd.h"
#include "orchestrator/base/hash.h"
#include "orchestrator/base/text.h"

namespace kneepoint {
namespace {

namespace fs = std::filesystem;

constexpr int kMostProgramMiB = 1024;
constexpr int kMostNames = 1000;  // of a folder, when a slip in a name is looked for

// "; did you mean 'plans/jacobi.yaml'?" if the folder has a file of nearly that name.
std::string did_you_mean_file(const fs::path& path) {
  const fs::path folder = path.parent_path();
  std::vector<std::string> names;
  std::error_code problem;
  for (fs::directory_iterator entry(folder.empty() ? "." : folder, problem), end;
       !problem && entry != end && names.size() < kMostNames; entry.increment(problem)) {
    std::error_code ignored;
    if (entry->is_regular_file(ignored)) names.push_back(entry->path().filename().string());
  }
  std::sort(names.begin(), names.end());
  const std::string near = nearest_word(path.filename().string(), names);
  return near.empty() ? "" : "; did you mean '" + (folder / near).string() + "'?";
}

// The content under a temporary name, then under its own; errno where that fails, else 0.
int replace_file(const std::string& path, const std::string& temporary, std::string_view content,
                 mode_t mode) {
  const Fd file(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode));
  if (!file.is_open()) return errno;
  // Left over by a killed controller, perhaps with other rights.
  if (mode == kOwnerOnly && ::fchmod(file.get(), mode) != 0) return errno;
  while (!content.empty()) {
    const ssize_t wrote = ::write(file.get(), content.data(), content.size());
    if (wrote < 0 && errno != EINTR) return errno;
    content.remove_prefix(static_cast<std::size_t>(std::max<ssize_t>(wrote, 0)));
  }
  return ::rename(temporary.c_str(), path.c_str()) == 0 ? 0 : errno;
}

}  // namespace

Result<std::string> read_file(const std::string& what, const std::string& path, int most) {
  std::error_code problem;
  if (fs::is_directory(path, problem)) {
    return Error{ErrorCode::invalid, what + " " + path + " is a folder; a file is needed"};
  }
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    const int why = errno;
    const std::string message = system_error(what + " " + path, why).message;
    if (why != ENOENT) return Error{ErrorCode::invalid, message};
    return Error{ErrorCode::not_found, message + did_you_mean_file(path)};
  }
  std::string text;
  char block[1 << 16];
  while (file.read(block, sizeof block) || file.gcount() > 0) {
    text.append(block, static_cast<std::size_t>(file.gcount()));
    if (text.size() > static_cast<std::size_t>(most) << 20) {
      return Error{ErrorCode::invalid,
                   what + " " + path + " is larger than " + std::to_string(most) + " MiB"};
    }
  }
  return text;
}

Result<void> write_file(const std::string& name, const std::string& content) {
  std::error_code ignored_here;
  // What is no file (a terminal, a pipe, /dev/stdout) is written to; a link stays one.
  const fs::file_status there = fs::status(name, ignored_here);
  if (fs::exists(there) && !fs::is_regular_file(there) && !fs::is_directory(there)) {
    std::ofstream file(name, std::ios::binary | std::ios::app);
    file << content << std::flush;
    if (!file) return system_error("write " + name, errno);
    return {};
  }
  const fs::path target = fs::exists(there) ? fs::canonical(name, ignored_here) : fs::path(name);
  const std::string path = target.empty() ? name : target.string();
  const std::string temporary = path + ".part-" + std::to_string(::getpid());
  const int why = replace_file(path, temporary, content, 0666);
  if (why == 0) return {};
  std::error_code ignored;
  fs::remove(temporary, ignored);
  return system_error("write " + path, why);
}

Result<void> write_whole_file(const std::string& path, std::string_view content, mode_t mode) {
  const int why = replace_file(path, path + ".new", content, mode);
  if (why == 0) return {};
  return system_error("write '" + path + "'", why);
}

Result<std::optional<std::string>> read_file_if_there(const std::string& path, std::size_t most) {
  // A workload may put anything in a file's place: nothing here may block or never end.
  const Fd file(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  if (file.get() < 0) {
    if (errno == ENOENT || errno == ENOTDIR) return std::optional<std::string>();
    return system_error("read '" + path + "'", errno);
  }
  struct stat status {};
  if (::fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode)) {
    return Error{ErrorCode::invalid, "read '" + path + "': not a regular file", false};
  }
  std::string text;
  std::size_t chunk = 8192;
  while (text.size() < most) {
    const std::size_t before = text.size();
    const std::size_t wanted = std::min(chunk, most - before);
    text.resize(before + wanted);
    const ssize_t got = ::read(file.get(), text.data() + before, wanted);
    text.resize(before + static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return system_error("read '" + path + "'", errno);
    if (static_cast<std::size_t>(got) < wanted) break;  // a regular file's end
    chunk = 1 << 20;
  }
  return std::optional<std::string>(std::move(text));
}

bool path_exists(const std::string& path) {
  return ::access(path.c_str(), F_OK) == 0;
}

Nanoseconds changed_at(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return 0;
  return static_cast<Nanoseconds>(status.st_mtim.tv_sec) * kSecond + status.st_mtim.tv_nsec;
}

Result<bool> claim_folder(const std::string& folder) {
  std::error_code problem;
  const fs::path parent = fs::path(folder).parent_path();
  if (!parent.empty()) fs::create_directories(parent, problem);
  if (problem) return system_error("make the folder of " + folder, problem.value());
  const bool made = fs::create_directory(folder, problem);
  // What stands there and is no folder is not ours either.
  if (problem && problem.value() != EEXIST && problem.value() != ENOTDIR) {
    return system_error("make " + folder, problem.value());
  }
  return made;
}

Result<void> remove_study_folder(const std::string& folder, const std::string& study_id) {
  const fs::path path(folder);
  if (!path.is_absolute() || path.lexically_normal() != path || study_id.empty() ||
      path.filename() != study_id) {
    return Error{ErrorCode::invalid, "'" + folder + "' is not the folder of study " + study_id +
                                         "; its files are left alone, see --keep-files"};
  }
  std::error_code problem;
  const fs::file_status status = fs::symlink_status(path, problem);
  if (status.type() == fs::file_type::not_found) return {};
  if (status.type() != fs::file_type::directory) {
    return Error{ErrorCode::invalid, folder +
                                         " is a link or a file, not a folder; it is left alone, "
                                         "see --keep-files"};
  }
  fs::remove_all(path, problem);
  if (problem) return system_error("remove " + folder, problem.value());
  return {};
}

Result<std::string> hash_of_file(const std::string& path) {
  std::error_code problem;
  if (!fs::is_regular_file(path, problem)) {
    return Error{ErrorCode::not_found, path + " is no file"};
  }
  TRY_ASSIGN(const std::string bytes, read_file("program", path, kMostProgramMiB));
  return sha256_hex(bytes);
}

}  // namespace kneepoint
