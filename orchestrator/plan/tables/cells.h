// SPDX-License-Identifier: Apache-2.0
//
// The cells of one row as values: each either good, or a problem with its place was added.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "orchestrator/plan/tables/reader.h"

namespace kneepoint {

class TableCells {
 public:
  TableCells(const TableColumns& columns, const TableOptions& options, DecimalMark mark,
             TableProblems& problems, Table& table)
      : columns_(columns), options_(options), mark_(mark), problems_(problems), table_(table) {}

  std::string_view text(const TableRecord& record, ColumnKind kind) const;
  void problem(const TableRecord& record, ColumnKind kind, const std::string& message);

  // `fallback`: there is no such column.
  int whole(const TableRecord& record, ColumnKind kind, int least, int most, int fallback);
  std::optional<double> positive(const TableRecord& record, ColumnKind kind);
  Mode mode(const TableRecord& record);
  // `fallback`: no such column, or an empty cell.
  std::string_view name(const TableRecord& record, ColumnKind kind, std::string_view fallback);
  // The number that T comes from: above 0; a time is in seconds already.
  double value(const TableRecord& record);
  double cost(const TableRecord& record);  // below 0: not said

 private:
  // `why`, unless the number itself has a problem.
  void refuse(const TableRecord& record, ColumnKind kind, const CellNumber& number, const char* why,
              const std::string& expected);
  double time(const TableRecord& record, const CellNumber& number);
  double efficiency(const TableRecord& record, const CellNumber& number);
  void note_unit(std::string_view unit);

  const TableColumns& columns_;
  const TableOptions& options_;
  DecimalMark mark_;
  TableProblems& problems_;
  Table& table_;
};

// Not blank, and no wider than the header. Problems are added.
bool is_whole_row(const TableRecord& record, std::size_t width, char delimiter,
                  TableProblems& problems);
// Every number of the file is read by the same mark: the first that can be read in one way decides.
DecimalMark find_mark(TableText& text, const TableColumns& columns);

std::string quoted_cell(std::string_view text);  // in quotes, cut where it is long

}  // namespace kneepoint
