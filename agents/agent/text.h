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

namespace kneepoint::agent {

template <typename Visit>
void for_each_line(std::string_view text, const Visit& visit) {
  while (!text.empty()) {
    const std::size_t newline = std::min(text.find('\n'), text.size());
    visit(text.substr(0, newline));
    text.remove_prefix(std::min(newline + 1, text.size()));
  }
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
  std::optional<std::int64_t> found;
  for_each_line(text, [&](std::string_view line) {
    if (found || !line.starts_with(name) || line.substr(name.size(), 1) != " ") return;
    found = leading_number<std::int64_t>(line.substr(name.size() + 1));
  });
  return found;
}

}  // namespace kneepoint::agent
