// SPDX-License-Identifier: Apache-2.0
//
// Reading keeps up with a flood: large blocks, a pipe made larger when it was found full, and a
// bounded number of blocks between two looks at the clock.
#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "agents/agent/supervise/supervisor.h"

namespace kneepoint::agent {
namespace {

constexpr std::size_t kUsualPipe = 64 * 1024;
constexpr int kLargePipe = 1024 * 1024;

std::array<char, 256 * 1024> block;  // one thread, used within drain() only

}  // namespace

void OutputStream::drain(int rounds) {
  while (pipe_.is_open() && rounds-- > 0) {
    const ssize_t n = read(pipe_.fd(), block.data(), block.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && errno == EAGAIN) return;
    if (n <= 0) return pipe_.reset();
    capture_.append(std::string_view(block.data(), static_cast<std::size_t>(n)));
    if (!enlarged_ && static_cast<std::size_t>(n) >= kUsualPipe) {
      fcntl(pipe_.fd(), F_SETPIPE_SZ, kLargePipe);
      enlarged_ = true;
    }
  }
}

void OutputStream::write_out(std::string_view bytes) {
  if (bytes.empty() || !problem_.empty()) return;
  if (!file_.is_open()) {
    file_ = File(open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644));
    if (!file_.is_open()) {
      problem_ = system_error("create " + path_, errno).message;
      return;
    }
  }
  const auto result = write_all(file_, bytes, path_);
  if (!result) problem_ = result.error().message;
}

void OutputStream::flush() {
  const std::string_view head = capture_.head();
  write_out(head.substr(written_));
  written_ = head.size();
}

void OutputStream::finish() {
  flush();
  write_out(capture_.rest());
}

}  // namespace kneepoint::agent
