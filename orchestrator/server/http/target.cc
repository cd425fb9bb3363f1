// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/server/http/target.h"

namespace kneepoint {
namespace {

constexpr std::size_t kMostParts = 16;

int digit_of(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

bool is_harmless(std::string_view part) {
  return !part.empty() && part != "." && part != ".." &&
         part.find_first_of(std::string_view("/\\\0", 3)) == std::string_view::npos;
}

// What comes before `separator`, which goes too.
std::string_view take_to(std::string_view& rest, char separator) {
  const std::size_t end = rest.find(separator);
  const std::string_view first = rest.substr(0, end);
  rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  return first;
}

}  // namespace

std::optional<std::string> percent_decoded(std::string_view text, bool form) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%') {
      const int high = i + 2 < text.size() ? digit_of(text[i + 1]) : -1;
      const int low = i + 2 < text.size() ? digit_of(text[i + 2]) : -1;
      if (high < 0 || low < 0) return std::nullopt;
      out += static_cast<char>(high * 16 + low);
      i += 2;
    } else {
      out += form && text[i] == '+' ? ' ' : text[i];
    }
  }
  return out;
}

std::optional<std::string> RequestTarget::value(std::string_view name) const {
  for (const auto& [key, value] : query) {
    if (key == name) return value;
  }
  return std::nullopt;
}

std::vector<std::string> RequestTarget::values(std::string_view name) const {
  std::vector<std::string> found;
  for (const auto& [key, value] : query) {
    if (key == name) found.push_back(value);
  }
  return found;
}

std::optional<RequestTarget> read_target(std::string_view path, std::string_view query) {
  RequestTarget target;
  if (!path.starts_with('/')) return std::nullopt;
  path.remove_prefix(1);
  while (!path.empty()) {
    const bool ends_in_slash = path.back() == '/' && path.find('/') == path.size() - 1;
    const auto part = percent_decoded(take_to(path, '/'), false);
    if (!part || !is_harmless(*part) || ends_in_slash) return std::nullopt;
    if (target.parts.size() == kMostParts) return std::nullopt;
    target.parts.push_back(*part);
  }
  while (!query.empty()) {
    std::string_view pair = take_to(query, '&');
    if (pair.empty()) continue;
    const auto name = percent_decoded(take_to(pair, '='), true);
    const auto value = percent_decoded(pair, true);
    if (!name || !value) return std::nullopt;
    target.query.emplace_back(*name, *value);
  }
  return target;
}

}  // namespace kneepoint
