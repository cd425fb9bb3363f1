// SPDX-License-Identifier: Apache-2.0
//
// What no row shows alone.
#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>

#include "orchestrator/plan/tables/cells.h"

namespace kneepoint {
namespace {

const std::string& title(const TableColumns& columns, ColumnKind kind) {
  return columns.titles[static_cast<std::size_t>(columns.of(kind))];
}

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
    problems.add(run.line, 1, title(columns, ColumnKind::repeat),
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
    problems.add(point.line, 1, title(columns, ColumnKind::results),
                 "strong rows make the same results at every K, but line " +
                     std::to_string(at->second->line) + " (K=" + std::to_string(at->second->k) +
                     ") has another number; call the rows weak, or give the time of one result");
  }
}

}  // namespace

void check_table(Table& table, const TableColumns& columns, TableProblems& problems) {
  if (problems.count() > 0) return;
  if (columns.has(ColumnKind::repeat)) check_repeats(table, columns, problems);
  if (columns.has(ColumnKind::results)) check_results(table, columns, problems);
}

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

}  // namespace kneepoint
