// SPDX-License-Identifier: Apache-2.0
//
// Lines and numbers in texts of the kernel and of programs. A number that can't be read is nothing,
// never 0.
#pragma once

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kneepoint::agent {

// Without such characters at both ends.
inline std::string_view trimmed(std::string_view text, std::string_view blanks = " \t\r\n") {
  const std::size_t first = std::min(text.find_first_not_of(blanks), text.size());
  return text.substr(first, text.find_last_not_of(blanks) + 1 - first);
}

// The last line, taken off the text; without its newline.
inline std::string_view take_last_line(std::string_view& text) {
  if (text.ends_with('\n')) text.remove_suffix(1);
  const std::size_t first = text.rfind('\n') + 1;  // npos + 1 is 0
  const std::string_view line = text.substr(first);
  text = text.substr(0, first);
  return line;
}

inline std::string joined(const std::vector<std::string>& parts, std::string_view between) {
  std::string text;
  for (const std::string& part : parts) {
    if (!text.empty()) text += between;
    text += part;
  }
  return text;
}

// The parts between the separators; of an empty text none, and none behind the last separator.
inline std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(separator), text.size());
    parts.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

inline std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words = split(line, ' ');
  std::erase(words, "");
  return words;
}

// The number at the start, whatever follows.
template <typename Number>
std::optional<Number> leading_number(std::string_view text) {
  Number value{};
  const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
  return read.ec == std::errc() ? std::optional(value) : std::nullopt;
}

// A text that is a number and nothing else.
template <typename Number>
std::optional<Number> whole_number(std::string_view text) {
  Number value{};
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, value);
  return read.ec == std::errc() && read.ptr == end ? std::optional(value) : std::nullopt;
}

// Of lines "NAME NUMBER", as /proc/vmstat and control groups have them.
inline std::optional<std::int64_t> named_counter(std::string_view text, std::string_view name) {
  for (const std::string_view line : split(text, '\n')) {
    if (!line.starts_with(name) || line.substr(name.size(), 1) != " ") continue;
    return leading_number<std::int64_t>(line.substr(name.size() + 1));
  }
  return std::nullopt;
}

}  // namespace kneepoint::agent
