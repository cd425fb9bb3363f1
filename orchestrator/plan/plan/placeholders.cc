// SPDX-License-Identifier: Apache-2.0
//
// One scan finds the pieces; both functions are made of it.
#include "orchestrator/plan/plan/placeholders.h"

#include <functional>

namespace kneepoint {
namespace {

bool is_name_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '-';
}

// Length of `{name}` at text[i], or 0.
std::size_t braced_name(std::string_view text, std::size_t i) {
  if (text[i] != '{') return 0;
  std::size_t end = i + 1;
  while (end < text.size() && is_name_character(text[end])) ++end;
  const bool starts_well =
      end > i + 1 && !(text[i + 1] >= '0' && text[i + 1] <= '9') && text[i + 1] != '-';
  return starts_well && end < text.size() && text[end] == '}' ? end + 1 - i : 0;
}

void scan(std::string_view text, const std::function<void(std::string_view)>& on_text,
          const std::function<void(std::string_view)>& on_name) {
  for (std::size_t i = 0; i < text.size();) {
    if (text[i] == '{' && i + 1 < text.size()) {
      const std::size_t inner = braced_name(text, i + 1);
      if (inner > 0 && i + 1 + inner < text.size() && text[i + 1 + inner] == '}') {
        on_text(text.substr(i + 1, inner));
        i += inner + 2;
        continue;
      }
    }
    if (const std::size_t length = braced_name(text, i); length > 0) {
      on_name(text.substr(i + 1, length - 2));
      i += length;
      continue;
    }
    on_text(text.substr(i, 1));
    ++i;
  }
}

}  // namespace

const std::vector<std::string>& built_in_placeholders() {
  static const std::vector<std::string> names = {
      "K",       "size",          "mode", "ranks", "nodes", "ranks_per_node",
      "threads", "gpus_per_node", "seed", "build"};
  return names;
}

std::vector<std::string> placeholders_in(std::string_view text) {
  std::vector<std::string> names;
  scan(
      text, [](std::string_view) {}, [&](std::string_view name) { names.emplace_back(name); });
  return names;
}

std::string replace_placeholders(std::string_view text, std::span<const Parameter> values) {
  std::string out;
  scan(
      text, [&](std::string_view piece) { out += piece; },
      [&](std::string_view name) {
        for (const Parameter& value : values) {
          if (value.name == name) {
            out += value.value;
            return;
          }
        }
        out += '{';
        out += name;
        out += '}';
      });
  return out;
}

}  // namespace kneepoint
