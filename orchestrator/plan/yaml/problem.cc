// SPDX-License-Identifier: Apache-2.0
//
// How problems are shown, and where they belong. UTF-8 is checked as the standard defines it: no
// overlong forms, no surrogates, at most U+10FFFF.
#include "orchestrator/plan/yaml/problem.h"

#include <map>

namespace kneepoint {
namespace {

// "a.b[2].c" -> "a.b[2]" -> "a.b" -> "a" -> ""
std::string parent_of(const std::string& key) {
  const std::size_t cut = key.find_last_of(".[");
  return cut == std::string::npos ? "" : key.substr(0, cut);
}

// Length of the UTF-8 sequence at text[i], or 0.
std::size_t sequence_length(std::string_view text, std::size_t i) {
  const auto byte = [&](std::size_t k) { return static_cast<unsigned char>(text[k]); };
  const unsigned char first = byte(i);
  if (first < 0x80) return 1;
  if (first < 0xC2 || first > 0xF4) return 0;
  const std::size_t length = first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
  if (i + length > text.size()) return 0;
  for (std::size_t k = 1; k < length; ++k) {
    if ((byte(i + k) & 0xC0) != 0x80) return 0;
  }
  const unsigned char second = byte(i + 1);
  if (first == 0xE0 && second < 0xA0) return 0;
  if (first == 0xED && second > 0x9F) return 0;
  if (first == 0xF0 && second < 0x90) return 0;
  if (first == 0xF4 && second > 0x8F) return 0;
  return length;
}

std::string hex_byte(char c) {
  static constexpr char kDigits[] = "0123456789abcdef";
  const auto value = static_cast<unsigned char>(c);
  return std::string("0x") + kDigits[value >> 4] + kDigits[value & 15];
}

}  // namespace

std::string to_string(const Problem& problem) {
  std::string text = problem.file;
  if (problem.line > 0) {
    text += ":" + std::to_string(problem.line) + ":" + std::to_string(problem.column);
  }
  if (!problem.key.empty()) text += ": " + problem.key;
  return text + ": " + problem.message;
}

std::string to_string(const std::vector<Problem>& problems) {
  std::string text;
  for (const Problem& problem : problems) text += to_string(problem) + "\n";
  return text;
}

void locate(std::vector<Problem>& problems, const std::vector<Origin>& origins) {
  std::map<std::string, const Origin*> by_key;
  for (const Origin& origin : origins) by_key.emplace(origin.key, &origin);
  for (Problem& problem : problems) {
    if (problem.line > 0) continue;
    for (std::string key = problem.key; !key.empty(); key = parent_of(key)) {
      const auto found = by_key.find(key);
      if (found == by_key.end()) continue;
      problem.line = found->second->line;
      problem.column = found->second->column;
      break;
    }
  }
}

std::optional<Problem> refuse_text(std::string_view text, const std::string& path,
                                   std::size_t max_bytes) {
  if (text.size() > max_bytes) {
    return Problem{path, 0, 0, "",
                   "the file has " + std::to_string(text.size()) + " bytes; at most " +
                       std::to_string(max_bytes) + " are read"};
  }
  int line = 1;
  int column = 1;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = sequence_length(text, i);
    if (length == 0) {
      return Problem{path, line, column, "",
                     "not UTF-8: byte " + hex_byte(text[i]) + " at offset " + std::to_string(i) +
                         "; save the file as UTF-8"};
    }
    const char c = text[i];
    const auto code = static_cast<unsigned char>(c);
    if ((code < 0x20 && c != '\n' && c != '\r' && c != '\t') || code == 0x7F) {
      return Problem{
          path, line, column, "",
          "control character " + hex_byte(c) + " at offset " + std::to_string(i) + "; remove it"};
    }
    column = c == '\n' ? 1 : column + 1;
    if (c == '\n') ++line;
    i += length;
  }
  return std::nullopt;
}

Problem explain_syntax(std::string_view text, const std::string& path, int line, int column,
                       const std::string& complaint) {
  int at_line = 1;
  for (std::size_t begin = 0; begin < text.size() && at_line <= line; ++at_line) {
    const std::size_t indent_end = text.find_first_not_of(" \t", begin);
    const std::string_view indent = text.substr(
        begin, indent_end == std::string_view::npos ? std::string_view::npos : indent_end - begin);
    const std::size_t tab = indent.find('\t');
    const bool blank = indent_end == std::string_view::npos || text[indent_end] == '\n' ||
                       text[indent_end] == '\r' || text[indent_end] == '#';
    if (tab != std::string_view::npos && !blank) {
      return {path, at_line, static_cast<int>(tab) + 1, "",
              "a tab in the indentation; YAML takes only spaces there"};
    }
    const std::size_t end = text.find('\n', begin);
    if (end == std::string_view::npos) break;
    begin = end + 1;
  }
  return {path, line, column, "", "not YAML: " + complaint};
}

}  // namespace kneepoint
