// SPDX-License-Identifier: Apache-2.0
//
// UTF-8 checked byte by byte; numbers by std::to_chars, which every standard library prints alike.
#include "orchestrator/base/json_text.h"

#include <charconv>
#include <cmath>

namespace kneepoint {
namespace {

// Length of the valid UTF-8 sequence at text[i], or 0.
std::size_t sequence_length(std::string_view text, std::size_t i) {
  const auto byte = [&](std::size_t k) { return static_cast<unsigned char>(text[k]); };
  const auto follows = [&](std::size_t k) { return k < text.size() && (byte(k) & 0xC0) == 0x80; };
  const unsigned char c = byte(i);
  if (c < 0x80) return 1;
  if (c >= 0xC2 && c <= 0xDF) return follows(i + 1) ? 2 : 0;
  if (c >= 0xE0 && c <= 0xEF) {
    if (!follows(i + 1) || !follows(i + 2)) return 0;
    if (c == 0xE0 && byte(i + 1) < 0xA0) return 0;
    if (c == 0xED && byte(i + 1) > 0x9F) return 0;
    return 3;
  }
  if (c >= 0xF0 && c <= 0xF4) {
    if (!follows(i + 1) || !follows(i + 2) || !follows(i + 3)) return 0;
    if (c == 0xF0 && byte(i + 1) < 0x90) return 0;
    if (c == 0xF4 && byte(i + 1) > 0x8F) return 0;
    return 4;
  }
  return 0;
}

}  // namespace

std::string json_quote(std::string_view text) {
  std::string out = "\"";
  for (std::size_t i = 0; i < text.size();) {
    const char c = text[i];
    const std::size_t length = sequence_length(text, i);
    if (length == 0) {
      out += "\xEF\xBF\xBD";
      ++i;
      continue;
    }
    if (length > 1) {
      out.append(text.substr(i, length));
    } else if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '\t') {
      out += "\\t";
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) {
      static constexpr char kHex[] = "0123456789abcdef";
      out += "\\u00";
      out += kHex[c >> 4 & 15];
      out += kHex[c & 15];
    } else {
      out += c;
    }
    i += length;
  }
  return out += '"';
}

std::string json_number(double value) {
  if (!std::isfinite(value)) return "null";
  // A whole number is written as one: 2000000, not 2e+06.
  if (value == std::trunc(value) && std::abs(value) < 1e15) {
    return std::to_string(static_cast<std::int64_t>(value));
  }
  char text[32];
  const auto end = std::to_chars(text, text + sizeof text, value);
  return std::string(text, end.ptr);
}

JsonWriter& JsonWriter::key(std::string_view name) {
  separate();
  text_ += json_quote(name);
  text_ += is_on_one_line() ? ":" : ": ";
  after_key_ = true;
  return *this;
}

JsonWriter& JsonWriter::raw(std::string_view json) {
  separate();
  text_ += json;
  return *this;
}

JsonWriter& JsonWriter::open(char bracket, bool on_one_line) {
  separate();
  text_ += bracket;
  ++depth_;
  if (on_one_line && line_depth_ == kNoLine) line_depth_ = depth_;
  first_ = true;
  return *this;
}

JsonWriter& JsonWriter::close(char bracket) {
  const bool on_one_line = is_on_one_line();
  --depth_;
  if (!first_ && !on_one_line) new_line();
  if (depth_ < line_depth_) line_depth_ = kNoLine;
  text_ += bracket;
  first_ = false;
  return *this;
}

void JsonWriter::separate() {
  if (after_key_) {
    after_key_ = false;
    first_ = false;
    return;
  }
  if (depth_ > 0) {
    if (!first_) text_ += ',';
    new_line();
  }
  first_ = false;
}

void JsonWriter::new_line() {
  if (is_on_one_line()) return;
  text_ += '\n';
  text_.append(static_cast<std::size_t>(indent_) * depth_, ' ');
}

}  // namespace kneepoint
