// SPDX-License-Identifier: Apache-2.0
//
// The lock is on the log, which stays open until the end: a killed process leaves none behind.
#include "orchestrator/cli/night_folder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>

namespace kneepoint::cli {
namespace {

namespace fs = std::filesystem;

constexpr char kLog[] = "nightly.log";
constexpr const char* kArtefacts[] = {"gate.json", "gate.xml",    "summary.md",
                                      "report.md", "report.html", "report.json"};

}  // namespace

class NightFolder::LogBuffer final : public std::streambuf {
 public:
  explicit LogBuffer(int descriptor) : descriptor_(descriptor) {}
  ~LogBuffer() override { ::close(descriptor_); }
  LogBuffer(const LogBuffer&) = delete;
  LogBuffer& operator=(const LogBuffer&) = delete;
  bool is_whole() const { return whole_; }

 private:
  std::streamsize xsputn(const char* text, std::streamsize size) override {
    std::streamsize done = 0;
    while (done < size) {
      const ssize_t put = ::write(descriptor_, text + done, static_cast<std::size_t>(size - done));
      if (put < 0 && errno == EINTR) continue;
      if (put <= 0) {
        whole_ = false;
        break;
      }
      done += put;
    }
    return size;
  }
  int_type overflow(int_type character) override {
    if (traits_type::eq_int_type(character, traits_type::eof())) return 0;
    const char c = traits_type::to_char_type(character);
    xsputn(&c, 1);
    return character;
  }

  const int descriptor_;
  bool whole_ = true;
};

NightFolder::NightFolder(std::string path, int descriptor)
    : path_(std::move(path)),
      buffer_(std::make_unique<LogBuffer>(descriptor)),
      log_(buffer_.get()) {}
NightFolder::~NightFolder() = default;

std::string NightFolder::file(const std::string& name) const {
  return path_ + "/" + name;
}

bool NightFolder::log_is_whole() const {
  return buffer_->is_whole();
}

Result<std::unique_ptr<NightFolder>> NightFolder::open(const std::string& path) {
  std::error_code problem;
  fs::create_directories(path, problem);
  if (problem) return system_error("make the folder " + path, problem.value());
  const std::string log = path + "/" + kLog;
  const int descriptor =
      ::open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0666);
  if (descriptor < 0) return system_error("write " + log, errno);
  std::unique_ptr<NightFolder> folder(new NightFolder(path, descriptor));
  if (::flock(descriptor, LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK) return system_error("lock " + log, errno);
    return Error{ErrorCode::conflict, path +
                                          " is in use by another nightly; one at a time, or a "
                                          "folder for each"};
  }
  if (::ftruncate(descriptor, 0) != 0) return system_error("empty " + log, errno);
  for (const char* name : kArtefacts) {
    fs::remove(folder->file(name), problem);
    if (problem) return system_error("remove " + folder->file(name), problem.value());
  }
  return folder;
}

class TwoStreams::Buffer final : public std::streambuf {
 public:
  Buffer(std::ostream& first, std::ostream& second) : first_(first), second_(second) {}

 private:
  std::streamsize xsputn(const char* text, std::streamsize size) override {
    first_.write(text, size);
    second_.write(text, size);
    return size;
  }
  int_type overflow(int_type character) override {
    if (traits_type::eq_int_type(character, traits_type::eof())) return 0;
    first_.put(traits_type::to_char_type(character));
    second_.put(traits_type::to_char_type(character));
    return character;
  }
  int sync() override {
    first_.flush();
    second_.flush();
    return 0;
  }

  std::ostream& first_;
  std::ostream& second_;
};

TwoStreams::TwoStreams(std::ostream& first, std::ostream& second)
    : std::ostream(nullptr), buffer_(std::make_unique<Buffer>(first, second)) {
  rdbuf(buffer_.get());
}
TwoStreams::~TwoStreams() = default;

}  // namespace kneepoint::cli
