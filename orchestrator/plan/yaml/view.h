// SPDX-License-Identifier: Apache-2.0
//
// Typed getters over a YamlNode that put what is wrong on a list instead of stopping: a getter
// answers nullopt for a value that is absent (no problem) or wrong (one problem, with its place and
// what was expected). KeySets say which keys a map may have (keys.h makes them of tables that
// read).
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "orchestrator/base/clock.h"
#include "orchestrator/plan/yaml/yaml.h"

namespace kneepoint {

struct KeySet;

struct KeySpec {
  std::string name;
  const KeySet* inner = nullptr;  // keys of the map (or of each map in the list) that it may hold
  bool free_names = false;        // it holds a map with names of the user's own choice...
                                  // ...whose values have the `inner` keys, if any
  // Its row in docs/reference: what it takes, its default, and what it is for. A key without the
  // last two stands in the row of the one before it, or shows its inner keys in its place.
  std::string type, fallback, meaning;
};

struct KeySet {
  std::vector<KeySpec> keys;
};

class YamlView {
 public:
  // All three outlive the view and those made from it. `file` is only for messages.
  YamlView(const YamlNode& root, const KeySet& keys, const std::string& file,
           std::vector<Problem>& problems);

  bool present() const { return node_ != nullptr; }
  bool is(YamlNode::Kind kind) const { return node_ != nullptr && node_->kind == kind; }
  const std::string& name() const { return name_; }  // last word of the dotted key
  const std::string& key() const { return key_; }
  const YamlNode* node() const { return node_; }  // nullptr: absent

  // A value of this map; absent if the key is not there. Asking for a key outside the KeySet is a
  // bug.
  YamlView operator[](std::string_view key) const;

  // Is it a map, and has it only known keys? Adds the problems if not; true if it is a map.
  bool check_map() const;
  std::vector<YamlView> items() const;        // of a list
  std::vector<YamlView> one_or_many() const;  // a list's items, or the value itself
  std::vector<YamlView> entries() const;      // of a map with free names

  std::optional<std::string> text() const;  // any scalar, as written
  // The same, and a problem if it does not pass the test: "expected <wanted>, found '<text>'".
  std::optional<std::string> text(bool (*good)(std::string_view), const char* wanted) const;
  std::optional<int> integer(int least, int most) const;
  std::optional<std::uint64_t> seed() const;
  std::optional<double> number(double least, double most) const;
  std::optional<bool> truth() const;
  std::optional<Nanoseconds> duration(Nanoseconds least) const;
  std::optional<double> share() const;  // "2%" or 0.02, within (0, 1)
  // One of the words, or a problem with the nearest of them.
  std::optional<std::string> word(std::span<const std::string> words) const;

  void fail(std::string message) const;          // at the value
  void fail_at_key(std::string message) const;   // at its key
  void expected(const std::string& what) const;  // "expected <what>, found <what is there>"
  std::size_t problems() const { return problems_->size(); }  // of the file, so far

 private:
  YamlView(const YamlView& parent, const YamlNode* node, std::string name, std::string key);

  const YamlNode* node_;
  const KeySet* keys_;
  bool free_names_ = false;
  const std::string* file_;
  std::vector<Problem>* problems_;
  std::string name_;
  std::string key_;
  int key_line_ = 0;
  int key_column_ = 0;
};

// Assigns only if there is a value: read_into(view["warmup"].integer(0, 100), plan.warmup);
template <typename From, typename To>
void read_into(std::optional<From> value, To& target) {
  if (value) target = std::move(*value);
}

// "unknown key; did you mean 'size'?" or a list of what is known.
std::string unknown_word(const std::string& what, const std::string& word,
                         std::span<const std::string> known);

// A whole file: `read` is given its root, and the answer is every problem by its place. `origins`,
// if wanted: of all its values.
std::vector<Problem> read_yaml(std::string_view text, const std::string& path, const KeySet& keys,
                               const std::function<void(const YamlView&)>& read,
                               std::vector<Origin>* origins = nullptr);

}  // namespace kneepoint
