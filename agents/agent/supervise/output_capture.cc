// SPDX-License-Identifier: Apache-2.0
//
// Head, then a ring. A block larger than the ring replaces it, so a flood costs one copy of at most
// the ring's size for each block.
#include "agents/agent/supervise/output_capture.h"

#include <algorithm>
#include <cstring>

namespace kneepoint::agent {

void OutputCapture::append(std::string_view bytes) {
  total_ += bytes.size();
  const std::size_t to_head = std::min(bytes.size(), head_limit_ - head_.size());
  head_.append(bytes.substr(0, to_head));
  bytes.remove_prefix(to_head);
  if (bytes.size() > tail_limit_) bytes.remove_prefix(bytes.size() - tail_limit_);

  const std::size_t to_grow = std::min(bytes.size(), tail_limit_ - ring_.size());
  ring_.append(bytes.substr(0, to_grow));
  bytes.remove_prefix(to_grow);
  while (!bytes.empty()) {
    const std::size_t n = std::min(bytes.size(), ring_.size() - oldest_);
    std::memcpy(ring_.data() + oldest_, bytes.data(), n);
    oldest_ = (oldest_ + n) % ring_.size();
    bytes.remove_prefix(n);
  }
}

std::string OutputCapture::tail() const {
  return ring_.substr(oldest_) + ring_.substr(0, oldest_);
}

std::string OutputCapture::rest() const {
  if (dropped() == 0) return tail();
  return "\n[kneepoint: " + std::to_string(dropped()) + " bytes dropped here]\n" + tail();
}

std::string last_line(const OutputCapture& capture, std::size_t limit) {
  const bool whole = capture.dropped() == 0;
  for (const std::string& part :
       {whole ? capture.head() + capture.tail() : capture.tail(), capture.head()}) {
    const std::size_t last = part.find_last_not_of(" \t\r\n");
    if (last == std::string::npos) continue;
    const std::size_t newline = part.rfind('\n', last);
    const std::size_t first = newline == std::string::npos ? 0 : newline + 1;
    return part.substr(first, std::min(last + 1 - first, limit));
  }
  return "";
}

}  // namespace kneepoint::agent
