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
constexpr char kAboveZero[] = "a number above 0";
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

// "1:02:03.5" and "2-01:02:03", as schedulers write elapsed times.
std::optional<double> read_clock(std::string_view cell) {
  const auto take = [&](char end) -> std::optional<double> {
    const std::string_view part = cell.substr(0, cell.find(end));
    double value = 0;
    const auto read = std::from_chars(part.data(), part.data() + part.size(), value);
    cell.remove_prefix(std::min(part.size() + 1, cell.size()));
    const bool whole = !part.empty() && is_digit(part.front()) && read.ec == std::errc() &&
                       read.ptr == part.data() + part.size();
    return whole ? std::optional(value) : std::nullopt;
  };
  if (count(cell, ':') != 2) return std::nullopt;
  const auto days = cell.find('-') == std::string_view::npos ? std::optional(0.0) : take('-');
  const auto hours = take(':'), minutes = take(':'), seconds = take('\0');
  if (!days || !hours || !minutes || !seconds || *minutes >= 60 || *seconds >= 60) {
    return std::nullopt;
  }
  return ((*days * 24 + *hours) * 60 + *minutes) * 60 + *seconds;
}

}  // namespace

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

DecimalMark find_mark(TableText& text, const TableColumns& columns) {
  if (text.delimiter() == ',' && !text.has_quotes()) return DecimalMark::point;
  TableRecord record;
  text.rewind();
  text.next(record);  // the header
  while (text.next(record)) {
    for (const ColumnKind kind : {columns.value, ColumnKind::cost, ColumnKind::size}) {
      const auto i = static_cast<std::size_t>(columns.of(kind));
      if (!columns.has(kind) || i >= record.fields.size()) continue;
      const DecimalMark mark = mark_of(split(trimmed(record.fields[i].text)).first);
      if (mark != DecimalMark::unknown) return mark;
    }
  }
  return DecimalMark::unknown;
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

std::string_view TableCells::text(const TableRecord& record, ColumnKind kind) const {
  const int i = columns_.of(kind);
  if (i < 0 || static_cast<std::size_t>(i) >= record.fields.size()) return {};
  return record.fields[static_cast<std::size_t>(i)].text;
}

void TableCells::problem(const TableRecord& record, ColumnKind kind, const std::string& message) {
  const auto i = static_cast<std::size_t>(columns_.of(kind));
  const TableField& at = record.fields[std::min(i, record.fields.size() - 1)];
  problems_.add(at.line > 0 ? at.line : record.line, at.column, columns_.titles[i], message);
}

void TableCells::refuse(const TableRecord& record, ColumnKind kind, const CellNumber& number,
                        const char* why, const std::string& expected) {
  const std::string_view cell = text(record, kind);
  const std::string reason(number.problem.empty() ? why : number.problem);
  problem(record, kind,
          (cell.empty() ? reason : quoted_cell(cell) + " " + reason) + "; expected " + expected);
}

int TableCells::whole(const TableRecord& record, ColumnKind kind, int least, int most,
                      int fallback) {
  if (!columns_.has(kind)) return fallback;
  const std::string_view cell = text(record, kind);
  // Nobody has a third of a worker: a lone comma can only part thousands.
  const bool comma = mark_ == DecimalMark::comma;
  const CellNumber number = read_number(cell, comma ? mark_ : DecimalMark::point);
  const double value = number.value;
  if (number.problem.empty() && number.unit.empty() && value == std::floor(value) &&
      value >= least && value <= most) {
    return static_cast<int>(value);
  }
  refuse(record, kind, number, "won't do",
         "a whole number from " + std::to_string(least) + " to " + std::to_string(most));
  return fallback;
}

std::optional<double> TableCells::positive(const TableRecord& record, ColumnKind kind) {
  const std::string_view cell = text(record, kind);
  if (cell.empty()) return std::nullopt;
  const CellNumber number = read_number(cell, mark_);
  if (number.problem.empty() && number.unit.empty() && number.value > 0) return number.value;
  refuse(record, kind, number, "won't do", kAboveZero);
  return std::nullopt;
}

Mode TableCells::mode(const TableRecord& record) {
  const std::string_view cell = text(record, ColumnKind::mode);
  if (cell.empty()) return options_.mode;
  const auto mode = parse_mode(ascii_lower(cell));
  if (!mode) problem(record, ColumnKind::mode, quoted_cell(cell) + " is neither strong nor weak");
  return mode.value_or(Mode::strong);
}

std::string_view TableCells::name(const TableRecord& record, ColumnKind kind,
                                  std::string_view fallback) {
  const std::string_view cell = text(record, kind);
  if (cell.empty()) return fallback;
  if (cell.size() > kLongestName || cell.find_first_of("/\r\n\t") != std::string_view::npos) {
    problem(record, kind,
            quoted_cell(cell) + " won't do as a name; expected at most " +
                std::to_string(kLongestName) + " characters without '/' and line ends");
  }
  return cell;
}

double TableCells::value(const TableRecord& record) {
  const ColumnKind kind = columns_.value;
  const std::string_view cell = text(record, kind);
  if (kind == ColumnKind::time) {
    if (const auto clock = read_clock(cell); clock && *clock > 0) return *clock;
  }
  const CellNumber number = read_number(cell, mark_);
  if (!number.problem.empty() || !(number.value > 0)) {
    refuse(record, kind, number, "is not above 0", kAboveZero);
    return 0;
  }
  if (kind == ColumnKind::time) return time(record, number);
  if (kind == ColumnKind::efficiency) return efficiency(record, number);
  const bool times = kind == ColumnKind::speedup && ascii_lower(number.unit) == "x";
  if (!number.unit.empty() && !times) {
    problem(record, kind, quoted_cell(cell) + ": a plain number is expected, without a unit");
  }
  return number.value;
}

double TableCells::time(const TableRecord& record, const CellNumber& number) {
  if (!number.unit.empty()) {
    const auto seconds = seconds_in(number.unit);
    if (seconds) {
      note_unit(number.unit);
      return number.value * *seconds;
    }
    problem(record, ColumnKind::time,
            quoted_cell(number.unit) + " is not a unit of time; expected " + kTimeUnits);
    return 0;
  }
  if (columns_.time_unit) {
    note_unit(columns_.time_unit_word);
    return number.value * *columns_.time_unit;
  }
  table_.unit_assumed = table_.unit_assumed || !options_.time_unit;
  note_unit(options_.time_unit ? options_.time_unit_word : "s");
  return number.value * options_.time_unit.value_or(1);
}

void TableCells::note_unit(std::string_view unit) {
  auto& units = table_.units;
  if (!units.empty() && units.back() == unit) return;
  if (std::find(units.begin(), units.end(), unit) == units.end()) units.emplace_back(unit);
}

double TableCells::efficiency(const TableRecord& record, const CellNumber& number) {
  const std::string_view cell = text(record, ColumnKind::efficiency);
  if (number.unit == "%" || (number.unit.empty() && columns_.percent)) return number.value / 100;
  if (!number.unit.empty()) {
    problem(record, ColumnKind::efficiency,
            quoted_cell(cell) + ": an efficiency is a plain number or has a %");
  } else if (number.value > kMostPlainEfficiency) {
    problem(record, ColumnKind::efficiency,
            quoted_cell(cell) +
                " can't be a share; write 0.85 or 85%, or head the column 'efficiency (%)'");
  }
  return number.value;
}

double TableCells::cost(const TableRecord& record) {
  const std::string_view cell = text(record, ColumnKind::cost);
  if (cell.empty()) return -1;
  const CellNumber number = read_number(cell, mark_);
  if (!number.problem.empty() || number.value < 0) {
    refuse(record, ColumnKind::cost, number, "is below 0", "an amount of at least 0");
    return -1;
  }
  if (number.unit.empty()) return number.value;
  const bool euro = number.unit == "\xE2\x82\xAC";
  const std::string unit = number.unit == "$" ? "USD" : euro ? "EUR" : ascii_upper(number.unit);
  std::string& known = table_.cost_unit;
  if (known.empty()) known = unit;
  if (known != unit) {
    problem(record, ColumnKind::cost,
            quoted_cell(cell) + " is in " + unit + ", while others are in " + known +
                "; use one currency");
  }
  return number.value;
}

}  // namespace kneepoint
