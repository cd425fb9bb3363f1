// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/plan/tables/reader.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>

#include "orchestrator/plan/tables/rows.h"

namespace kneepoint {
namespace {

constexpr double kLeastSeconds = 1e-12, kMostSeconds = 1e12;

// T from what the table has. Weak: the problem is K times that of one worker.
double seconds_of(ColumnKind kind, double value, Mode mode, int k) {
  const double problem = mode == Mode::weak ? k : 1;
  if (kind == ColumnKind::speedup || kind == ColumnKind::throughput) return problem / value;
  if (kind == ColumnKind::efficiency) return problem / (k * value);
  return value;
}

class RowReader {
 public:
  RowReader(const TableColumns& columns, const TableOptions& options, TableProblems& problems,
            Table& table)
      : columns_(columns),
        options_(options),
        problems_(problems),
        table_(table),
        cells_(columns, options, problems, table) {}

  // False: the table is too large, and the rest is not looked at.
  bool read(const TableRecord& record, char delimiter) {
    if (!is_whole_row(record, columns_.titles.size(), delimiter, problems_)) return true;
    if (table_.runs.size() >= kMostTableRows) {
      problems_.add(record.line, 1, "",
                    "more than " + std::to_string(kMostTableRows) + " rows; split the table");
      return false;
    }
    cells_.set_row(record);
    const std::size_t before = problems_.count();
    TablePoint point;
    point.k = cells_.whole(ColumnKind::k, 1, kMostTableWorkers, 0);
    point.mode = cells_.mode();
    const double value = cells_.value();
    point.nodes = cells_.whole(ColumnKind::nodes, 1, kMostTableWorkers, 0);
    const int repeat = cells_.whole(ColumnKind::repeat, 0, 1'000'000'000, -1);
    point.results = cells_.positive(ColumnKind::results);
    point.size = cells_.positive(ColumnKind::size);
    const double cost = cells_.cost();
    const auto case_name = cells_.name(ColumnKind::case_name, options_.case_name);
    const auto build = cells_.name(ColumnKind::build, "default");
    if (problems_.count() > before) return true;
    const double seconds = seconds_of(columns_.value, value, point.mode, point.k);
    if (!(seconds >= kLeastSeconds && seconds <= kMostSeconds)) {
      cells_.wrong(columns_.value, "is out of range; expected a time of 1e-12 s to 1e12 s");
      return true;
    }
    const int case_number =
        cases_.try_emplace(std::string(case_name), static_cast<int>(cases_.size())).first->second;
    const Key key{case_number, std::string(build), point.mode, point.k, point.nodes};
    auto found = point_of_.find(key);
    if (found == point_of_.end()) {
      if (point_of_.size() >= kMostTablePoints) {
        cells_.problem(ColumnKind::k, "more than " + std::to_string(kMostTablePoints) +
                                          " points (case, mode and K); a study holds no more");
        return false;
      }
      point.case_name = case_name;
      point.build = build;
      point.line = record.line;
      found = point_of_.emplace(key, static_cast<std::uint32_t>(table_.points.size())).first;
      table_.points.push_back(point);
    }
    TablePoint& known = table_.points[found->second];
    must_be_same(ColumnKind::results, known.results, point.results, known.line);
    must_be_same(ColumnKind::size, known.size, point.size, known.line);
    table_.runs.push_back(
        {found->second, repeat >= 0 ? repeat : known.runs, record.line, seconds, cost});
    ++known.runs;
    return true;
  }

  // Points by case as first named, build, mode and K, whatever the order of the rows.
  void sort_points() {
    std::vector<TablePoint> sorted;
    std::vector<std::uint32_t> place(table_.points.size());
    for (const auto& [key, at] : point_of_) {
      place[at] = static_cast<std::uint32_t>(sorted.size());
      sorted.push_back(std::move(table_.points[at]));
    }
    table_.points = std::move(sorted);
    for (TableRun& run : table_.runs) run.point = place[run.point];
  }

 private:
  using Key = std::tuple<int, std::string, Mode, int, int>;

  void must_be_same(ColumnKind kind, const std::optional<double>& first,
                    const std::optional<double>& now, int line) {
    if (first == now) return;
    cells_.wrong(kind, "differs from line " + std::to_string(line) +
                           ", which is of the same case, mode and K");
  }

  const TableColumns& columns_;
  const TableOptions& options_;
  TableProblems& problems_;
  Table& table_;
  TableCells cells_;
  std::map<std::string, int> cases_;  // in the order in which they are first named
  std::map<Key, std::uint32_t> point_of_;
};

// Each of a point's repeats once, counted from the file's least.
void check_repeats(Table& table, const TableColumns& columns, TableProblems& problems) {
  std::vector<TableRun>& runs = table.runs;
  std::int32_t least = runs.empty() ? 0 : runs.front().repeat;
  for (const TableRun& run : runs) least = std::min(least, run.repeat);
  for (TableRun& run : runs) run.repeat -= least;
  std::vector<std::uint32_t> order(runs.size());
  std::iota(order.begin(), order.end(), 0U);
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return std::tie(runs[a].point, runs[a].repeat, runs[a].line) <
           std::tie(runs[b].point, runs[b].repeat, runs[b].line);
  });
  for (std::size_t i = 1; i < order.size(); ++i) {
    const TableRun& before = runs[order[i - 1]];
    const TableRun& run = runs[order[i]];
    if (before.point != run.point || before.repeat != run.repeat) continue;
    problems.add(run.line, 1, columns.title(ColumnKind::repeat),
                 "repeat " + std::to_string(run.repeat + least) +
                     " of this case, mode and K stands on line " + std::to_string(before.line) +
                     " already");
  }
}

// A strong curve does the same work at every K.
void check_results(const Table& table, const TableColumns& columns, TableProblems& problems) {
  std::map<std::pair<std::string, std::string>, const TablePoint*> first;
  for (const TablePoint& point : table.points) {
    if (point.mode != Mode::strong) continue;
    const auto [at, fresh] = first.try_emplace({point.case_name, point.build}, &point);
    if (fresh || at->second->results == point.results) continue;
    problems.add(point.line, 1, columns.title(ColumnKind::results),
                 "strong rows make the same results at every K, but line " +
                     std::to_string(at->second->line) + " (K=" + std::to_string(at->second->k) +
                     ") has another number; call the rows weak, or give the time of one result");
  }
}

}  // namespace

ReadTable read_table(std::string_view text, const std::string& file, const TableOptions& options) {
  if (const auto refused = refuse_text(text, file, kMostTableBytes)) return {{}, {*refused}};
  TableText records(text);
  TableProblems problems(file);
  const TableColumns columns =
      read_header(records, "expected a header such as K,T and rows below it", problems);
  if (problems.count() > 0) return {{}, problems.take()};
  ReadTable out;
  Table& table = out.table;
  table.value = columns.value;
  table.cost_unit = columns.cost_unit;
  table.unused = columns.unused;
  if (columns.has(ColumnKind::night)) table.unused.push_back(columns.title(ColumnKind::night));
  table.worker = options.worker.value_or(columns.worker.value_or(WorkerUnit::rank));
  RowReader rows(columns, options, problems, table);
  TableRecord record;
  while (records.next(record) && rows.read(record, records.delimiter())) {
  }
  if (table.runs.empty() && problems.count() == 0) {
    problems.add(0, 0, "", "the table has a header and no rows");
  }
  if (problems.count() == 0 && columns.has(ColumnKind::repeat)) {
    check_repeats(table, columns, problems);
  }
  if (problems.count() == 0 && columns.has(ColumnKind::results)) {
    check_results(table, columns, problems);
  }
  if (problems.count() > 0) return {{}, problems.take()};
  rows.sort_points();
  return out;
}

}  // namespace kneepoint
