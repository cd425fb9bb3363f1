// SPDX-License-Identifier: Apache-2.0
//
// How structs lie in rows. A struct lists its columns once, in columns(), or in fields() where they
// are those that JSON has; statements select, read and insert by that list. A member that is itself
// such a struct stands for its own columns, with the name of the field before each of theirs.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <vector>

#include "orchestrator/base/fields.h"
#include "orchestrator/model/attempt.h"
#include "orchestrator/model/baseline.h"
#include "orchestrator/model/plan.h"
#include "orchestrator/model/row_table.h"
#include "orchestrator/model/shape.h"

namespace kneepoint {

template <typename T>
concept ListsColumns = requires {
  T::columns();
};
template <typename T>
concept Columned = ListsColumns<T> || Described<T>;

template <Columned T>
constexpr auto columns_of() {
  if constexpr (ListsColumns<T>) {
    return T::columns();
  } else {
    return T::fields();
  }
}

template <typename T>
inline constexpr bool is_tuple = false;
template <typename... T>
inline constexpr bool is_tuple<std::tuple<T...>> = true;
template <typename T>
inline constexpr bool is_optional_value = false;
template <typename T>
inline constexpr bool is_optional_value<std::optional<T>> = true;

// visit(value) for every column of a struct or tuple; for any other value, with itself.
template <typename T, typename Visit>
void each_value(T& row, const Visit& visit) {
  using Plain = std::remove_const_t<T>;
  if constexpr (is_tuple<Plain>) {
    std::apply([&](auto&... one) { (each_value(one, visit), ...); }, row);
  } else if constexpr (Columned<Plain>) {
    const auto visit_column = [&](const auto& column) {
      if constexpr (requires { column.get; }) each_value(std::invoke(column.get, row), visit);
    };
    std::apply([&](const auto&... column) { (visit_column(column), ...); }, columns_of<Plain>());
  } else {
    visit(row);
  }
}

// The names of all columns, each after `before`.
template <Columned T>
std::vector<std::string> names_of_columns(const std::string& before = "") {
  std::vector<std::string> names;
  const auto add = [&](const auto& column) {
    if constexpr (requires { column.get; }) {
      using Value = std::remove_cvref_t<std::invoke_result_t<decltype(column.get), T&>>;
      if constexpr (Columned<Value>) {
        for (std::string& name : names_of_columns<Value>(before + column.name)) {
          names.push_back(std::move(name));
        }
      } else {
        names.push_back(before + column.name);
      }
    }
  };
  std::apply([&](const auto&... column) { (add(column), ...); }, columns_of<T>());
  return names;
}

// "a, b", or with an ending "a = ?, b = ?".
inline std::string list_of_names(const std::vector<std::string>& names,
                                 const std::string& ending = "") {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name + ending;
  return text;
}
template <Columned T>
std::string select_list(const std::string& before = "") {
  return list_of_names(names_of_columns<T>(before));
}

// "INSERT INTO samples (attempt, iteration, ...) VALUES (?, ?, ...)"; `keys`: what a row has beside
// the columns of T, bound before them.
inline std::string insert_text(const std::string& table, const std::vector<std::string>& names) {
  return "INSERT INTO " + table + " (" + list_of_names(names) + ") VALUES (" +
         list_of_names(std::vector<std::string>(names.size(), "?")) + ")";
}
template <Columned T>
std::string insert_text(const std::string& table, std::vector<std::string> keys = {}) {
  for (std::string& name : names_of_columns<T>()) keys.push_back(std::move(name));
  return insert_text(table, keys);
}

template <typename T>
Cell to_cell(const T& value) {
  if constexpr (is_optional_value<T>) {
    return value ? to_cell(*value) : Cell();
  } else if constexpr (std::is_enum_v<T>) {
    return Cell(std::string(to_string(value)));
  } else if constexpr (std::is_integral_v<T>) {
    return Cell(static_cast<std::int64_t>(value));
  } else {
    return Cell(value);
  }
}

// The opposite. False: the cell is of another type, or has a word that we don't know.
template <typename T>
bool from_cell(const Cell& cell, T& value) {
  if constexpr (is_optional_value<T>) {
    value.reset();
    return std::holds_alternative<std::monostate>(cell) || from_cell(cell, value.emplace());
  } else if constexpr (std::is_enum_v<T>) {
    const auto* word = std::get_if<std::string>(&cell);
    const auto known = word == nullptr ? std::nullopt : parse_word<T>(*word);
    if (known) value = *known;
    return known.has_value();
  } else if constexpr (std::is_same_v<T, std::string>) {
    const auto* text = std::get_if<std::string>(&cell);
    if (text != nullptr) value = *text;
    return text != nullptr;
  } else if (const auto* integer = std::get_if<std::int64_t>(&cell)) {  // 1.0 may be written as 1
    value = static_cast<T>(*integer);
    return !std::is_integral_v<T> || static_cast<std::int64_t>(value) == *integer;
  } else {
    const auto* real = std::get_if<double>(&cell);
    if (real == nullptr || std::is_integral_v<T>) return false;
    value = static_cast<T>(*real);
    return true;
  }
}

}  // namespace kneepoint
