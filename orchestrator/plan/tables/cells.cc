// SPDX-License-Identifier: Apache-2.0
//
// Numbers with their marks and units, and the cells of a row made of them.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>
#include <vector>

#include "orchestrator/base/text.h"
#include "orchestrator/plan/tables/rows.h"

namespace kneepoint {
namespace {

constexpr double kMostPlainEfficiency = 1.5;  // above it: per cent without a sign
constexpr std::size_t kLongestName = 100;
constexpr double kMostParts = 1e9;  // days or hours of an elapsed time
constexpr char kAboveZero[] = "a number above 0";
constexpr std::string_view kCommaWithoutMark =
    "has a comma, which may part decimals or thousands; say --decimal comma or point";
constexpr std::string_view kStrayPoint = "has a point that parts no thousands (--decimal comma)";
constexpr std::string_view kStrayComma = "has a comma that parts no thousands (--decimal point)";

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

// "1:02:03.5" and "2-01:02:03", as schedulers write elapsed times.
std::optional<double> read_clock(std::string_view cell) {
  const std::size_t first = cell.find(':'), second = cell.find(':', first + 1);
  if (first == std::string_view::npos || second == std::string_view::npos) return std::nullopt;
  const std::size_t dash = std::min(cell.find('-'), first);
  const std::size_t hours_at = dash < first ? dash + 1 : 0;
  const auto days = dash < first ? parse_number<double>(cell.substr(0, dash)) : 0.0;
  const auto hours = parse_number<double>(cell.substr(hours_at, first - hours_at));
  const auto minutes = parse_number<double>(cell.substr(first + 1, second - first - 1));
  const auto seconds = parse_number<double>(cell.substr(second + 1));
  const auto is_part = [](const std::optional<double>& part, double most) {
    return part && *part >= 0 && *part < most;
  };
  if (!is_part(days, kMostParts) || !is_part(hours, kMostParts) || !is_part(minutes, 60) ||
      !is_part(seconds, 60)) {
    return std::nullopt;
  }
  return ((*days * 24 + *hours) * 60 + *minutes) * 60 + *seconds;
}

}  // namespace

CellNumber read_number(std::string_view cell, std::optional<DecimalMark> mark) {
  cell = trimmed(cell);
  if (cell.empty()) return {0, {}, "is missing"};
  if (const auto plain = parse_number<double>(cell); plain && !std::isfinite(*plain)) {
    return {0, {}, "is not a finite number"};
  }
  const auto [number, unit] = split(cell);
  if (!mark && number.find(',') != std::string_view::npos) return {0, {}, kCommaWithoutMark};
  const bool comma = mark == DecimalMark::comma;
  const char decimal = comma ? ',' : '.', thousands = comma ? '.' : ',';
  if (const std::size_t last = number.rfind(thousands); last != std::string_view::npos) {
    const std::string_view whole = number.substr(0, number.find(decimal));
    if (last >= whole.size() || !in_groups(whole, thousands)) {
      return {0, {}, comma ? kStrayPoint : kStrayComma};
    }
  }
  std::string plain;  // for from_chars
  for (std::size_t i = 0; i < number.size(); ++i) {
    const char c = number[i];
    const bool between = i > 0 && i + 1 < number.size() && is_digit(number[i - 1]);
    if (c == thousands || ((c == ' ' || c == '\'' || c == '_') && between)) continue;
    if (c == '+' && i == 0) continue;
    plain += c == decimal ? '.' : c;
  }
  double value = 0;
  const auto read = std::from_chars(plain.data(), plain.data() + plain.size(), value);
  if (read.ec == std::errc::result_out_of_range) return {0, {}, "is out of range"};
  if (read.ec != std::errc() || read.ptr != plain.data() + plain.size()) {
    return {0, {}, "is not a number"};
  }
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

bool is_whole_row(const TableRecord& record, std::size_t width, char delimiter,
                  TableProblems& problems) {
  if (record.open_quote_column > 0) {
    problems.add(record.line, record.open_quote_column, "", "this quote is never closed");
    return false;
  }
  const auto is_empty = [](const TableField& field) { return field.text.empty(); };
  if (std::all_of(record.fields.begin(), record.fields.end(), is_empty)) return false;
  for (std::size_t i = width; i < record.fields.size(); ++i) {
    if (is_empty(record.fields[i])) continue;
    problems.add(record.line, record.fields[i].column, "",
                 std::to_string(record.fields.size()) + " fields where the header has " +
                     std::to_string(width) +
                     (delimiter == ',' ? "; a comma inside a number needs quotes around it" : ""));
    return false;
  }
  return true;
}

std::string quoted_cell(std::string_view text) {
  constexpr std::size_t kShown = 40;
  return "'" + std::string(text.substr(0, kShown)) + (text.size() > kShown ? "...'" : "'");
}

std::string_view TableCells::text(ColumnKind kind) const {
  const int i = columns_.of(kind);
  if (i < 0 || static_cast<std::size_t>(i) >= record_->fields.size()) return {};
  return record_->fields[static_cast<std::size_t>(i)].text;
}

void TableCells::problem(ColumnKind kind, const std::string& message) {
  const auto i = static_cast<std::size_t>(columns_.of(kind));
  const TableField& at = record_->fields[std::min(i, record_->fields.size() - 1)];
  problems_.add(at.line > 0 ? at.line : record_->line, at.column, columns_.titles[i], message);
}

void TableCells::wrong(ColumnKind kind, std::string message) {
  const bool follows = message.starts_with(':') || message.starts_with(';');
  if (!text(kind).empty()) message = quoted_cell(text(kind)) + (follows ? "" : " ") + message;
  problem(kind, message);
}

void TableCells::refuse(ColumnKind kind, const CellNumber& number, const char* why,
                        const std::string& expected) {
  const std::string reason(number.problem.empty() ? why : number.problem);
  wrong(kind, reason + "; expected " + expected);
}

int TableCells::whole(ColumnKind kind, int least, int most, int fallback) {
  if (!columns_.has(kind)) return fallback;
  // Nobody has a third of a worker: a comma can only part thousands.
  const CellNumber number = read_number(text(kind), options_.decimal.value_or(DecimalMark::point));
  const double value = number.value;
  if (number.problem.empty() && number.unit.empty() && value == std::floor(value) &&
      value >= least && value <= most) {
    return static_cast<int>(value);
  }
  refuse(kind, number, "won't do",
         "a whole number from " + std::to_string(least) + " to " + std::to_string(most));
  return fallback;
}

std::optional<double> TableCells::positive(ColumnKind kind) {
  if (text(kind).empty()) return std::nullopt;
  const CellNumber number = read_number(text(kind), options_.decimal);
  if (number.problem.empty() && number.unit.empty() && number.value > 0) return number.value;
  refuse(kind, number, "won't do", kAboveZero);
  return std::nullopt;
}

Mode TableCells::mode() {
  if (text(ColumnKind::mode).empty()) return options_.mode;
  const auto mode = parse_mode(ascii_lower(text(ColumnKind::mode)));
  if (!mode) wrong(ColumnKind::mode, "is neither strong nor weak");
  return mode.value_or(Mode::strong);
}

std::string_view TableCells::name(ColumnKind kind, std::string_view fallback) {
  const std::string_view cell = text(kind);
  if (cell.empty()) return fallback;
  if (cell.size() > kLongestName || cell.find_first_of("/\r\n\t") != std::string_view::npos) {
    wrong(kind, "won't do as a name; expected at most " + std::to_string(kLongestName) +
                    " characters without '/' and line ends");
  }
  return cell;
}

double TableCells::value() {
  const ColumnKind kind = columns_.value;
  if (kind == ColumnKind::time) {
    if (const auto clock = read_clock(text(kind)); clock && *clock > 0) return *clock;
  }
  const CellNumber number = read_number(text(kind), options_.decimal);
  if (!number.problem.empty() || !(number.value > 0)) {
    refuse(kind, number, "is not above 0", kAboveZero);
    return 0;
  }
  const std::string unit = ascii_lower(number.unit);
  if (kind == ColumnKind::time) return time(number);
  if (kind == ColumnKind::efficiency) {
    if (unit == "%" || (unit.empty() && columns_.percent)) return number.value / 100;
    if (!unit.empty()) {
      wrong(kind, ": an efficiency is a plain number or has a %");
    } else if (number.value > kMostPlainEfficiency) {
      wrong(kind, "can't be a share; write 0.85 or 85%, or head the column 'efficiency (%)'");
    }
  } else if (!unit.empty() && !(kind == ColumnKind::speedup && unit == "x")) {
    wrong(kind, ": a plain number is expected, without a unit");
  }
  return number.value;
}

double TableCells::time(const CellNumber& number) {
  std::string_view unit = number.unit;
  std::optional<double> seconds = seconds_in(unit);
  if (!unit.empty() && !seconds) {
    problem(ColumnKind::time, quoted_cell(unit) + " is not a unit of time; expected " + kTimeUnits);
    return 0;
  }
  if (!seconds && columns_.time_unit) {
    unit = columns_.time_unit_word;
    seconds = columns_.time_unit;
  } else if (!seconds) {
    unit = options_.time_unit ? options_.time_unit_word : std::string_view("s");
    seconds = options_.time_unit.value_or(1);
    table_.unit_assumed = table_.unit_assumed || !options_.time_unit;
  }
  note_unit(unit);
  return number.value * *seconds;
}

void TableCells::note_unit(std::string_view unit) {
  auto& units = table_.units;
  if (!units.empty() && units.back() == unit) return;
  if (std::find(units.begin(), units.end(), unit) == units.end()) units.emplace_back(unit);
}

double TableCells::cost() {
  if (text(ColumnKind::cost).empty()) return -1;
  const CellNumber number = read_number(text(ColumnKind::cost), options_.decimal);
  if (!number.problem.empty() || number.value < 0) {
    refuse(ColumnKind::cost, number, "is below 0", "an amount of at least 0");
    return -1;
  }
  if (number.unit.empty()) return number.value;
  const bool euro = number.unit == "\xE2\x82\xAC";
  const std::string unit = number.unit == "$" ? "USD" : euro ? "EUR" : ascii_upper(number.unit);
  std::string& known = table_.cost_unit;
  if (known.empty()) known = unit;
  if (known != unit) {
    wrong(ColumnKind::cost,
          "is in " + unit + ", while others are in " + known + "; use one currency");
  }
  return number.value;
}

}  // namespace kneepoint
