// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/plan/tables/cells.h"

#include <algorithm>
#include <cmath>

#include "orchestrator/base/text.h"

namespace kneepoint {
namespace {

constexpr double kMostPlainEfficiency = 1.5;  // above it: per cent without a sign
constexpr std::size_t kLongestName = 100;
constexpr char kAboveZero[] = "a number above 0";

}  // namespace

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
