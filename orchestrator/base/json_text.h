// SPDX-License-Identifier: Apache-2.0
//
// Writing JSON without a library: quoting and numbers whose bytes are the same everywhere. Reading
// JSON is nlohmann's work, in the few files that include it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

namespace kneepoint {

// Of the UTF-8 sequence at text[i], by the standard: no overlong forms, no surrogates, at most
// U+10FFFF. 0: it is none.
std::size_t utf8_length(std::string_view text, std::size_t i);

// With quotes. Bytes that are not UTF-8 become U+FFFD, control characters are escaped.
std::string json_quote(std::string_view text);

// Shortest text that reads back to the same double, whole numbers without an exponent; "null" for
// infinities and NaN.
std::string json_number(double value);

// Builds one object or array, commas included: JsonWriter w; w.begin_object(); w.key("k").value(1);
class JsonWriter {
 public:
  explicit JsonWriter(int indent = 0) : indent_(indent) {}  // 0: one line
  // `on_one_line`: it stands on one line, whatever the indent.
  JsonWriter& begin_object(bool on_one_line = false) { return open('{', on_one_line); }
  JsonWriter& end_object() { return close('}'); }
  JsonWriter& begin_array() { return open('['); }
  JsonWriter& end_array() { return close(']'); }
  JsonWriter& key(std::string_view name);
  JsonWriter& value(std::string_view text) { return raw(json_quote(text)); }
  JsonWriter& value(const char* text) { return raw(json_quote(text)); }
  JsonWriter& value(double number) { return raw(json_number(number)); }
  JsonWriter& value(std::int64_t number) { return raw(std::to_string(number)); }
  JsonWriter& value(std::uint64_t number) { return raw(std::to_string(number)); }
  JsonWriter& value(int number) { return raw(std::to_string(number)); }
  JsonWriter& value(bool truth) { return raw(truth ? "true" : "false"); }
  JsonWriter& null() { return raw("null"); }
  JsonWriter& raw(std::string_view json);  // a value that is JSON already
  const std::string& text() const { return text_; }

  // A key and whatever json_put.h can write; of what holds nothing no key, or null.
  template <typename T>
  JsonWriter& put(std::string_view name, const T& value);
  template <typename T>
  JsonWriter& put_if_any(std::string_view name, const T& value);
  template <typename T>
  JsonWriter& put_or_null(std::string_view name, const T& value);

 private:
  JsonWriter& open(char bracket, bool on_one_line = false);
  JsonWriter& close(char bracket);
  void separate();
  void new_line();
  bool is_on_one_line() const { return indent_ == 0 || depth_ >= line_depth_; }

  static constexpr int kNoLine = std::numeric_limits<int>::max();
  int indent_;
  int depth_ = 0;
  int line_depth_ = kNoLine;  // of the object that stands on one line
  bool first_ = true;         // no comma before the next item
  bool after_key_ = false;
  std::string text_;
};

}  // namespace kneepoint
