// SPDX-License-Identifier: Apache-2.0
//
// See text.h.
#include "orchestrator/base/text.h"

#include <unistd.h>

#include <array>
#include <climits>
#include <cstdio>
#include <cstdlib>

namespace kneepoint {

std::string ascii_lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return out;
}

std::string ascii_upper(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  return out;
}

std::string format_number(const char* format, double value) {
  char text[400];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

std::string counted(long number, const std::string& noun) {
  const std::string text = std::to_string(number) + " ";
  if (number == 1) return text + noun;
  const bool ies = noun.ends_with("dy") || noun.ends_with("ry");  // study, entry
  return ies ? text + noun.substr(0, noun.size() - 1) + "ies" : text + noun + "s";
}

std::string environment_variable(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

std::string own_program() {
  std::array<char, PATH_MAX> path{};
  const ssize_t n = readlink("/proc/self/exe", path.data(), path.size());
  return n > 0 ? std::string(path.data(), static_cast<std::size_t>(n)) : "";
}

}  // namespace kneepoint
