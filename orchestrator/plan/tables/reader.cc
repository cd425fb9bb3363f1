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

// Case and build names as numbers: rows are compared by the million.
class Names {
 public:
  int number_of(std::string_view name) {
    if (!all_.empty() && all_[static_cast<std::size_t>(last_)] == name) return last_;
    const auto [at, fresh] = numbers_.try_emplace(std::string(name), static_cast<int>(all_.size()));
    if (fresh) all_.emplace_back(name);
    return last_ = at->second;
  }
  const std::string& at(int number) const { return all_[static_cast<std::size_t>(number)]; }

 private:
  std::vector<std::string> all_;
  std::map<std::string, int> numbers_;
  int last_ = 0;
};

// T from what the table has. Weak: the problem is K times that of one worker.
double seconds_of(ColumnKind kind, double value, Mode mode, int k) {
  const double problem = mode == Mode::weak ? k : 1;
  if (kind == ColumnKind::speedup || kind == ColumnKind::throughput) return problem / value;
  if (kind == ColumnKind::efficiency) return problem / (k * value);
  return value;
}

class RowReader {
 public:
  RowReader(const TableColumns& columns, const TableOptions& options, DecimalMark mark,
            TableProblems& problems, Table& table)
      : columns_(columns),
        options_(options),
        problems_(problems),
        table_(table),
        cells_(columns, options, mark, problems, table) {}

  // False: the table is too large, and the rest is not looked at.
  bool read(const TableRecord& record, char delimiter) {
    if (!is_whole_row(record, columns_.titles.size(), delimiter, problems_)) return true;
    if (table_.runs.size() >= kMostTableRows) {
      problems_.add(record.line, 1, "",
                    "more than " + std::to_string(kMostTableRows) + " rows; split the table");
      return false;
    }
    const std::size_t before = problems_.count();
    TablePoint point;
    point.k = cells_.whole(record, ColumnKind::k, 1, kMostTableWorkers, 0);
    point.mode = cells_.mode(record);
    const double value = cells_.value(record);
    point.nodes = cells_.whole(record, ColumnKind::nodes, 1, kMostTableWorkers, 0);
    const int repeat = cells_.whole(record, ColumnKind::repeat, 0, 1'000'000'000, -1);
    point.results = cells_.positive(record, ColumnKind::results);
    point.size = cells_.positive(record, ColumnKind::size);
    const double cost = cells_.cost(record);
    const auto case_name = cells_.name(record, ColumnKind::case_name, options_.case_name);
    const auto build = cells_.name(record, ColumnKind::build, "default");
    if (problems_.count() > before) return true;
    const double seconds = seconds_of(columns_.value, value, point.mode, point.k);
    if (!(seconds >= kLeastSeconds && seconds <= kMostSeconds)) {
      cells_.problem(record, columns_.value,
                     quoted_cell(cells_.text(record, columns_.value)) +
                         " is out of range; expected a time of 1e-12 s to 1e12 s");
      return true;
    }
    const Key key{names_.number_of(case_name), names_.number_of(build), point.mode, point.k,
                  point.nodes};
    auto found = point_of_.find(key);
    if (found == point_of_.end()) {
      if (point_of_.size() >= kMostTablePoints) {
        cells_.problem(record, ColumnKind::k,
                       "more than " + std::to_string(kMostTablePoints) +
                           " points (case, mode and K); a study holds no more");
        return false;
      }
      point.case_name = case_name;
      point.build = build;
      point.line = record.line;
      found = point_of_.emplace(key, table_.points.size()).first;
      table_.points.push_back(point);
    }
    TablePoint& known = table_.points[found->second];
    must_be_same(record, ColumnKind::results, known.results, point.results, known.line);
    must_be_same(record, ColumnKind::size, known.size, point.size, known.line);
    table_.runs.push_back({static_cast<std::uint32_t>(found->second),
                           repeat >= 0 ? repeat : known.runs, record.line, seconds, cost});
    ++known.runs;
    return true;
  }

 private:
  using Key = std::tuple<int, int, Mode, int, int>;

  void must_be_same(const TableRecord& record, ColumnKind kind, const std::optional<double>& first,
                    const std::optional<double>& now, int line) {
    if (first == now) return;
    cells_.problem(record, kind,
                   quoted_cell(cells_.text(record, kind)) + " differs from line " +
                       std::to_string(line) + ", which is of the same case, mode and K");
  }

  const TableColumns& columns_;
  const TableOptions& options_;
  TableProblems& problems_;
  Table& table_;
  TableCells cells_;
  Names names_;
  std::map<Key, std::size_t> point_of_;
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

// What only the whole table shows: repeats that stand twice, strong rows that don't do the same.
void check_table(Table& table, const TableColumns& columns, TableProblems& problems) {
  if (problems.count() > 0) return;
  if (columns.has(ColumnKind::repeat)) check_repeats(table, columns, problems);
  if (columns.has(ColumnKind::results)) check_results(table, columns, problems);
}

// Points by case as first named, build, mode and K, whatever the order of the rows.
void sort_points(Table& table) {
  std::vector<TablePoint>& points = table.points;
  std::vector<std::uint32_t> order(points.size());
  std::iota(order.begin(), order.end(), 0U);
  std::map<std::string, std::size_t> case_order;
  for (const TablePoint& point : points) {
    case_order.try_emplace(point.case_name, case_order.size());
  }
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    const TablePoint& x = points[a];
    const TablePoint& y = points[b];
    const std::size_t first = case_order[x.case_name], second = case_order[y.case_name];
    return std::tie(first, x.build, x.mode, x.k, x.nodes) <
           std::tie(second, y.build, y.mode, y.k, y.nodes);
  });
  std::vector<TablePoint> sorted;
  sorted.reserve(points.size());
  std::vector<std::uint32_t> place(points.size());
  for (const std::uint32_t i : order) {
    place[i] = static_cast<std::uint32_t>(sorted.size());
    sorted.push_back(std::move(points[i]));
  }
  points = std::move(sorted);
  for (TableRun& run : table.runs) run.point = place[run.point];
}

}  // namespace

ReadTable read_table(std::string_view text, const std::string& file, const TableOptions& options) {
  if (const auto refused = refuse_text(text, file, kMostTableBytes)) return {{}, {*refused}};
  TableText records(text);
  TableProblems problems(file);
  ReadTable out;
  TableRecord record;
  if (!records.next(record)) {
    problems.add(0, 0, "", "the table is empty; expected a header such as K,T and rows below it");
    return {{}, problems.take()};
  }
  const TableColumns columns = read_columns(record, problems);
  if (record.open_quote_column > 0) {
    problems.add(record.line, record.open_quote_column, "", "this quote is never closed");
  }
  if (problems.count() > 0) return {{}, problems.take()};
  Table& table = out.table;
  table.value = columns.value;
  table.cost_unit = columns.cost_unit;
  table.unused = columns.unused;
  if (columns.has(ColumnKind::night)) {
    table.unused.push_back(columns.title(ColumnKind::night));
  }
  table.worker = options.worker.value_or(columns.worker.value_or(WorkerUnit::rank));
  const DecimalMark mark = options.decimal ? *options.decimal : find_mark(records, columns);
  records.rewind();
  records.next(record);
  RowReader rows(columns, options, mark, problems, table);
  while (records.next(record) && rows.read(record, records.delimiter())) {
  }
  if (table.runs.empty() && problems.count() == 0) {
    problems.add(0, 0, "", "the table has a header and no rows");
  }
  check_table(table, columns, problems);
  if (problems.count() > 0) return {{}, problems.take()};
  sort_points(table);
  return out;
}

}  // namespace kneepoint
