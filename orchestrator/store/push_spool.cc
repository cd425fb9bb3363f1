// SPDX-License-Identifier: Apache-2.0
//
// A file is closed for ever when a later one is there: what can't be read of it then was torn by a
// crash, before anybody was told that it is safe.
#include "orchestrator/store/push_spool.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <utility>

#include "orchestrator/base/hash.h"

namespace kneepoint {
namespace {

constexpr std::string_view kMark = "PUSH ";
constexpr std::string_view kEnding = ".spool";
constexpr std::size_t kFileBytes = 8 << 20;  // then the next file
constexpr std::size_t kMostHeader = 256;
constexpr std::size_t kMostName = 64;

std::string path_of(const std::string& folder, std::uint64_t number) {
  return folder + "/" + std::to_string(number) + std::string(kEnding);
}

std::string sum_of(const Push& push) {
  return hex64(fnv1a64(push.lines, fnv1a64(push.attempt, fnv1a64(push.allocation))));
}

void add_frame(const Push& push, std::string& text) {
  text += kMark;
  text += push.allocation + " " + push.attempt + " " + std::to_string(push.lines.size()) + " " +
          sum_of(push) + "\n";
  text += push.lines;
}

std::string_view next_word(std::string_view& line) {
  const std::size_t end = line.find(' ');
  const std::string_view first = line.substr(0, end);
  line.remove_prefix(end == std::string_view::npos ? line.size() : end + 1);
  return first;
}

// Takes one frame off `text`; false: it is not whole (yet).
bool take_frame(std::string_view& text, Push& push) {
  const std::size_t newline = text.substr(0, kMostHeader).find('\n');
  if (newline == std::string_view::npos || !text.starts_with(kMark)) return false;
  std::string_view header = text.substr(kMark.size(), newline - kMark.size());
  push.allocation = next_word(header);
  push.attempt = next_word(header);
  const std::string_view size = next_word(header);
  std::size_t bytes = 0;
  const auto [end, failure] = std::from_chars(size.data(), size.data() + size.size(), bytes);
  if (failure != std::errc() || end != size.data() + size.size()) return false;
  if (text.size() - newline - 1 < bytes) return false;
  push.lines = text.substr(newline + 1, bytes);
  if (header != sum_of(push)) return false;
  text.remove_prefix(newline + 1 + bytes);
  return true;
}

Result<std::string> read_from(const std::string& path, std::size_t offset, std::size_t most) {
  std::error_code failure;
  const std::size_t size = std::filesystem::file_size(path, failure);
  if (failure) return system_error("read '" + path + "'", failure.value());
  std::ifstream file(path, std::ios::binary);
  if (!file) return system_error("read '" + path + "'", errno);
  std::string text(size > offset ? std::min(most, size - offset) : 0, '\0');
  file.seekg(static_cast<std::streamoff>(offset));
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (file.bad()) return system_error("read '" + path + "'", EIO);
  text.resize(static_cast<std::size_t>(file.gcount()));
  return text;
}

Result<std::vector<std::uint64_t>> spool_files(const std::string& folder) {
  std::vector<std::uint64_t> numbers;
  std::error_code failure;
  for (std::filesystem::directory_iterator at(folder, failure), end; !failure && at != end;
       at.increment(failure)) {
    const std::string name = at->path().filename().string();
    std::uint64_t number = 0;
    const auto [stop, wrong] = std::from_chars(name.data(), name.data() + name.size(), number);
    if (wrong == std::errc() && std::string_view(stop) == kEnding) numbers.push_back(number);
  }
  if (failure && failure != std::errc::no_such_file_or_directory) {
    return system_error("read folder '" + folder + "'", failure.value());
  }
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

}  // namespace

bool is_push_name(std::string_view name) {
  return !name.empty() && name.size() <= kMostName &&
         std::all_of(name.begin(), name.end(), [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                  c == '-' || c == '_' || c == '.';
         });
}

Result<SpoolWriter> SpoolWriter::open(const std::string& folder) {
  std::error_code failure;
  std::filesystem::create_directories(folder, failure);
  if (failure) return system_error("make folder '" + folder + "'", failure.value());
  TRY_ASSIGN(const std::vector<std::uint64_t> numbers, spool_files(folder));
  SpoolWriter writer(folder, numbers.empty() ? 0 : numbers.back());
  TRY(writer.next_file());
  return writer;
}

Result<void> SpoolWriter::next_file() {
  const std::string path = path_of(folder_, number_ + 1);
  Fd file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0600));
  if (!file.is_open()) return system_error("create '" + path + "'", errno);
  file_ = std::move(file);
  ++number_;
  written_ = 0;
  // The name must outlive a crash as the bytes do.
  const Fd folder(::open(folder_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (folder.is_open()) ::fsync(folder.get());
  return {};
}

Result<void> SpoolWriter::append(const std::vector<Push>& pushes) {
  std::string text;
  for (const Push& push : pushes) add_frame(push, text);
  if (written_ >= kFileBytes) TRY(next_file());
  const std::string path = path_of(folder_, number_);
  std::size_t done = 0;
  int failure = 0;
  while (done < text.size() && failure == 0) {
    const ssize_t n = ::write(file_.get(), text.data() + done, text.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) failure = errno;
    if (n > 0) done += static_cast<std::size_t>(n);
  }
  if (failure == 0 && ::fdatasync(file_.get()) != 0) failure = errno;
  if (failure == 0) {
    written_ += done;
    return {};
  }
  // Nobody may read on behind a torn frame: the next push begins a file of its own.
  written_ = kFileBytes;
  return system_error("write '" + path + "'", failure);
}

Result<std::vector<Push>> SpoolReader::take(std::size_t most) {
  std::vector<Push> pushes;
  TRY_ASSIGN(const std::vector<std::uint64_t> numbers, spool_files(folder_));
  std::size_t taken = 0;
  for (const std::uint64_t number : numbers) {
    if (number < number_) continue;
    if (number > number_) {
      number_ = number;
      offset_ = 0;
    }
    TRY_ASSIGN(const std::string text, read_from(path_of(folder_, number_), offset_, most));
    std::string_view rest = text;
    Push push;
    while (take_frame(rest, push)) pushes.push_back(std::move(push));
    const std::size_t used = text.size() - rest.size();
    offset_ += used;
    taken += used;
    // What was cut by `most` comes next time; a torn tail of a closed file never does.
    if (taken >= most / 2 || (text.size() == most && used > 0)) break;
  }
  return pushes;
}

Result<void> SpoolReader::forget() {
  TRY_ASSIGN(const std::vector<std::uint64_t> numbers, spool_files(folder_));
  for (const std::uint64_t number : numbers) {
    if (number >= number_) break;
    const std::string path = path_of(folder_, number);
    if (::unlink(path.c_str()) != 0 && errno != ENOENT) {
      return system_error("remove '" + path + "'", errno);
    }
  }
  return {};
}

}  // namespace kneepoint
