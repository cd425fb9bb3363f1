// SPDX-License-Identifier: Apache-2.0
//
// A table as text: records of fields, with the place of each. Comma, semicolon or tab; quotes as
// spreadsheets write them; blank lines and lines that begin with # are passed over. Views point
// into the text, so that a million rows need no copy. And the problems of a table: all are counted,
// the first few are kept, so that a million bad rows don't make a million lines.
#pragma once

#include <cstddef>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "orchestrator/plan/yaml/problem.h"

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

class TableText {
 public:
  explicit TableText(std::string_view text);

  char delimiter() const { return delimiter_; }
  bool has_quotes() const { return text_.find('"') != std::string_view::npos; }
  // False: no more. The record's fields are valid until the next call.
  bool next(TableRecord& record);
  void rewind();

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

constexpr std::size_t kMostTableProblems = 20;  // that are listed

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

}  // namespace kneepoint
