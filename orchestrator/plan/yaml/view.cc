// SPDX-License-Identifier: Apache-2.0
//
// What the getters expect, as the problems say it.
#include "orchestrator/plan/yaml/view.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

#include "orchestrator/base/ensure.h"
#include "orchestrator/base/json_text.h"
#include "orchestrator/base/text.h"

namespace kneepoint {
namespace {

std::string shortened(const std::string& text) {
  constexpr std::size_t kMost = 40;
  std::string shown;
  for (const char c : text.substr(0, kMost)) shown += c == '\n' || c == '\r' || c == '\t' ? ' ' : c;
  if (text.size() <= kMost) return shown;
  while (!shown.empty() && (shown.back() & 0xC0) == 0x80) shown.pop_back();
  if (!shown.empty() && (shown.back() & 0x80) != 0) shown.pop_back();
  return shown + "...";
}

std::string what_is(const YamlNode& node) {
  if (node.kind == YamlNode::Kind::scalar) return "'" + shortened(node.text) + "'";
  if (node.kind == YamlNode::Kind::list) return "a list";
  return node.kind == YamlNode::Kind::map ? "a map" : "nothing";
}

std::string joined(std::span<const std::string> words) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) text += i + 1 == words.size() ? " or " : ", ";
    text += words[i];
  }
  return text;
}

}  // namespace

YamlView::YamlView(const YamlNode& root, const KeySet& keys, const std::string& file,
                   std::vector<Problem>& problems)
    : node_(&root), keys_(&keys), file_(&file), problems_(&problems) {
  key_line_ = root.line;
  key_column_ = root.column;
}

YamlView::YamlView(const YamlView& parent, const YamlNode* node, std::string name, std::string key)
    : node_(node),
      keys_(nullptr),
      file_(parent.file_),
      problems_(parent.problems_),
      name_(std::move(name)),
      key_(std::move(key)) {
  key_line_ = node != nullptr ? node->line : 0;
  key_column_ = node != nullptr ? node->column : 0;
}

YamlView YamlView::operator[](std::string_view key) const {
  const KeySpec* spec = nullptr;
  if (keys_ != nullptr && !free_names_) {
    for (const KeySpec& known : keys_->keys) {
      if (known.name == key) spec = &known;
    }
  }
  ENSURE(spec != nullptr, "a reader asks for a key that its key table lacks");
  const YamlEntry* found = nullptr;
  if (is(YamlNode::Kind::map)) {
    for (const YamlEntry& entry : node_->entries) {
      if (entry.key == key) found = &entry;
    }
  }
  YamlView view(*this, found != nullptr ? &found->value : nullptr, std::string(key),
                key_.empty() ? std::string(key) : key_ + "." + std::string(key));
  view.keys_ = spec->inner;
  view.free_names_ = spec->free_names;
  // What is missing is reported at the map that should have it.
  view.key_line_ = found != nullptr ? found->line : node_ != nullptr ? node_->line : key_line_;
  view.key_column_ = found != nullptr   ? found->column
                     : node_ != nullptr ? node_->column
                                        : key_column_;
  return view;
}

bool YamlView::must_be(YamlNode::Kind kind, const char* what) const {
  if (node_ != nullptr && node_->kind != kind) expected(what);
  return is(kind);
}

bool YamlView::check_map() const {
  if (!must_be(YamlNode::Kind::map, "a map")) return false;
  ENSURE(keys_ != nullptr && !free_names_, "check_map() of a value without a key table");
  std::vector<std::string> known;
  for (const KeySpec& spec : keys_->keys) known.push_back(spec.name);
  for (const YamlEntry& entry : node_->entries) {
    if (std::find(known.begin(), known.end(), entry.key) != known.end()) continue;
    problems_->push_back({*file_, entry.line, entry.column,
                          key_.empty() ? shortened(entry.key) : key_ + "." + shortened(entry.key),
                          unknown_word("key", entry.key, known)});
  }
  return true;
}

std::vector<YamlView> YamlView::items() const {
  std::vector<YamlView> views;
  if (!must_be(YamlNode::Kind::list, "a list")) return views;
  for (std::size_t i = 0; i < node_->items.size(); ++i) {
    const std::string index = "[" + std::to_string(i) + "]";
    YamlView view(*this, &node_->items[i], name_ + index, key_ + index);
    view.keys_ = keys_;
    view.free_names_ = free_names_;
    views.push_back(std::move(view));
  }
  return views;
}

std::vector<YamlView> YamlView::one_or_many() const {
  if (node_ == nullptr) return {};
  if (node_->kind == YamlNode::Kind::list) return items();
  return {*this};
}

std::vector<YamlView> YamlView::entries() const {
  std::vector<YamlView> views;
  if (!must_be(YamlNode::Kind::map, "a map")) return views;
  for (const YamlEntry& entry : node_->entries) {
    YamlView view(*this, &entry.value, entry.key, key_ + "." + shortened(entry.key));
    view.keys_ = keys_;
    view.key_line_ = entry.line;
    view.key_column_ = entry.column;
    views.push_back(std::move(view));
  }
  return views;
}

std::optional<std::string> YamlView::text() const {
  return must_be(YamlNode::Kind::scalar, "one value") ? std::optional(node_->text) : std::nullopt;
}

std::optional<std::string> YamlView::text(bool (*good)(std::string_view),
                                          const char* wanted) const {
  auto found = text();
  if (found && !good(*found)) expected(wanted);
  return found;
}

template <typename T>
std::optional<T> YamlView::number_within(T least, T most, const std::string& kind) const {
  if (is(YamlNode::Kind::scalar)) {
    const auto value = parse_number<T>(node_->text);
    if (value && *value >= least && *value <= most) return value;
  }
  const auto text_of = [](T value) {
    if constexpr (std::is_integral_v<T>) return std::to_string(value);
    return json_number(static_cast<double>(value));
  };
  expected(kind + " from " + text_of(least) + " to " + text_of(most));
  return std::nullopt;
}

std::optional<int> YamlView::integer(int least, int most) const {
  return number_within<int>(least, most, "a whole number");
}

std::optional<std::uint64_t> YamlView::seed() const {
  // SQLite keeps 63 bits.
  constexpr std::uint64_t kMost = std::numeric_limits<std::int64_t>::max();
  return number_within<std::uint64_t>(0, kMost, "a whole number");
}

std::optional<double> YamlView::number(double least, double most) const {
  return number_within<double>(least, most, "a number");
}

std::optional<bool> YamlView::truth() const {
  if (node_ == nullptr) return std::nullopt;
  if (node_->kind == YamlNode::Kind::scalar && node_->text == "true") return true;
  if (node_->kind == YamlNode::Kind::scalar && node_->text == "false") return false;
  expected("true or false");
  return std::nullopt;
}

std::optional<Nanoseconds> YamlView::duration(Nanoseconds least) const {
  if (node_ == nullptr) return std::nullopt;
  constexpr std::pair<std::string_view, Nanoseconds> kUnits[] = {
      {"ns", 1},      {"us", kMicrosecond}, {"ms", kMillisecond}, {"s", kSecond},
      {"m", kMinute}, {"h", kHour},         {"d", 24 * kHour}};
  constexpr double kMost = 1e18;  // 31 years
  if (node_->kind == YamlNode::Kind::scalar) {
    const std::string_view text = node_->text;
    const std::size_t unit_at = text.find_first_not_of("0123456789.");
    if (unit_at == std::string_view::npos && least == 0 && text == "0") return 0;
    for (const auto& [unit, size] : kUnits) {
      if (unit_at == std::string_view::npos || text.substr(unit_at) != unit) continue;
      const auto count = parse_number<double>(text.substr(0, unit_at));
      if (!count || *count * static_cast<double>(size) > kMost) break;
      const auto value = static_cast<Nanoseconds>(*count * static_cast<double>(size) + 0.5);
      if (value < least) break;
      return value;
    }
  }
  expected(std::string(least > 0 ? "a duration above 0" : "a duration") +
           " such as 500ms, 2s, 20m or 6h");
  return std::nullopt;
}

std::optional<double> YamlView::share() const {
  if (node_ == nullptr) return std::nullopt;
  if (node_->kind == YamlNode::Kind::scalar && !node_->text.empty()) {
    const bool percent = node_->text.back() == '%';
    const auto value =
        parse_number<double>(std::string_view(node_->text).substr(0, node_->text.size() - percent));
    const double result = value ? (percent ? *value / 100 : *value) : 0;
    if (result > 0 && result < 1) return result;
  }
  expected("a share between 0 and 1 such as 2% or 0.02");
  return std::nullopt;
}

std::optional<std::string> YamlView::word(std::span<const std::string> words) const {
  const bool scalar = is(YamlNode::Kind::scalar);
  if (scalar && std::find(words.begin(), words.end(), node_->text) != words.end()) {
    return node_->text;
  }
  const std::string near = scalar ? nearest_word(node_->text, words) : "";
  if (near.empty()) {
    expected(joined(words));
  } else {
    fail("expected " + joined(words) + ", found " + what_is(*node_) + "; did you mean '" + near +
         "'?");
  }
  return std::nullopt;
}

void YamlView::fail(std::string message) const {
  const bool placed = node_ != nullptr;
  problems_->push_back({*file_, placed ? node_->line : key_line_,
                        placed ? node_->column : key_column_, key_, std::move(message)});
}

void YamlView::fail_at_key(std::string message) const {
  problems_->push_back({*file_, key_line_, key_column_, key_, std::move(message)});
}

void YamlView::fail_at_keys(std::initializer_list<const char*> keys,
                            const std::string& message) const {
  for (const char* key : keys) {
    if (has(key)) (*this)[key].fail_at_key(message);
  }
}

void YamlView::expected(const std::string& what) const {
  if (node_ == nullptr || node_->kind == YamlNode::Kind::broken) return;
  fail("expected " + what + ", found " + what_is(*node_));
}

std::string unknown_word(const std::string& what, const std::string& word,
                         std::span<const std::string> known) {
  // Every word of one letter is near every other.
  const std::string near = word.size() > 1 ? nearest_word(word, known) : "";
  if (!near.empty()) return "unknown " + what + "; did you mean '" + near + "'?";
  if (known.empty()) return "unknown " + what + "; there are none here";
  return "unknown " + what + "; known here: " + comma_separated(known);
}

std::vector<Problem> read_yaml(std::string_view text, const std::string& path, const KeySet& keys,
                               const std::function<void(const YamlView&)>& read,
                               std::vector<Origin>* origins) {
  const YamlFile file = parse_yaml(text, path);
  std::vector<Problem> problems = file.problems;
  read(YamlView(file.root, keys, path, problems));
  std::stable_sort(problems.begin(), problems.end(), [](const Problem& a, const Problem& b) {
    return std::tie(a.line, a.column) < std::tie(b.line, b.column);
  });
  if (origins != nullptr) *origins = origins_of(file.root);
  return problems;
}

}  // namespace kneepoint
