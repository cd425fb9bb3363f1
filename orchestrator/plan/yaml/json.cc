// SPDX-License-Identifier: Apache-2.0
//
// Numbers keep the digits that the file has, so that a large one stays exact.
#include "orchestrator/plan/yaml/json.h"

#include <string_view>

#include "orchestrator/base/json_text.h"

namespace kneepoint {
namespace {

// Takes digits off the front; false if there is none.
bool take_digits(std::string_view& text) {
  const std::size_t end = text.find_first_not_of("0123456789");
  if (end == 0 || text.empty()) return false;
  text.remove_prefix(end == std::string_view::npos ? text.size() : end);
  return true;
}

// JSON's grammar: no leading zeros, no plus, digits on both sides of the point.
bool is_json_number(std::string_view text) {
  if (text.starts_with('-')) text.remove_prefix(1);
  if (text.size() > 1 && text[0] == '0' && text[1] >= '0' && text[1] <= '9') return false;
  if (!take_digits(text)) return false;
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    if (!take_digits(text)) return false;
  }
  if (text.starts_with('e') || text.starts_with('E')) {
    text.remove_prefix(1);
    if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
    if (!take_digits(text)) return false;
  }
  return text.empty();
}

void write(const YamlNode& node, JsonWriter& json) {
  switch (node.kind) {
    case YamlNode::Kind::null:
    case YamlNode::Kind::broken:
      json.null();
      return;
    case YamlNode::Kind::scalar: {
      const bool word = node.text == "true" || node.text == "false" || node.text == "null";
      if (!node.quoted && (word || is_json_number(node.text))) {
        json.raw(node.text);
      } else {
        json.value(node.text);
      }
      return;
    }
    case YamlNode::Kind::list:
      json.begin_array();
      for (const YamlNode& item : node.items) write(item, json);
      json.end_array();
      return;
    case YamlNode::Kind::map:
      json.begin_object();
      for (const YamlEntry& entry : node.entries) {
        json.key(entry.key);
        write(entry.value, json);
      }
      json.end_object();
      return;
  }
}

}  // namespace

std::string json_of(const YamlNode& node) {
  JsonWriter json;
  write(node, json);
  return json.text();
}

}  // namespace kneepoint
