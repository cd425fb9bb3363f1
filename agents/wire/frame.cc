// SPDX-License-Identifier: Apache-2.0
//
// A frame that comes again is the same frame: only the first one counts.
#include "agents/wire/frame.h"

#include <charconv>

#include "orchestrator/base/hash.h"

namespace kneepoint::record {
namespace {

constexpr std::string_view kMark = "##kneepoint1 ";
constexpr std::size_t kMostLine = 1 << 20;   // a longer one is no frame
constexpr std::size_t kMostWaiting = 65536;  // frames behind a gap

// The word before the next blank; takes both off.
std::string_view word(std::string_view& line) {
  const std::size_t end = line.find(' ');
  const std::string_view first = line.substr(0, end);
  line.remove_prefix(end == std::string_view::npos ? line.size() : end + 1);
  return first;
}

bool is_plain_line(std::string_view line) {
  for (const char c : line) {
    if (static_cast<unsigned char>(c) < ' ' && c != '\t') return false;
  }
  return line.size() <= kMostFrameBytes;
}

}  // namespace

std::string FrameWriter::frame(char kind, const std::string& file, const std::string& payload) {
  const std::string rest = std::string(1, kind) + " " + file + " " + payload;
  return std::string(kMark) + std::to_string(next_++) + " " + hex64(fnv1a64(rest)) + " " + rest +
         "\n";
}

std::string FrameWriter::append(const std::string& file, std::string_view bytes) {
  std::string text;
  while (!bytes.empty()) {
    const std::size_t end = bytes.find('\n');
    if (end != std::string_view::npos && is_plain_line(bytes.substr(0, end))) {
      text += frame('t', file, std::string(bytes.substr(0, end)));
      bytes.remove_prefix(end + 1);
      continue;
    }
    const std::string_view piece = bytes.substr(0, kMostFrameBytes);
    text += frame('b', file, base64_encoded(piece));
    bytes.remove_prefix(piece.size());
  }
  return text;
}

void FrameReader::take(std::string_view piece) {
  while (!piece.empty()) {
    const std::size_t end = piece.find('\n');
    if (rest_.size() <= kMostLine) rest_ += piece.substr(0, end);
    if (end == std::string_view::npos) return;
    take_line(rest_);
    rest_.clear();
    piece.remove_prefix(end + 1);
  }
}

void FrameReader::take_line(std::string_view line) {
  if (!line.starts_with(kMark) || line.size() > kMostLine) return;
  line.remove_prefix(kMark.size());
  if (line.ends_with('\r')) line.remove_suffix(1);
  const std::string_view number = word(line);
  const std::string_view sum = word(line);
  std::uint64_t n = 0;
  const auto [end, failure] = std::from_chars(number.data(), number.data() + number.size(), n);
  if (failure != std::errc() || end != number.data() + number.size() ||
      sum != hex64(fnv1a64(line))) {
    ++damaged_;
    return;
  }
  const std::string_view kind = word(line);
  Appended one;
  one.file = word(line);
  if (kind == "t") {
    one.bytes = std::string(line) + "\n";
  } else if (kind != "b" || !base64_decoded(line, one.bytes)) {
    ++damaged_;
    return;
  }
  if (n < next_) return;
  if (n > next_) {
    if (waiting_.size() < kMostWaiting) waiting_.emplace(n, std::move(one));
    return;
  }
  ready_.push_back(std::move(one));
  ++next_;
  for (auto found = waiting_.find(next_); found != waiting_.end(); found = waiting_.find(next_)) {
    ready_.push_back(std::move(found->second));
    waiting_.erase(found);
    ++next_;
  }
}

std::vector<Appended> FrameReader::appended() {
  std::vector<Appended> all;
  all.swap(ready_);
  return all;
}

}  // namespace kneepoint::record
