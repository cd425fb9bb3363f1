// SPDX-License-Identifier: Apache-2.0
//
// The tree is built from yaml-cpp's events rather than from its nodes: only events have the places
// of keys, see duplicate keys, and let us count what aliases would unfold to before it happens.
#include "orchestrator/plan/yaml/yaml.h"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include <map>
#include <regex>
#include <sstream>

#include "orchestrator/base/json_text.h"

namespace kneepoint {
namespace {

struct Stop {};  // the rest of the file is not worth reading; the problem is on record

int count_nodes(const YamlNode& node) {
  int count = 1;
  for (const YamlNode& item : node.items) count += count_nodes(item);
  for (const YamlEntry& entry : node.entries) count += count_nodes(entry.value);
  return count;
}

int depth_of(const YamlNode& node) {
  int deepest = 0;
  for (const YamlNode& item : node.items) deepest = std::max(deepest, depth_of(item));
  for (const YamlEntry& entry : node.entries) deepest = std::max(deepest, depth_of(entry.value));
  return deepest + 1;
}

class TreeBuilder : public YAML::EventHandler {
 public:
  TreeBuilder(YamlFile& file, const std::string& path) : file_(file), path_(path) {}

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (documents_++ == 0) return;
    add(mark, "a second document begins here; a file holds one document: remove the '---' line");
    throw Stop{};
  }
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    finish(make(mark, YamlNode::Kind::null), anchor);
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto known = anchors_.find(anchor);
    if (known == anchors_.end()) {  // still open: it would contain itself
      add(mark,
          "this alias stands inside the value that it names, so it never ends; write the "
          "value out");
      finish(make(mark, YamlNode::Kind::broken), 0);
      return;
    }
    spend(mark, count_nodes(known->second));
    if (static_cast<int>(open_.size()) + depth_of(known->second) > kMaxYamlDepth) too_deep(mark);
    finish(known->second, 0);
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    check_tag(mark, tag);
    YamlNode node = make(mark, YamlNode::Kind::scalar);
    if (value.find('\0') != std::string::npos) {
      add(node.line, node.column, "", "'\\0' in a text; no argument or variable can hold it");
    }
    node.text = value;
    node.quoted = tag != "?";
    finish(std::move(node), anchor);
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    check_tag(mark, tag);
    open(mark, YamlNode::Kind::list, anchor);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    check_tag(mark, tag);
    open(mark, YamlNode::Kind::map, anchor);
  }
  void OnMapEnd() override { close(); }

 private:
  struct Open {
    YamlNode node;
    YAML::anchor_t anchor = 0;
    bool has_key = false;  // map: the next node is the value of `key`
    bool drop = false;     // that value has no place: bad or duplicate key
    YamlEntry key;
    std::map<std::string, std::string> places;  // of the keys seen
  };

  void add(int line, int column, const std::string& key, std::string message) {
    file_.problems.push_back({path_, line, column, key, std::move(message)});
  }
  void add(const YAML::Mark& mark, std::string message) {
    add(mark.line + 1, mark.column + 1, "", std::move(message));
  }
  [[noreturn]] void too_deep(const YAML::Mark& mark) {
    add(mark, "nested more than " + std::to_string(kMaxYamlDepth) + " levels deep");
    throw Stop{};
  }
  void spend(const YAML::Mark& mark, int nodes) {
    nodes_ += nodes;
    if (nodes_ <= kMaxYamlNodes) return;
    add(mark, "the file comes to more than " + std::to_string(kMaxYamlNodes) +
                  " values once its aliases are written out");
    throw Stop{};
  }
  void check_tag(const YAML::Mark& mark, const std::string& tag) {
    if (tag.empty() || tag == "?" || tag == "!" || tag == "tag:yaml.org,2002:str") return;
    add(mark, "the tag '" + tag + "' is not used here; remove it");
  }

  YamlNode make(const YAML::Mark& mark, YamlNode::Kind kind) {
    spend(mark, 1);
    YamlNode node;
    node.kind = kind;
    node.line = mark.line + 1;
    node.column = mark.column + 1;
    return node;
  }
  void open(const YAML::Mark& mark, YamlNode::Kind kind, YAML::anchor_t anchor) {
    if (static_cast<int>(open_.size()) >= kMaxYamlDepth) too_deep(mark);
    Open opened;
    opened.node = make(mark, kind);
    opened.anchor = anchor;
    open_.push_back(std::move(opened));
  }
  void close() {
    Open closed = std::move(open_.back());
    open_.pop_back();
    finish(std::move(closed.node), closed.anchor);
  }

  // A node is complete: it goes into the one that is open.
  void finish(YamlNode node, YAML::anchor_t anchor) {
    if (anchor != 0) {
      nodes_ += count_nodes(node);  // the copy that aliases are made from
      anchors_[anchor] = node;
    }
    if (open_.empty()) {
      file_.root = std::move(node);
      return;
    }
    Open& into = open_.back();
    if (into.node.kind == YamlNode::Kind::list) {
      into.node.items.push_back(std::move(node));
    } else if (!into.has_key) {
      take_key(into, node);
    } else {
      into.has_key = false;
      if (into.drop) return;
      into.key.value = std::move(node);
      into.node.entries.push_back(std::move(into.key));
    }
  }

  // Dotted key of a word in the innermost open map.
  std::string path_of(const std::string& word) const {
    std::string path;
    for (std::size_t i = 0; i + 1 < open_.size(); ++i) {
      const Open& one = open_[i];
      if (one.node.kind == YamlNode::Kind::list) {
        path += "[" + std::to_string(one.node.items.size()) + "]";
      } else {
        path += (path.empty() ? "" : ".") + one.key.key;
      }
    }
    return path.empty() ? word : path + "." + word;
  }

  void take_key(Open& into, const YamlNode& node) {
    into.has_key = true;
    into.drop = true;
    if (node.kind != YamlNode::Kind::scalar) {
      add(node.line, node.column, "", "expected a word as key");
      return;
    }
    if (node.text == "<<" && !node.quoted) {
      add(node.line, node.column, path_of("<<"),
          "merging maps is not supported; write the keys out, or use "
          "an alias for a whole value");
      return;
    }
    const auto [seen, is_new] = into.places.emplace(
        node.text, std::to_string(node.line) + ":" + std::to_string(node.column));
    if (!is_new) {
      add(node.line, node.column, path_of(node.text),
          "given twice; the first is at " + seen->second);
      return;
    }
    into.drop = false;
    into.key = YamlEntry{node.text, node.line, node.column, {}};
  }

  YamlFile& file_;
  const std::string& path_;
  int documents_ = 0;
  int nodes_ = 0;
  std::vector<Open> open_;
  std::map<YAML::anchor_t, YamlNode> anchors_;
};

void collect_origins(const YamlNode& node, const std::string& key, std::vector<Origin>& origins) {
  if (!key.empty()) origins.push_back({key, node.line, node.column});
  for (std::size_t i = 0; i < node.items.size(); ++i) {
    collect_origins(node.items[i], key + "[" + std::to_string(i) + "]", origins);
  }
  for (const YamlEntry& entry : node.entries) {
    collect_origins(entry.value, key.empty() ? entry.key : key + "." + entry.key, origins);
  }
}

// JSON's grammar: no leading zeros, no plus, digits on both sides of the point.
bool is_json_number(const std::string& text) {
  constexpr std::size_t kLongest = 400;  // longer ones are texts
  static const std::regex grammar(R"(-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?)");
  return text.size() <= kLongest && std::regex_match(text, grammar);
}

// Numbers keep the digits that the file has, so that a large one stays exact.
void write(const YamlNode& node, JsonWriter& json) {
  using Kind = YamlNode::Kind;
  if (node.kind == Kind::scalar) {
    const bool word = node.text == "true" || node.text == "false" || node.text == "null";
    const bool is_json = !node.quoted && (word || is_json_number(node.text));
    is_json ? json.raw(node.text) : json.value(node.text);
  } else if (node.kind == Kind::list) {
    json.begin_array();
    for (const YamlNode& item : node.items) write(item, json);
    json.end_array();
  } else if (node.kind == Kind::map) {
    json.begin_object();
    for (const YamlEntry& entry : node.entries) write(entry.value, json.key(entry.key));
    json.end_object();
  } else {
    json.null();
  }
}

}  // namespace

YamlFile parse_yaml(std::string_view text, const std::string& path) {
  YamlFile file;
  file.root.kind = YamlNode::Kind::broken;
  if (auto problem = refuse_text(text, path, kMaxYamlBytes)) {
    file.problems.push_back(*problem);
    return file;
  }
  TreeBuilder builder(file, path);
  try {
    std::istringstream stream{std::string(text)};
    YAML::Parser parser(stream);
    while (parser.HandleNextDocument(builder)) {
    }
    if (file.root.kind == YamlNode::Kind::broken && file.problems.empty()) {
      file.problems.push_back({path, 0, 0, "", "the file is empty"});
    }
  } catch (const Stop&) {
    file.root = YamlNode{};
    file.root.kind = YamlNode::Kind::broken;
  } catch (const YAML::Exception& error) {
    file.root = YamlNode{};
    file.root.kind = YamlNode::Kind::broken;
    file.problems.push_back(
        explain_syntax(text, path, error.mark.line + 1, error.mark.column + 1, error.msg));
  }
  return file;
}

std::vector<Origin> origins_of(const YamlNode& root) {
  std::vector<Origin> origins;
  collect_origins(root, "", origins);
  return origins;
}

std::string json_of(const YamlNode& node) {
  JsonWriter json;
  write(node, json);
  return json.text();
}

}  // namespace kneepoint
