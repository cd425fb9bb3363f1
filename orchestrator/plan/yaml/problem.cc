// SPDX-License-Identifier: Apache-2.0
//
// How problems are shown, and where they belong.
#include "orchestrator/plan/yaml/problem.h"

#include <map>

namespace kneepoint {
namespace {

// "a.b[2].c" -> "a.b[2]" -> "a.b" -> "a" -> ""
std::string parent_of(const std::string& key) {
  const std::size_t cut = key.find_last_of(".[");
  return cut == std::string::npos ? "" : key.substr(0, cut);
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

}  // namespace kneepoint
