// SPDX-License-Identifier: Apache-2.0
//
// Writing JSON without a library: quoting and numbers whose bytes are the same everywhere. Reading
// JSON is nlohmann's work, in the few files that include it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace kneepoint {

// With quotes. Bytes that are not UTF-8 become U+FFFD, control characters are escaped.
std::string json_quote(std::string_view text);

// Shortest text that reads back to the same double, whole numbers without an exponent; "null" for
// infinities and NaN.
std::string json_number(double value);

// Builds one object or array, commas included: JsonWriter w; w.begin_object(); w.key("k").value(1);
class JsonWriter {
 public:
  explicit JsonWriter(int indent = 0) : indent_(indent) {}  // 0: one line
  JsonWriter& begin_object() { return open('{'); }
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

 private:
  JsonWriter& open(char bracket);
  JsonWriter& close(char bracket);
  void separate();
  void new_line();

  int indent_;
  int depth_ = 0;
  bool first_ = true;  // no comma before the next item
  bool after_key_ = false;
  std::string text_;
};

}  // namespace kneepoint
