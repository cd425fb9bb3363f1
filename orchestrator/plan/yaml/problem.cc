// SPDX-License-Identifier: Apache-2.0
//
// How problems are shown, and where they belong.
#include "orchestrator/plan/yaml/problem.h"

#include <map>
#include <sstream>

#include "orchestrator/base/hash.h"
#include "orchestrator/base/json_text.h"

namespace kneepoint {
namespace {

// "a.b[2].c" -> "a.b[2]" -> "a.b" -> "a" -> ""
std::string parent_of(const std::string& key) {
  const std::size_t cut = key.find_last_of(".[");
  return cut == std::string::npos ? "" : key.substr(0, cut);
}

std::string hex_byte(char c) {
  return "0x" + hex_of_bytes(std::string_view(&c, 1));
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
    const std::size_t length = utf8_length(text, i);
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
  std::istringstream rows{std::string(text)};
  int at_line = 0;
  for (std::string row; ++at_line <= line && std::getline(rows, row);) {
    const std::size_t indent_end = row.find_first_not_of(" \t\r");
    const std::size_t tab = row.find('\t');
    if (indent_end == std::string::npos || row[indent_end] == '#' || tab > indent_end) continue;
    return {path, at_line, static_cast<int>(tab) + 1, "",
            "a tab in the indentation; YAML takes only spaces there"};
  }
  return {path, line, column, "", "not YAML: " + complaint};
}

}  // namespace kneepoint
