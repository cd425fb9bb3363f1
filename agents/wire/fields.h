// SPDX-License-Identifier: Apache-2.0
//
// A struct of the wire is described once, in itself: the names of its fields in the order in which
// they are written, each with what is asked of it. The writer and the reader both go by that list;
// a member that is not in it is neither written nor read.
#pragma once

#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "orchestrator/base/fields.h"
#include "orchestrator/base/hash.h"
#include "orchestrator/base/json_text.h"

namespace kneepoint::wire {

// What is asked of a field.
enum class Rule {
  required,   // always there
  not_empty,  // the same, and its text says something
  any_sign,   // the same, and its whole number may be negative
  optional,   // always written; the struct's default where it is missing
  sparse,     // the same, and left out where it is the default
  base64,     // the same, and may be any bytes
};

// `get`: the data member.
template <typename Get, Rule kRule>
struct Field {
  const char* name;
  Get get;

  static constexpr Rule rule = kRule;
  static constexpr bool may_be_missing = kRule >= Rule::optional;
  static constexpr bool may_be_left_out = kRule >= Rule::sparse;
};

template <typename Get>
constexpr Field<Get, Rule::required> field(const char* name, Get get) {
  return {name, get};
}
template <typename Get>
constexpr Field<Get, Rule::not_empty> field_not_empty(const char* name, Get get) {
  return {name, get};
}
template <typename Get>
constexpr Field<Get, Rule::any_sign> field_any_sign(const char* name, Get get) {
  return {name, get};
}
template <typename Get>
constexpr Field<Get, Rule::optional> field_or_default(const char* name, Get get) {
  return {name, get};
}
template <typename Get>
constexpr Field<Get, Rule::sparse> field_if_any(const char* name, Get get) {
  return {name, get};
}
template <typename Get>
constexpr Field<Get, Rule::base64> field_as_base64(const char* name, Get get) {
  return {name, get};
}

using kneepoint::described;

// Calls visit(field) for each field of the struct. One whose fields depend on its value visits them
// itself.
template <typename T, typename Visit>
constexpr void each_field(const T& object, Visit&& visit) {
  if constexpr (requires { T::fields(); }) {
    std::apply([&](const auto&... field) { (visit(field), ...); }, T::fields());
  } else {
    object.each_field(visit);
  }
}

template <typename T>
inline constexpr bool is_optional = false;
template <typename T>
inline constexpr bool is_optional<std::optional<T>> = true;
template <typename T>
inline constexpr bool is_list = false;
template <typename T>
inline constexpr bool is_list<std::vector<T>> = true;
template <typename T>
inline constexpr bool is_plain = std::is_arithmetic_v<T> || std::is_same_v<T, std::string>;

using Pairs = std::vector<std::pair<std::string, std::string>>;  // an object of texts

template <typename T>
bool is_equal_to_default(const T& value, const T& fallback) {
  if constexpr (is_optional<T>) {
    return !value.has_value();
  } else if constexpr (is_list<T>) {
    return value.empty();
  } else {
    return value == fallback;
  }
}

// The fields of `object` into the object that is open.
template <typename T>
void put_fields(JsonWriter& w, const T& object);

template <typename T>
void put(JsonWriter& w, const T& value) {
  if constexpr (is_plain<T>) {
    w.value(value);
  } else if constexpr (is_optional<T>) {
    put(w, *value);
  } else if constexpr (std::is_same_v<T, Pairs>) {
    w.begin_object();
    for (const auto& [name, text] : value) w.key(name).value(text);
    w.end_object();
  } else if constexpr (is_list<T>) {
    w.begin_array();
    for (const auto& one : value) put(w, one);
    w.end_array();
  } else {
    w.begin_object();
    put_fields(w, value);
    w.end_object();
  }
}

template <typename T>
void put_fields(JsonWriter& w, const T& object) {
  each_field(object, [&](const auto& field) {
    using Listed = std::decay_t<decltype(field)>;
    const auto& value = object.*field.get;
    if constexpr (Listed::may_be_left_out) {
      static const T kDefault{};
      if (is_equal_to_default(value, kDefault.*field.get)) return;
    }
    w.key(field.name);
    if constexpr (Listed::rule == Rule::base64) {
      w.value(base64_encoded(*value));
    } else {
      put(w, value);
    }
  });
}

}  // namespace kneepoint::wire
