// SPDX-License-Identifier: Apache-2.0
//
// What the columns of a table mean, from its header: one list of names, units in brackets or after
// an underscore. A column that nothing needs is named, not guessed at.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "orchestrator/model/shape.h"
#include "orchestrator/plan/tables/text.h"

namespace kneepoint {

enum class ColumnKind {
  k,
  time,
  speedup,
  efficiency,
  throughput,
  repeat,
  results,
  mode,
  cost,
  case_name,
  build,
  nodes,
  size,
  night,  // of a history only
};
constexpr std::size_t kColumnKinds = 14;

struct TableColumns {
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

// Adds to `problems` what stops the table from being read.
TableColumns read_columns(const TableRecord& header, TableProblems& problems);

}  // namespace kneepoint
