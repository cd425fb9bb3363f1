// SPDX-License-Identifier: Apache-2.0
//
// A look at a file that has not grown is one system call.
#include "agents/agent/supervise/record_follower.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string_view>

#include "agents/agent/file.h"
#include "agents/wire/way_home.h"

namespace kneepoint::agent {

std::string RecordFollower::next(std::size_t most) const {
  struct stat status {};
  if (over_ || stat(path_.c_str(), &status) != 0) return "";
  const auto size = static_cast<std::size_t>(status.st_size);
  if (size <= offset_) return "";
  const File file(open(path_.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.is_open()) return "";
  std::string text(std::min(size - offset_, most), '\0');
  std::size_t have = 0;
  while (have < text.size()) {
    const ssize_t n = pread(file.fd(), text.data() + have, text.size() - have,
                            static_cast<off_t>(offset_ + have));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;
    have += static_cast<std::size_t>(n);
  }
  text.resize(have);
  text.resize(text.rfind('\n') + 1);  // npos + 1 is 0
  return text;
}

void RecordFollower::delivered(const std::string& piece) {
  offset_ += piece.size();
  if (piece.empty()) return;
  const std::string_view lines = std::string_view(piece).substr(0, piece.size() - 1);
  const std::size_t last = lines.rfind('\n');
  over_ =
      record::head_of(lines.substr(last == std::string_view::npos ? 0 : last + 1)).type == "end";
}

}  // namespace kneepoint::agent
