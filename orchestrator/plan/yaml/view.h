// SPDX-License-Identifier: Apache-2.0
//
// Typed getters over a YamlNode that put what is wrong on a list instead of stopping: a getter
// answers nullopt for a value that is absent (no problem) or wrong (one problem, with its place and
// what was expected). KeySets say which keys a map may have (keys.h makes them of tables that
// read).
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "orchestrator/base/clock.h"
#include "orchestrator/base/fields.h"
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
  bool has(std::string_view key) const { return (*this)[key].present(); }

  // Is it a map, and has it only known keys? Adds the problems if not; true if it is a map.
  bool check_map() const;
  std::vector<YamlView> items() const;        // of a list
  std::vector<YamlView> one_or_many() const;  // a list's items, or the value itself
  std::vector<YamlView> entries() const;      // of a map with free names

  std::optional<std::string> text() const;  // any scalar, as written
  // The same, and a problem if it does not pass the test: "expected <wanted>, found ...".
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
  // Of a map: at each of these keys that is there.
  void fail_at_keys(std::initializer_list<const char*> keys, const std::string& message) const;
  std::size_t problems() const { return problems_->size(); }  // of the file, so far

 private:
  YamlView(const YamlView& parent, const YamlNode* node, std::string name, std::string key);
  bool must_be(YamlNode::Kind kind, const char* what) const;  // a problem if it is something else
  template <typename T>
  std::optional<T> number_within(T least, T most, const std::string& kind) const;

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

// How the value of a key is read into a T. Nothing: the reader of the map does that itself.
template <typename T>
struct Reads {
  std::function<void(const YamlView&, T&)> into;
  const KeySet* inner = nullptr;  // keys of the map, or of each map in the list
  bool free_names = false;
  std::string type;               // on the page
  const char* missing = nullptr;  // what is wrong when the key is not there
};

// A KeySet that reads.
template <typename T>
struct Keys : KeySet {
  struct Row {
    const char* name;
    Reads<T> reads = {};
    const char* fallback = "";
    const char* meaning = "";
  };

  Keys(std::initializer_list<Row> rows) {
    for (const Row& row : rows) {
      keys.push_back({row.name, row.reads.inner, row.reads.free_names, row.reads.type, row.fallback,
                      row.meaning});
      reads_.push_back(row.reads);
    }
  }

  // False: absent or no map, and nothing was read.
  bool read(const YamlView& view, T& object) const {
    if (!view.check_map()) return false;
    read_values(view, object);
    return true;
  }
  std::optional<T> read(const YamlView& view) const {
    T object;
    return read(view, object) ? std::optional(std::move(object)) : std::nullopt;
  }
  // Of a map whose keys were looked at before.
  void read_values(const YamlView& view, T& object) const {
    for (std::size_t i = 0; i < keys.size(); ++i) {
      const YamlView value = view[keys[i].name];
      if (reads_[i].missing != nullptr && !value.present()) value.fail(reads_[i].missing);
      if (reads_[i].into) reads_[i].into(value, object);
    }
  }

 private:
  std::vector<Reads<T>> reads_;
};

// By a getter that gives nothing where there is nothing to assign; `type` is for the page.
template <typename T, typename M, typename Get>
Reads<T> reads_by(M T::*member, std::string type, Get get, const KeySet* inner = nullptr) {
  return {[=](const YamlView& view, T& object) { read_into(get(view), object.*member); }, inner,
          false, std::move(type)};
}

template <typename T, typename M>
Reads<T> text(M T::*member) {
  return reads_by(member, "text", [](const YamlView& view) { return view.text(); });
}
// One that passes a test, else: "expected <wanted>, found ...".
template <typename T>
Reads<T> text(std::string T::*member, bool (*good)(std::string_view), const char* wanted) {
  return reads_by(member, "text", [=](const YamlView& view) { return view.text(good, wanted); });
}
template <typename T, typename M>
Reads<T> whole(M T::*member, int least, int most) {
  return reads_by(member, "number",
                  [=](const YamlView& view) { return view.integer(least, most); });
}
template <typename T, typename M>
Reads<T> number(M T::*member, double least, double most) {
  return reads_by(member, "number", [=](const YamlView& view) { return view.number(least, most); });
}
template <typename T, typename M>
Reads<T> truth(M T::*member) {
  return reads_by(member, "`true`, `false`", [](const YamlView& view) { return view.truth(); });
}
template <typename T, typename M>
Reads<T> share(M T::*member) {
  return reads_by(member, "share", [](const YamlView& view) { return view.share(); });
}
template <typename T, typename M>
Reads<T> duration(M T::*member, Nanoseconds least) {
  return reads_by(member, "duration", [=](const YamlView& view) { return view.duration(least); });
}
template <typename T, typename M>
Reads<T> seconds(M T::*member, Nanoseconds least) {  // a duration as a number of seconds
  return reads_by(member, "duration", [=](const YamlView& view) -> std::optional<double> {
    const auto time = view.duration(least);
    return time ? std::optional(to_seconds(*time)) : std::nullopt;
  });
}
template <typename T>
Reads<T> seed(std::uint64_t T::*member) {
  return reads_by(member, "whole number", [](const YamlView& view) { return view.seed(); });
}
// "`core`, `none`"
inline std::string listed_words(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "`" : ", `") + word + "`";
  return text;
}
template <typename T>
Reads<T> word(std::string T::*member, std::vector<std::string> words) {
  return reads_by(member, listed_words(words),
                  [=](const YamlView& view) { return view.word(words); });
}

// Values by their words, for what is no enum with words of its own.
template <typename E>
using Words = std::vector<std::pair<std::string, E>>;

template <typename E>
std::optional<E> value_of_word(const YamlView& view, const Words<E>& words) {
  std::vector<std::string> names;
  for (const auto& [word, value] : words) names.push_back(word);
  const auto found = view.word(names);
  for (const auto& [word, value] : words) {
    if (found == word) return value;
  }
  return std::nullopt;
}
template <typename T, typename M>
Reads<T> one_of(M T::*member, Words<M> words) {
  return reads_by(member, "", [=](const YamlView& view) { return value_of_word(view, words); });
}

template <Worded E>
std::vector<std::string> word_list() {
  const auto words = words_of(E{});
  return {words.begin(), words.end()};
}
template <Worded E>
std::optional<E> read_word(const YamlView& view) {
  const auto found = view.word(word_list<E>());
  return found ? parse_word<E>(*found) : std::nullopt;
}
template <typename T, Worded E>
Reads<T> one_of(E T::*member) {
  return reads_by(member, listed_words(word_list<E>()), read_word<E>);
}
template <typename T, Worded E>
Reads<T> one_of(std::optional<E> T::*member) {
  return reads_by(member, listed_words(word_list<E>()), read_word<E>);
}

// The texts of a list, added to those that are there.
template <typename T>
Reads<T> texts(std::vector<std::string> T::*member) {
  return {[=](const YamlView& view, T& object) {
    for (const YamlView& item : view.items()) {
      if (auto text = item.text()) (object.*member).push_back(std::move(*text));
    }
  }};
}

// By a function of the reader's own: of the value and the member, or of the value and the T.
template <typename T, typename M>
Reads<T> by(M T::*member, void (*read)(const YamlView&, M&), const KeySet* inner = nullptr) {
  return {[=](const YamlView& view, T& object) { read(view, object.*member); }, inner};
}
template <typename T>
Reads<T> by(void (*read)(const YamlView&, T&), const KeySet* inner = nullptr) {
  return {read, inner};
}
template <typename T, typename M>  // a map with names of the user's own choice
Reads<T> names_by(M T::*member, void (*read)(const YamlView&, M&), const KeySet* inner = nullptr) {
  return {[=](const YamlView& view, T& object) { read(view, object.*member); }, inner, true};
}
// A map for a member (an optional one: if it is there), for more of the same T, or a list of maps.
// `check`: what no key can see alone.
template <typename T, typename M>
Reads<T> map_for(M T::*member, const Keys<M>& inner, void (*check)(const YamlView&, M&) = nullptr) {
  const auto read = [=, &inner](const YamlView& view, T& object) {
    if (inner.read(view, object.*member) && check != nullptr) check(view, object.*member);
  };
  return {read, &inner, false, "map"};
}
template <typename T, typename M>
Reads<T> map_for(std::optional<M> T::*member, const Keys<M>& inner) {
  return reads_by(
      member, "map", [&inner](const YamlView& view) { return inner.read(view); }, &inner);
}
template <typename T>
Reads<T> map_of(const Keys<T>& inner, void (*check)(const YamlView&, T&) = nullptr) {
  const auto read = [=, &inner](const YamlView& view, T& object) {
    if (inner.read(view, object) && check != nullptr) check(view, object);
  };
  return {read, &inner, false, "map"};
}
template <typename T, typename M>
Reads<T> list_of(std::vector<M> T::*member, const Keys<M>& inner) {
  const auto read = [=, &inner](const YamlView& view, T& object) {
    for (const YamlView& item : view.items()) {
      if (auto one = inner.read(item)) (object.*member).push_back(std::move(*one));
    }
  };
  return {read, &inner, false, "list"};
}

template <typename T>
Reads<T> required(Reads<T> reads, const char* missing) {
  reads.missing = missing;
  return reads;
}

// What the reader of the map reads itself: maps with keys, and maps with names of the user's own
// choice, whose values may have keys.
struct ReadElsewhere {
  const KeySet* inner = nullptr;
  bool free_names = false;
  const char* type = "";
  template <typename T>
  operator Reads<T>() const {  // NOLINT: a row takes either
    return {{}, inner, free_names, type};
  }
};
inline ReadElsewhere elsewhere(const KeySet& inner) {
  return {&inner, false};
}
inline ReadElsewhere free_names(const KeySet* inner = nullptr) {
  return {inner, true};
}

// What the page says that a key takes, where its reader does not say so itself.
template <typename T>
Reads<T> as(const char* type, Reads<T> reads) {
  reads.type = type;
  return reads;
}
inline ReadElsewhere as(const char* type, ReadElsewhere reads = {}) {
  reads.type = type;
  return reads;
}

}  // namespace kneepoint
