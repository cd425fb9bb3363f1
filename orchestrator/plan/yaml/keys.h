// SPDX-License-Identifier: Apache-2.0
//
// A map of a file and the struct that it fills in, described once: a table of the map's keys, each
// with what reads its value into which member and within which range, and its row in
// docs/reference. Reading, unknown keys, the pages and the schemas' test go by these tables. Keys
// are read in the order of the table, as are what is missing and what is known told in it.
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "orchestrator/plan/yaml/view.h"

namespace kneepoint {

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

// By a getter of YamlView that gives nothing where there is nothing to assign.
template <typename T, typename M, typename Get>
Reads<T> reads_by(M T::*member, Get get, std::string type = "", const KeySet* inner = nullptr) {
  return {[=](const YamlView& view, T& object) { read_into(get(view), object.*member); }, inner,
          false, std::move(type)};
}

template <typename T, typename M>
Reads<T> text(M T::*member) {
  return reads_by(
      member, [](const YamlView& view) { return view.text(); }, "text");
}
// One that passes a test, or is told: "expected <wanted>, found '<text>'".
template <typename T>
Reads<T> text(std::string T::*member, bool (*good)(std::string_view), const char* wanted) {
  return {
      [=](const YamlView& view, T& object) { read_into(view.text(good, wanted), object.*member); },
      nullptr, false, "text"};
}
template <typename T, typename M>
Reads<T> whole(M T::*member, int least, int most) {
  return reads_by(
      member, [=](const YamlView& view) { return view.integer(least, most); }, "number");
}
template <typename T, typename M>
Reads<T> number(M T::*member, double least, double most) {
  return reads_by(
      member, [=](const YamlView& view) { return view.number(least, most); }, "number");
}
template <typename T, typename M>
Reads<T> truth(M T::*member) {
  return reads_by(
      member, [](const YamlView& view) { return view.truth(); }, "`true`, `false`");
}
template <typename T, typename M>
Reads<T> share(M T::*member) {
  return reads_by(
      member, [](const YamlView& view) { return view.share(); }, "share");
}
template <typename T, typename M>
Reads<T> duration(M T::*member, Nanoseconds least) {
  return reads_by(
      member, [=](const YamlView& view) { return view.duration(least); }, "duration");
}
template <typename T, typename M>
Reads<T> seconds(M T::*member, Nanoseconds least) {  // a duration as a number of seconds
  const auto get = [=](const YamlView& view) -> std::optional<double> {
    const auto time = view.duration(least);
    return time ? std::optional(to_seconds(*time)) : std::nullopt;
  };
  return reads_by(member, get, "duration");
}
template <typename T>
Reads<T> seed(std::uint64_t T::*member) {
  return reads_by(
      member, [](const YamlView& view) { return view.seed(); }, "whole number");
}
// "`core`, `none`"
inline std::string listed_words(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "`" : ", `") + word + "`";
  return text;
}
template <typename T>
Reads<T> word(std::string T::*member, std::vector<std::string> words) {
  return reads_by(
      member, [=](const YamlView& view) { return view.word(words); }, listed_words(words));
}

// The values of an enum by their words.
template <typename E>
using Words = std::vector<std::pair<std::string, E>>;

template <typename E>
std::vector<std::string> names_of_words(const Words<E>& words) {
  std::vector<std::string> names;
  for (const auto& [word, value] : words) names.push_back(word);
  return names;
}
template <typename E>
std::optional<E> value_of_word(const YamlView& view, const Words<E>& words) {
  const auto found = view.word(names_of_words(words));
  for (const auto& [word, value] : words) {
    if (found == word) return value;
  }
  return std::nullopt;
}
template <typename T, typename M, typename E>
Reads<T> one_of(M T::*member, Words<E> words) {
  return reads_by(
      member, [=](const YamlView& view) { return value_of_word(view, words); },
      listed_words(names_of_words(words)));
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
// A map for a member, or for more of the same T.
template <typename T, typename M>
Reads<T> map_for(M T::*member, const Keys<M>& inner) {
  return {[=, &inner](const YamlView& view, T& object) { inner.read(view, object.*member); },
          &inner, false, "map"};
}
template <typename T>
Reads<T> map_of(const Keys<T>& inner) {
  return {[&inner](const YamlView& view, T& object) { inner.read(view, object); }, &inner, false,
          "map"};
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
