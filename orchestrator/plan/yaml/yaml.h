// SPDX-License-Identifier: Apache-2.0
//
// A YAML file as a tree of nodes that know their place. What may hurt is refused while reading:
// files that are too big, too deep or not UTF-8, duplicate keys, aliases that never end. yaml-cpp
// stays inside yaml.cc; view.h has the typed getters.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "orchestrator/plan/yaml/problem.h"

namespace kneepoint {

constexpr std::size_t kMaxYamlBytes = 1 << 20;
constexpr int kMaxYamlDepth = 32;
constexpr int kMaxYamlNodes = 100'000;  // after aliases are replaced by what they name

struct YamlEntry;

struct YamlNode {
  enum class Kind { null, scalar, list, map, broken };  // broken: a problem is on record already
  Kind kind = Kind::null;
  std::string text;  // scalar: as written, quotes removed
  bool quoted = false;
  std::vector<YamlNode> items;     // list
  std::vector<YamlEntry> entries;  // map: in the file's order, keys distinct
  int line = 0;                    // 1-based
  int column = 0;
};

struct YamlEntry {
  std::string key;
  int line = 0;
  int column = 0;
  YamlNode value;
};

struct YamlFile {
  YamlNode root;  // broken if the text can't be read at all
  std::vector<Problem> problems;
};

// `path` is only for messages. An alias is replaced by a copy of what it names.
YamlFile parse_yaml(std::string_view text, const std::string& path);

// Every value of the tree by its dotted key.
std::vector<Origin> origins_of(const YamlNode& root);

// A value as JSON, for what is handed on as it is. Words without quotes that JSON has (numbers,
// true, false, null) become that; everything else is a string.
std::string json_of(const YamlNode& node);

}  // namespace kneepoint
