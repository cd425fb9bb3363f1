// SPDX-License-Identifier: Apache-2.0
//
// From the text of a table (CSV and its kin) to points and runs. Pure: no file, no clock. All
// problems come at once, each with its line and column; a table with one problem gives no runs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "orchestrator/model/shape.h"
#include "orchestrator/plan/yaml/problem.h"

namespace kneepoint {

constexpr std::size_t kMostTableBytes = std::size_t{256} << 20;
constexpr std::size_t kMostTableRows = 5'000'000;
constexpr std::size_t kMostTablePoints = 10'000;
constexpr int kMostTableWorkers = 10'000'000;
constexpr std::size_t kMostTableProblems = 20;  // that are listed

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

enum class DecimalMark { unknown, point, comma };

// Seconds in one such unit ("ms", "minutes", "µs"); none: not a unit of time.
std::optional<double> seconds_in(std::string_view unit);
inline constexpr char kTimeUnits[] = "ns, us, ms, s, min, h or d";

struct TableOptions {
  Mode mode = Mode::strong;            // of rows that don't say
  std::string case_name = "table";     // of rows that don't say
  std::optional<double> time_unit;     // seconds, of times without a unit; none: 1
  std::string time_unit_word;          // as the user wrote it
  std::optional<DecimalMark> decimal;  // none: found out
  std::optional<WorkerUnit> worker;    // none: by the name of K's column, else rank
};

struct TablePoint {
  std::string build, case_name;
  Mode mode = Mode::strong;
  int k = 1;
  int nodes = 0;  // 0: the table does not say
  std::optional<double> results, size;
  int line = 0;  // of its first row
  int runs = 0;
};

struct TableRun {
  std::uint32_t point = 0;
  std::int32_t repeat = 0;  // 0-based within its point
  std::int32_t line = 0;
  double seconds = 0;
  double cost = -1;  // below 0: not said
};

struct Table {
  std::vector<TablePoint> points;  // by case as first named, build, mode, K
  std::vector<TableRun> runs;      // in the order of the file
  ColumnKind value = ColumnKind::time;
  WorkerUnit worker = WorkerUnit::rank;
  std::vector<std::string> units;  // of time that were found, as written
  bool unit_assumed = false;       // some time had none
  std::string cost_unit;
  std::vector<std::string> unused;  // columns
};

struct ReadTable {
  Table table;
  std::vector<Problem> problems;  // not empty: the table has no runs
};

ReadTable read_table(std::string_view text, const std::string& file, const TableOptions& options);

}  // namespace kneepoint
