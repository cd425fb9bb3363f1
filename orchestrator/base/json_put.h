// SPDX-License-Identifier: Apache-2.0
//
// The one JSON writer of values: described structs (fields.h), optionals, pointers, lists, maps
// with names as keys, enums by their to_string(), texts and numbers.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "orchestrator/base/fields.h"
#include "orchestrator/base/json_text.h"

namespace kneepoint {

template <typename T>
inline constexpr bool is_optional = false;
template <typename T>
inline constexpr bool is_optional<std::optional<T>> = true;
template <typename T>
concept Nullable = is_optional<T> ||(std::is_pointer_v<T> && !std::is_same_v<T, const char*>);
template <typename T>
concept JsonText = std::is_convertible_v<const T&, std::string_view>;
template <typename T>
concept JsonList = !JsonText<T> && requires(const T& list) {
  list.begin() != list.end();
};
template <typename T>
concept JsonMap = JsonList<T> && requires(const T& map) {
  map.begin()->second;
};

// For a value that means something only if `known`.
template <typename T>
std::optional<T> when(bool known, T value) {
  return known ? std::optional<T>(value) : std::nullopt;
}

template <typename T>
bool holds_nothing(const T& value) {
  if constexpr (Nullable<T>) {
    return !value;
  } else if constexpr (JsonText<T>) {
    return std::string_view(value).empty();
  } else if constexpr (JsonList<T>) {
    return value.begin() == value.end();
  } else if constexpr (std::is_arithmetic_v<T>) {
    return !(value > 0);
  } else {
    return false;
  }
}

// Within an object that is open; of an absent one every field is null.
template <Described T>
void put_fields(JsonWriter& w, const T& value);
template <Described T>
void put_fields(JsonWriter& w, const std::optional<T>& value);

// The next value of an array, or of a key already written.
template <typename T>
void put(JsonWriter& w, const T& value) {
  if constexpr (Nullable<T>) {
    value ? put(w, *value) : static_cast<void>(w.null());
  } else if constexpr (Described<T>) {
    w.begin_object(is_on_one_line<T>);
    put_fields(w, value);
    w.end_object();
  } else if constexpr (std::is_enum_v<T>) {
    w.value(to_string(value));
  } else if constexpr (JsonMap<T>) {
    w.begin_object();
    for (const auto& [name, one] : value) w.put(name, one);
    w.end_object();
  } else if constexpr (JsonList<T>) {
    w.begin_array();
    for (const auto& one : value) put(w, one);
    w.end_array();
  } else {
    w.value(value);
  }
}

template <typename T>
JsonWriter& JsonWriter::put(std::string_view name, const T& value) {
  key(name);
  kneepoint::put(*this, value);
  return *this;
}

template <typename T>
JsonWriter& JsonWriter::put_if_any(std::string_view name, const T& value) {
  return holds_nothing(value) ? *this : put(name, value);
}

template <typename T>
JsonWriter& JsonWriter::put_or_null(std::string_view name, const T& value) {
  return holds_nothing(value) ? key(name).null() : put(name, value);
}

template <typename T, typename Get, Empty kEmpty>
void put_field(JsonWriter& w, const T& object, const Field<Get, kEmpty>& field) {
  const auto& value = value_of(object, field.get);
  if constexpr (kEmpty == Empty::shown) w.put(field.name, value);
  if constexpr (kEmpty == Empty::null) w.put_or_null(field.name, value);
  if constexpr (kEmpty == Empty::left_out) w.put_if_any(field.name, value);
}

// Of a list that says more of a field than this writer asks: whether it may be left out counts.
template <typename T, typename Listed>
requires requires {
  Listed::may_be_left_out;
}
void put_field(JsonWriter& w, const T& object, const Listed& field) {
  const auto& value = value_of(object, field.get);
  Listed::may_be_left_out ? w.put_if_any(field.name, value) : w.put(field.name, value);
}

template <typename T>
void put_field(JsonWriter&, const T&, OneLine) {}

template <typename T, typename Get>
void put_field(JsonWriter& w, const T& object, const FieldsOf<Get>& part) {
  put_fields(w, value_of(object, part.get));
}

template <Described T>
void put_fields(JsonWriter& w, const T& value) {
  std::apply([&](const auto&... one) { (put_field(w, value, one), ...); }, T::fields());
}

template <Described T>
void put_fields(JsonWriter& w, const std::optional<T>& value) {
  if (value) return put_fields(w, *value);
  const auto put_null = [&w](const auto& field) {
    if constexpr (requires { field.name; }) w.key(field.name).null();
  };
  std::apply([&](const auto&... one) { (put_null(one), ...); }, T::fields());
}

// The whole value as one text; `indent` as JsonWriter has it.
template <typename T>
std::string json_text(const T& value, int indent = 0) {
  JsonWriter w(indent);
  put(w, value);
  return w.text();
}

}  // namespace kneepoint
