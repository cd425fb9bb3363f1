// SPDX-License-Identifier: Apache-2.0
//
// From the text of a table (CSV and its kin) to points and runs, to nights, or to a study. Pure: no
// file, no clock; storing is the command's work. All problems come at once, each with its line and
// column; a table with one problem gives no runs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "orchestrator/model/baseline.h"
#include "orchestrator/model/evidence.h"
#include "orchestrator/model/point.h"
#include "orchestrator/model/site.h"
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
constexpr auto words_of(ColumnKind) {
  return std::array{"k",    "time", "speedup", "efficiency", "throughput", "repeat", "results",
                    "mode", "cost", "case",    "build",      "nodes",      "size",   "night"};
}
constexpr std::size_t kColumnKinds = words_of(ColumnKind{}).size();

enum class DecimalMark { point, comma };
constexpr auto words_of(DecimalMark) {
  return std::array{"point", "comma"};
}

// Seconds in one such unit ("ms", "minutes", "µs"); none: not a unit of time.
std::optional<double> seconds_in(std::string_view unit);
inline constexpr char kTimeUnits[] = "ns, us, ms, s, min, h or d";

struct TableOptions {
  Mode mode = Mode::strong;            // of rows that don't say
  std::string case_name = "table";     // of rows that don't say
  std::optional<double> time_unit;     // seconds, of times without a unit; none: 1
  std::string time_unit_word;          // as the user wrote it
  std::optional<DecimalMark> decimal;  // none: a point, and no number may have a comma
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

// Nights out of a table: each row is the time of one run of a case, mode and K on a night. CSV and
// its kin, or a JSON list of objects with the same names.
struct HistoryTable {
  std::vector<ImportedNight> nights;  // oldest first
  std::vector<int> lines;             // beside them: where each first stands
  std::vector<std::string> unused;    // columns
  std::vector<std::string> units;     // of time that were found
  bool unit_assumed = false;          // some time had none
};

struct ReadHistory {
  HistoryTable table;
  std::vector<Problem> problems;
};

// TableOptions::case_name "": rows must say.
ReadHistory read_history(std::string_view text, const std::string& file,
                         const TableOptions& options);

// "2026-03-01", "2026-03-01T02:30", "2026-03-01 02:30:00Z" as wall time, UTC.
std::optional<Nanoseconds> read_date(std::string_view text);

// A table as a study: its points, what makes two imports comparable, and what a reader of its
// report must know.
struct TableOrigin {
  std::string study;  // name
  std::string file;   // name without folders
  std::string path;   // as given
  std::string sha256;
  KneeSpec knee;
  int workers_per_node = 1;  // where the table has no column of nodes
};

struct TableStudy {
  Study study;  // points in the order of Table::points
  Site site;
  std::vector<Caveat> caveats;
};

// The series (hash8) is by cases, builds, modes, worker and kind of value; not by K, times or
// repeats: next month's table of the same programs is the next study of the series. The plan's text
// holds the sha256 and the options, so equal texts mean the same import.
TableStudy make_table_study(const Table& table, const TableOptions& options,
                            const TableOrigin& origin);

// 1 to 40 of a-z, 0-9 and '-', not beginning with '-'.
bool is_study_name(std::string_view name);
// "Vendor 180x.csv" -> "vendor-180x"; "" when nothing is left.
std::string study_name_of(std::string_view file);

}  // namespace kneepoint
