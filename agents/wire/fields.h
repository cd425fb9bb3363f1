// SPDX-License-Identifier: Apache-2.0
//
// What a struct of the wire says of its fields beyond their names (base/fields.h): may one be
// missing, empty or negative? Writer and reader both go by the list in the struct, and a member
// that is not in it is neither written nor read. A field of a plain KP_DESCRIBED struct is
// required.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "orchestrator/base/hash.h"
#include "orchestrator/base/json_put.h"

namespace kneepoint::wire {

enum class Rule {
  required,   // always there
  not_empty,  // the same, and its text says something
  any_sign,   // the same, and its whole number may be negative
  optional,   // always written; the struct's default where it is missing
  sparse,     // the same, and left out where it holds nothing
  base64,     // the same, and may be any bytes
};

// `get`: the data member.
template <typename Get, Rule kRule>
struct Field {
  const char* name;
  Get get;

  static constexpr Rule rule = kRule;
  static constexpr bool may_be_left_out = kRule >= Rule::sparse;
};

template <typename Listed>
constexpr Rule rule_of() {
  if constexpr (requires { Listed::rule; }) {
    return Listed::rule;
  } else {
    return Rule::required;
  }
}

// Fields with a rule in common: std::tuple_cat(wire::not_empty(KP_NAMED(name)), ...).
template <Rule kRule>
struct FieldsWith {
  template <typename... Get>
  constexpr auto operator()(kneepoint::Field<Get, Empty::shown>... fields) const {
    return std::tuple{Field<Get, kRule>{fields.name, fields.get}...};
  }
};
inline constexpr FieldsWith<Rule::required> required;
inline constexpr FieldsWith<Rule::not_empty> not_empty;
inline constexpr FieldsWith<Rule::any_sign> any_sign;
inline constexpr FieldsWith<Rule::optional> optional;
inline constexpr FieldsWith<Rule::sparse> sparse;
inline constexpr FieldsWith<Rule::base64> base64;

// Calls visit(field) for each field of the struct. One whose fields depend on its value visits them
// itself.
template <typename T, typename Visit>
constexpr void each_field(const T& object, Visit&& visit) {
  if constexpr (Described<T>) {
    std::apply([&](const auto&... field) { (visit(field), ...); }, T::fields());
  } else {
    object.each_field(visit);
  }
}

// For json_put.h, which writes all other fields.
template <typename T, typename Get>
void put_field(JsonWriter& w, const T& object, const Field<Get, Rule::base64>& field) {
  if (const auto& bytes = object.*field.get) w.put(field.name, base64_encoded(*bytes));
}

using Pairs = std::vector<std::pair<std::string, std::string>>;  // an object of texts

}  // namespace kneepoint::wire
