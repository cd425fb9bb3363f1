// SPDX-License-Identifier: Apache-2.0
//
// Keeps the first and the last bytes of a stream of any length and counts what it dropped between
// them. Memory grows with the output, up to head + tail and no further.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace kneepoint::agent {

constexpr std::size_t kCaptureHead = 1024 * 1024;
constexpr std::size_t kCaptureTail = 1024 * 1024;

class OutputCapture {
 public:
  explicit OutputCapture(std::size_t head_limit = kCaptureHead,
                         std::size_t tail_limit = kCaptureTail)
      : head_limit_(head_limit), tail_limit_(tail_limit) {}

  void append(std::string_view bytes);

  std::uint64_t total() const { return total_; }
  std::uint64_t dropped() const { return total_ - head_.size() - ring_.size(); }
  const std::string& head() const { return head_; }
  std::string tail() const;  // oldest byte first

  // What goes into the file after the head: the tail, with a line before it that says how much was
  // dropped, if any was.
  std::string rest() const;

 private:
  std::size_t head_limit_;
  std::size_t tail_limit_;
  std::uint64_t total_ = 0;
  std::string head_;
  std::string ring_;
  std::size_t oldest_ = 0;  // index into ring_ once it is full
};

// The last line with something on it, cut to `limit` bytes; "" if there is none.
std::string last_line(const OutputCapture& capture, std::size_t limit);

}  // namespace kneepoint::agent
