// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/plan/tables/values.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>
#include <vector>

#include "orchestrator/base/text.h"
#include "orchestrator/plan/tables/text.h"

namespace kneepoint {
namespace {

constexpr std::string_view kNotANumber = "is not a number";
constexpr std::string_view kPointAmongCommas =
    "has a decimal point, while others have a decimal comma";
constexpr std::string_view kCommaAmongPoints =
    "has a decimal comma, while others have a decimal point";
constexpr std::string_view kTwoWays =
    "can be read in two ways (decimal comma or thousands); say --decimal comma or point";

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool is_unit_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '%' || c == '$' ||
         static_cast<unsigned char>(c) >= 0x80;
}

// Number and unit: the unit is at the end ("3 s"), or before a currency's amount ("$3").
std::pair<std::string_view, std::string_view> split(std::string_view cell) {
  std::size_t end = cell.size();
  while (end > 0 && is_unit_character(cell[end - 1])) --end;
  if (end < cell.size()) return {trimmed(cell.substr(0, end)), cell.substr(end)};
  std::size_t begin = 0;
  while (begin < cell.size() && is_unit_character(cell[begin])) ++begin;
  return {trimmed(cell.substr(begin)), cell.substr(0, begin)};
}

// "1,234,567": groups of three after the first.
bool in_groups(std::string_view number, char separator) {
  std::size_t digits = 0, groups = 0;
  for (const char c : number) {
    if (c == separator) {
      if (digits == 0 || digits > 3 || (groups > 0 && digits != 3)) return false;
      ++groups;
      digits = 0;
    } else if (is_digit(c)) {
      ++digits;
    } else if (c != '-' && c != '+') {
      return false;
    }
  }
  return groups > 0 && digits == 3;
}

std::size_t count(std::string_view text, char c) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), c));
}

// The mark by which this one number is read; `unknown`: it can be both.
DecimalMark mark_of(std::string_view number) {
  const std::size_t commas = count(number, ','), points = count(number, '.');
  if (commas > 0 && points > 0) {
    return number.rfind(',') > number.rfind('.') ? DecimalMark::comma : DecimalMark::point;
  }
  if (commas > 1 || points > 1) return commas > 1 ? DecimalMark::point : DecimalMark::comma;
  if (commas + points == 0) return DecimalMark::unknown;
  const bool both = in_groups(number, commas > 0 ? ',' : '.') && !number.starts_with('0');
  if (both) return DecimalMark::unknown;
  return commas > 0 ? DecimalMark::comma : DecimalMark::point;
}

// Plain text for from_chars; "" when thousands don't stand in threes.
std::string plain_number(std::string_view number, DecimalMark mark) {
  const char decimal = mark == DecimalMark::comma ? ',' : '.';
  const char thousands = mark == DecimalMark::comma ? '.' : ',';
  const std::string_view whole = number.substr(0, std::min(number.find(decimal), number.size()));
  if (whole.find(thousands) != std::string_view::npos && !in_groups(whole, thousands)) return "";
  std::string plain;
  for (std::size_t i = 0; i < number.size(); ++i) {
    const char c = number[i];
    const bool between = i > 0 && i + 1 < number.size() && is_digit(number[i - 1]);
    if (c == thousands || ((c == ' ' || c == '\'' || c == '_') && between)) continue;
    if (c == '+' && i == 0) continue;
    plain += c == decimal ? '.' : c;
  }
  return plain;
}

}  // namespace

DecimalMark mark_in(std::string_view cell) {
  return mark_of(split(trimmed(cell)).first);
}

CellNumber read_number(std::string_view cell, DecimalMark mark) {
  cell = trimmed(cell);
  if (cell.empty()) return {0, {}, "is missing"};
  const auto [number, unit] = split(cell);
  const std::string word = ascii_lower(cell);
  if (number.empty() || number == "-" || number == "+") {
    const bool infinite = word.find("inf") != std::string::npos;
    const bool nan = word == "nan" || word == "-nan" || word == "+nan";
    if (infinite || nan) return {0, {}, "is not a finite number"};
    return {0, {}, kNotANumber};
  }
  const DecimalMark own = mark_of(number);
  const bool has_marks = number.find_first_of(",.") != std::string_view::npos;
  if (mark == DecimalMark::unknown) {
    mark = own;
    if (mark == DecimalMark::unknown && number.find(',') != std::string_view::npos) {
      return {0, {}, kTwoWays};
    }
  } else if (has_marks && own != DecimalMark::unknown && own != mark) {
    return {0, {}, mark == DecimalMark::comma ? kPointAmongCommas : kCommaAmongPoints};
  }
  const std::string plain = plain_number(number, mark);
  double value = 0;
  const auto read = std::from_chars(plain.data(), plain.data() + plain.size(), value);
  if (read.ec == std::errc::result_out_of_range) return {0, {}, "is out of range"};
  if (plain.empty() || read.ec != std::errc() || read.ptr != plain.data() + plain.size()) {
    return {0, {}, kNotANumber};
  }
  if (!std::isfinite(value)) return {0, {}, "is not a finite number"};
  return {value, unit, {}};
}

std::optional<double> seconds_in(std::string_view unit) {
  static const std::vector<std::pair<double, std::vector<std::string_view>>> kUnits = {
      {1e-9, {"ns", "nanosecond", "nanoseconds"}},
      {1e-6, {"us", "\xC2\xB5s", "\xCE\xBCs", "usec", "microsecond", "microseconds"}},
      {1e-3, {"ms", "msec", "msecs", "millis", "millisecond", "milliseconds"}},
      {1, {"s", "sec", "secs", "second", "seconds"}},
      {60, {"min", "mins", "minute", "minutes"}},
      {3600, {"h", "hr", "hrs", "hour", "hours"}},
      {86400, {"d", "day", "days"}},
  };
  const std::string word = ascii_lower(unit);
  for (const auto& [seconds, names] : kUnits) {
    if (std::find(names.begin(), names.end(), word) != names.end()) return seconds;
  }
  return std::nullopt;
}

std::optional<double> read_clock(std::string_view cell) {
  cell = trimmed(cell);
  if (count(cell, ':') != 2) return std::nullopt;
  const auto number = [](std::string_view text, double& value) {
    const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
    return !text.empty() && is_digit(text.front()) && read.ec == std::errc() &&
           read.ptr == text.data() + text.size();
  };
  double days = 0, hours = 0, minutes = 0, seconds = 0;
  const std::size_t dash = cell.find('-');
  if (dash != std::string_view::npos) {
    if (!number(cell.substr(0, dash), days)) return std::nullopt;
    cell.remove_prefix(dash + 1);
  }
  const std::size_t first = cell.find(':'), second = cell.rfind(':');  // not in the days
  if (!number(cell.substr(0, first), hours) ||
      !number(cell.substr(first + 1, second - first - 1), minutes) ||
      !number(cell.substr(second + 1), seconds) || minutes >= 60 || seconds >= 60) {
    return std::nullopt;
  }
  return ((days * 24 + hours) * 60 + minutes) * 60 + seconds;
}

}  // namespace kneepoint
