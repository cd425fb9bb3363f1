// SPDX-License-Identifier: Apache-2.0
//
// The JSON schema of what json_put.h writes of a described struct: types follow from its members. A
// struct with a kSchema is referred to by that name (components/schemas of an OpenAPI document);
// another one's schema stands where it is used.
#pragma once

#include <array>
#include <string>

#include "orchestrator/base/json_put.h"

namespace kneepoint {

template <typename T>
concept NamedSchema = Described<T> && requires {
  T::kSchema;
};

// A field with a sentence about it.
template <typename Get, Empty kEmpty>
struct NotedField : Field<Get, kEmpty> {
  const char* about;
};
template <typename Get, Empty kEmpty>
constexpr NotedField<Get, kEmpty> about(const char* text, Field<Get, kEmpty> field) {
  return {field, text};
}

template <Described T>
void put_object_schema(JsonWriter& w, bool or_null = false);

// The keys of a schema, within an object that is open.
template <typename T>
void put_schema(JsonWriter& w, bool or_null = false) {
  const auto put_type = [&](const char* type) {
    or_null ? w.put("type", std::array{type, "null"}) : w.put("type", type);
  };
  const auto put_part = [&]<typename Part>(const char* key, const Part&) {
    put_schema<Part>(w.key(key).begin_object());
    w.end_object();
  };
  if constexpr (Nullable<T>) {
    put_schema<std::remove_cvref_t<decltype(*std::declval<const T&>())>>(w, true);
  } else if constexpr (NamedSchema<T>) {
    const std::string place = std::string("#/components/schemas/") + T::kSchema;
    if (!or_null) {
      w.put("$ref", place);
      return;
    }
    w.key("anyOf").begin_array().begin_object().put("$ref", place).end_object();
    w.begin_object().put("type", "null").end_object().end_array();
  } else if constexpr (Described<T>) {
    put_object_schema<T>(w, or_null);
  } else if constexpr (std::is_enum_v<T>) {
    w.key("enum").begin_array();
    for (const char* word : words_of(T{})) w.value(word);
    if (or_null) w.null();
    w.end_array();
  } else if constexpr (JsonText<T>) {
    put_type("string");
  } else if constexpr (JsonMap<T>) {
    put_type("object");
    put_part("additionalProperties", std::remove_cvref_t<decltype(T().begin()->second)>());
  } else if constexpr (JsonList<T>) {
    put_type("array");
    put_part("items", typename T::value_type());
  } else if constexpr (std::is_same_v<T, bool>) {
    put_type("boolean");
  } else {
    put_type(std::is_integral_v<T> ? "integer" : "number");
  }
}

// What a schema says of the field of some list.
template <typename Field>
struct FieldTraits {
  static constexpr bool is_field = requires(const Field& field) { field.name; };
  static constexpr bool may_be_null = false, may_be_missing = false;
};
template <typename Get, Empty kEmpty>
struct FieldTraits<Field<Get, kEmpty>> {
  static constexpr bool is_field = true;
  static constexpr bool may_be_null = kEmpty == Empty::null;
  static constexpr bool may_be_missing = kEmpty == Empty::left_out;
};
template <typename Get, Empty kEmpty>
struct FieldTraits<NotedField<Get, kEmpty>> : FieldTraits<Field<Get, kEmpty>> {};
template <typename Listed>
requires requires {
  Listed::may_be_left_out;
}
struct FieldTraits<Listed> {
  static constexpr bool is_field = true, may_be_null = false;
  static constexpr bool may_be_missing = Listed::may_be_left_out;
};

// Calls `each` with every field of T, and with the struct that it is read from.
template <typename T, typename Each>
void each_field(Each each) {
  const auto one = [&](const auto& field) {
    using F = std::remove_cvref_t<decltype(field)>;
    if constexpr (FieldTraits<F>::is_field) {
      each(field, std::type_identity<T>());
    } else if constexpr (!std::is_same_v<F, OneLine>) {  // FieldsOf
      using Part = std::remove_cvref_t<decltype(value_of(std::declval<const T&>(), field.get))>;
      each_field<Part>(each);
    }
  };
  std::apply([&](const auto&... fields) { (one(fields), ...); }, T::fields());
}

template <Described T>
void put_object_schema(JsonWriter& w, bool or_null) {
  or_null ? w.put("type", std::array{"object", "null"}) : w.put("type", "object");
  w.key("required").begin_array();
  each_field<T>([&]<typename F, typename From>(const F& field, From) {
    if (!FieldTraits<F>::may_be_missing) w.value(field.name);
  });
  w.end_array().key("properties").begin_object();
  each_field<T>([&]<typename F, typename From>(const F& field, From) {
    using Struct = typename From::type;
    using Value = std::remove_cvref_t<decltype(value_of(std::declval<const Struct&>(), field.get))>;
    put_schema<Value>(w.key(field.name).begin_object(), FieldTraits<F>::may_be_null);
    if constexpr (requires { field.about; }) w.put("description", field.about);
    w.end_object();
  });
  w.end_object();
}

}  // namespace kneepoint
