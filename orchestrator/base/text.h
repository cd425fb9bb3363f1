// SPDX-License-Identifier: Apache-2.0
//
// Small texts that every layer makes alike. ASCII only: names and headers, not prose.
#pragma once

#include <charconv>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace kneepoint {

std::string ascii_lower(std::string_view text);
std::string ascii_upper(std::string_view text);
// By a format of printf for one double: ("%.1f%%", 5.25) -> "5.2%".
std::string format_number(const char* format, double value);
// "3 runs", "1 run", "2 studies".
std::string counted(long number, const std::string& noun);
// "a, b, c"
std::string comma_separated(std::span<const std::string> words);
// "did you mean": the nearest word by edit distance (transpositions count one), or "" when none is
// within a third of the word's length (at least 1, at most 3).
std::string nearest_word(std::string_view word, std::span<const std::string> known);
// "" if it is not set.
std::string environment_variable(const char* name);
// Where the running program lies; "" if the kernel does not say.
std::string own_program();

// The whole text as a number by std::from_chars: no locale, no hexadecimal, no leading plus.
template <typename T>
std::optional<T> parse_number(std::string_view text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace kneepoint
