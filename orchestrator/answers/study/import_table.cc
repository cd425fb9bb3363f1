// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/answers/study/import_table.h"

#include <filesystem>
#include <tuple>

#include "orchestrator/analysis/statistics/times.h"
#include "orchestrator/answers/lookup.h"
#include "orchestrator/answers/places.h"
#include "orchestrator/base/hash.h"
#include "orchestrator/base/text.h"

namespace kneepoint {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kRunsAtATime = 10'000;

Result<TableOrigin> origin_of(const ImportTableRequest& request) {
  TableOrigin origin;
  origin.path = request.path;
  origin.file = fs::path(origin.path).filename().string();
  origin.sha256 = sha256_hex(request.bytes);
  origin.study = request.study.value_or(study_name_of(origin.file));
  if (!is_study_name(origin.study)) {
    return wrong_flag("--study",
                      "expected 1 to 40 of a-z, 0-9 and '-', not beginning with '-', found '" +
                          origin.study.substr(0, 60) + "'");
  }
  origin.workers_per_node = request.workers_per_node;
  if (request.floor) origin.knee.floor = *request.floor;
  return origin;
}

std::vector<ImportedCurve> imported_curves(const Table& table) {
  std::vector<std::vector<double>> seconds(table.points.size());
  for (const TableRun& run : table.runs) seconds[run.point].push_back(run.seconds);
  std::vector<ImportedCurve> curves;
  std::vector<Times> times;
  for (std::size_t i = 0; i < table.points.size(); ++i) {  // a curve's are together, by K
    const TablePoint& point = table.points[i];
    if (curves.empty() ||
        std::tie(curves.back().case_name, curves.back().build, curves.back().mode) !=
            std::tie(point.case_name, point.build, point.mode)) {
      curves.push_back({point.build, point.case_name, point.mode, {}});
      times.emplace_back();
    }
    Times& curve = times.back();
    if (curve.empty() || curve.back().k != point.k) curve.push_back({point.k, {}, 1});
    auto& here = curve.back().seconds;
    here.insert(here.end(), seconds[i].begin(), seconds[i].end());
  }
  for (std::size_t c = 0; c < curves.size(); ++c) {
    const std::vector<double> middle = medians(times[c]);
    const std::vector<double> cost = normalised_cost(curves[c].mode, times[c], middle);
    const double k0 = times[c].front().k;
    for (std::size_t i = 0; i < middle.size(); ++i) {
      const int k = times[c][i].k;
      curves[c].points.push_back({k, static_cast<int>(times[c][i].seconds.size()), middle[i],
                                  k / k0 / cost[i], 1 / cost[i]});
    }
  }
  return curves;
}

// The study of that name that holds these bytes, read with these options.
Result<std::optional<StudyRow>> same_import(StudyStore& store, const Study& study) {
  TRY_ASSIGN(const std::vector<StudyRow> known, store.studies());
  for (const StudyRow& row : known) {
    if (row.name == study.plan.study && row.plan_text == study.plan.text) {
      return std::optional<StudyRow>(row);
    }
  }
  return std::optional<StudyRow>();
}

Result<void> put_runs(StudyStore& store, RowId study, const Table& table,
                      const std::vector<RowId>& points, const TableOrigin& origin,
                      const std::string& now) {
  std::vector<bool> seen(points.size(), false);
  std::vector<FinishedRun> runs;
  for (const TableRun& from : table.runs) {
    FinishedRun& run = runs.emplace_back();
    run.point = points[from.point];
    run.repeat = from.repeat;
    run.seconds = from.seconds;
    run.detail = "line " + std::to_string(from.line) + " of " + origin.file;
    if (from.cost >= 0) run.metrics.push_back({"cost", from.cost, table.cost_unit});
    if (!seen[from.point]) {
      seen[from.point] = true;
      run.facts = {{"run", "import.file", origin.path},
                   {"run", "import.sha256", origin.sha256},
                   {"run", "import.time", now}};
    }
    if (runs.size() < kRunsAtATime) continue;
    TRY(store.put_finished_runs(study, runs));
    runs.clear();
  }
  return store.put_finished_runs(study, runs);
}

Result<void> put_study(const Context& context, StudyStore& store, const Table& table,
                       const TableStudy& made, const TableOrigin& origin, ImportAnswer& answer) {
  const Study& study = made.study;
  TRY_ASSIGN(const std::string database, database_of(context));
  TRY_ASSIGN(const auto newest, store.newest_of_series(study.plan.study, study.hash8));
  const int n = newest ? newest->n + 1 : 1;
  if (newest && newest->plan_text != study.plan.text) answer.before = newest->id;
  const std::string root = work_root(made.site, database, fs::current_path().string());
  TRY_ASSIGN(const StudyRow row, store.create_study(study, made.site, n,
                                                    root + "/" + study.plan.study + "-" +
                                                        study.hash8 + "-" + std::to_string(n)));
  answer.study = row.id;
  TRY_ASSIGN(const std::vector<RowId> points, store.put_points(row.row, study.points));
  TRY(put_runs(store, row.row, table, points, origin, to_utc_text(context.clock.wall())));
  TRY(store.put_caveats(row.row, made.caveats));
  TRY(store.put_event(
      row.row,
      {0, "import",
       counted(answer.runs, "run") + " from " + origin.path + ", sha256 " + origin.sha256, 0, 0}));
  return store.set_study_state(row.row, "finished");
}

}  // namespace

Result<ImportAnswer> import_table(const Context& context, const ImportTableRequest& request) {
  ImportAnswer answer;
  TRY_ASSIGN(const TableOrigin origin, origin_of(request));
  TableOptions options = request.options;
  options.case_name = request.case_name.value_or(origin.study);
  ReadTable read = read_table(request.bytes, origin.path, options);
  answer.problems = std::move(read.problems);
  if (!answer.problems.empty()) return answer;
  const Table& table = read.table;
  const TableStudy made = make_table_study(table, options, origin);
  answer.file = origin.file;
  answer.sha256 = origin.sha256;
  answer.relative = table.value == ColumnKind::speedup || table.value == ColumnKind::efficiency;
  answer.runs = static_cast<long>(table.runs.size());
  answer.caveats = made.caveats;
  answer.curves = imported_curves(table);

  TRY_ASSIGN(const auto store, open_database(context, StudyStore::Access::read_write));
  TRY_ASSIGN(auto transaction, store->begin());
  std::optional<StudyRow> known;
  if (!request.make_new) {
    TRY_ASSIGN(known, same_import(*store, made.study));
  }
  if (known) {
    answer.created = false;
    answer.study = known->id;
    // As with `run`, the floor may change without another study.
    if (request.floor) TRY(store->update_study_plan(known->row, made.study));
  } else {
    TRY(put_study(context, *store, table, made, origin, answer));
  }
  TRY(transaction->commit());
  return answer;
}

}  // namespace kneepoint
