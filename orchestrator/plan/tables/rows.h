// SPDX-License-Identifier: Apache-2.0
//
// From the bytes of a table to the values of its rows, private to the readers of tables: records of
// fields with the place of each, what the header makes of its columns, numbers with their units,
// and the cells of a row. What can be read in two ways is not read at all; each value is either
// good, or a problem with its place was added.
#pragma once

#include <array>
#include <cstddef>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "orchestrator/plan/tables/reader.h"

namespace kneepoint {

struct TableField {
  std::string_view text;  // without quotes and without blanks around it
  int column = 1;         // 1-based, in characters of its line
  int line = 0;           // 0: that of its record
};

struct TableRecord {
  int line = 0;  // 1-based, where it begins
  std::vector<TableField> fields;
  int open_quote_column = 0;  // above 0: a quote that is never closed
};

// Comma, semicolon or tab; quotes as spreadsheets write them; blank lines and lines that begin with
// # are passed over. Views point into the text, so that a million rows need no copy.
class TableText {
 public:
  explicit TableText(std::string_view text);

  char delimiter() const { return delimiter_; }
  // False: no more. The record's fields are valid until the next call.
  bool next(TableRecord& record);

 private:
  void skip_lines_without_fields();
  void read_field(TableRecord& record);
  std::size_t end_of_line(std::size_t from) const;
  void step_over_line_end();

  std::string_view text_;
  char delimiter_ = ',';
  std::size_t at_ = 0;
  std::size_t line_begin_ = 0;
  int line_ = 1;
  std::deque<std::string> unquoted_;  // fields with doubled quotes
};

// All are counted, the first few are kept, so that a million bad rows don't make a million lines.
class TableProblems {
 public:
  explicit TableProblems(std::string file) : file_(std::move(file)) {}
  void add(int line, int column, std::string key, std::string message);
  std::size_t count() const { return count_; }
  std::vector<Problem> take();  // with a last one that says how many more there are

 private:
  std::string file_;
  std::size_t count_ = 0;
  std::vector<Problem> kept_;
};

std::string_view trimmed(std::string_view text);  // blanks, tabs and no-break spaces

struct TableColumns {
  int line = 0;                         // of the header
  std::array<int, kColumnKinds> index;  // of each kind among the fields; -1: not there
  std::vector<std::string> titles;      // as written
  ColumnKind value = ColumnKind::time;  // what T is read from: the first there is of time,
                                        // throughput, speedup, efficiency
  std::optional<double> time_unit;      // seconds; none: the header names none
  std::string time_unit_word;           // as written
  bool percent = false;                 // of an efficiency: the header says %
  std::string cost_unit;                // currency, upper case; "" when not said
  std::optional<WorkerUnit> worker;     // what the name of K's column says
  std::vector<std::string> unused;      // titles

  int of(ColumnKind kind) const { return index[static_cast<std::size_t>(kind)]; }
  bool has(ColumnKind kind) const { return of(kind) >= 0; }
  const std::string& title(ColumnKind kind) const {
    return titles[static_cast<std::size_t>(of(kind))];
  }
};

// By one list of names, units in brackets or after an underscore. A column that nothing needs is
// named, not guessed at. Adds to `problems` what stops the table from being read.
TableColumns read_columns(const TableRecord& header, TableProblems& problems);

// Of the table's first record; `wanted` is what an empty table lacks.
TableColumns read_header(TableText& text, const char* wanted, TableProblems& problems);

struct CellNumber {
  double value = 0;
  std::string_view unit;     // what follows the number (or stands before it: "$3"); "" if nothing
  std::string_view problem;  // not empty: why there is no value
};

// "3.2 s", "1e-3", "12 500", "$3.20", "95%"; "1,234.5" or "1.234,5" where the mark is given.
CellNumber read_number(std::string_view cell, std::optional<DecimalMark> mark);

// Not blank, and no wider than the header. Problems are added.
bool is_whole_row(const TableRecord& record, std::size_t width, char delimiter,
                  TableProblems& problems);

class TableCells {
 public:
  TableCells(const TableColumns& columns, const TableOptions& options, TableProblems& problems,
             Table& table)
      : columns_(columns), options_(options), problems_(problems), table_(table) {}

  void set_row(const TableRecord& record) { record_ = &record; }  // until the next
  std::string_view text(ColumnKind kind) const;
  void problem(ColumnKind kind, const std::string& message);  // at the cell
  void wrong(ColumnKind kind, std::string message);           // the same, after its text in quotes

  // `fallback`: there is no such column.
  int whole(ColumnKind kind, int least, int most, int fallback);
  std::optional<double> positive(ColumnKind kind);
  Mode mode();
  // `fallback`: no such column, or an empty cell.
  std::string_view name(ColumnKind kind, std::string_view fallback);
  double value();  // the number that T comes from: above 0; a time is in seconds already
  double cost();   // below 0: not said

 private:
  // `why`, unless the number itself has a problem.
  void refuse(ColumnKind kind, const CellNumber& number, const char* why,
              const std::string& expected);
  double time(const CellNumber& number);
  void note_unit(std::string_view unit);

  const TableColumns& columns_;
  const TableOptions& options_;
  TableProblems& problems_;
  Table& table_;
  const TableRecord* record_ = nullptr;
};

std::string quoted_cell(std::string_view text);  // in quotes, cut where it is long

}  // namespace kneepoint
