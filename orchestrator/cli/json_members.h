// SPDX-License-Identifier: Apache-2.0
//
// JSON from values: members of an object by pairs of key and value, lists of objects by a function
// that writes the members of one. What does not exist is null.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "orchestrator/base/json_text.h"

namespace kneepoint::cli {

template <typename T>
void put_value(JsonWriter& json, const T& value) {
  json.value(value);
}
template <typename T>
void put_value(JsonWriter& json, const std::optional<T>& value) {
  value ? json.value(*value) : json.null();
}
inline void put_value(JsonWriter& json, const std::vector<std::string>& texts) {
  json.begin_array();
  for (const std::string& text : texts) json.value(text);
  json.end_array();
}

// put_members(json, "k", point.k, "time", point.time)
template <typename T, typename... More>
void put_members(JsonWriter& json, const char* key, const T& value, const More&... more) {
  put_value(json.key(key), value);
  if constexpr (sizeof...(more) > 0) put_members(json, more...);
}

// "key": {...}, with the members that `put` writes.
template <typename Put>
void put_object(JsonWriter& json, const char* key, const Put& put) {
  json.key(key).begin_object();
  put();
  json.end_object();
}

// "key": [{...}, ...], where put(row) writes the members of each.
template <typename Rows, typename Put>
void put_objects(JsonWriter& json, const char* key, const Rows& rows, const Put& put) {
  json.key(key).begin_array();
  for (const auto& row : rows) {
    json.begin_object();
    put(row);
    json.end_object();
  }
  json.end_array();
}

}  // namespace kneepoint::cli
