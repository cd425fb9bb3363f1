// SPDX-License-Identifier: Apache-2.0
//
// Points, runs and rounds. What is there already is left as it is, so putting the same matrix again
// changes nothing, and putting a larger one adds what is new. Runs may be over before their study
// was made.
#include <unordered_map>
#include <unordered_set>

#include "orchestrator/base/json_put.h"
#include "orchestrator/store/study_store.h"

namespace kneepoint {
namespace {

Result<RowId> put_point(Database& db, RowId study, const std::string& key, const Point& p) {
  const std::optional<double> size = when(p.has_size, p.size);
  TRY(db.run(insert_text<Point>("points", {"study", "key", "size", "command"}), study, key, size,
             json_text(p.command.argv), p));
  const RowId row = db.last_insert_row();
  int position = 0;
  for (const Parameter& parameter : p.parameters) {
    TRY(db.run("INSERT INTO point_parameters (point, position, name, value) VALUES (?, ?, ?, ?)",
               row, position++, parameter.name, parameter.value));
  }
  return row;
}

}  // namespace

Result<std::vector<RowId>> StudyStore::put_points(RowId study, const std::vector<Point>& points) {
  TRY_ASSIGN(auto transaction, db_.begin());
  TRY_ASSIGN(const auto there, (db_.all<std::tuple<std::string, RowId>>(
                                   "SELECT key, id FROM points WHERE study = ?", study)));
  std::unordered_map<std::string, RowId> known;
  for (const auto& [key, row] : there) known.emplace(key, row);
  std::vector<RowId> rows;
  rows.reserve(points.size());
  for (const auto& point : points) {
    const std::string key = point.key();
    auto found = known.find(key);
    if (found == known.end()) {
      auto put = put_point(db_, study, key, point);
      if (!put) return put.error().in("store point " + key);
      found = known.emplace(key, *put).first;
    }
    rows.push_back(found->second);
  }
  TRY(transaction.commit());
  return rows;
}

Result<std::vector<RowId>> StudyStore::point_rows(RowId study) {
  return db_.all<RowId>("SELECT id FROM points WHERE study = ? ORDER BY id", study);
}

Result<void> StudyStore::put_runs(RowId study, const std::vector<PlannedRun>& runs) {
  TRY_ASSIGN(auto transaction, db_.begin());
  TRY_ASSIGN(const auto point_list, point_rows(study));
  const std::unordered_set<RowId> points(point_list.begin(), point_list.end());
  TRY_ASSIGN(std::int64_t next,
             db_.number_of("SELECT COALESCE(MAX(number), 0) + 1 FROM runs WHERE study = ?", study));
  TRY_ASSIGN(auto insert, db_.prepare(insert_text<PlannedRun>("runs", {"study", "number"}) +
                                      " ON CONFLICT (point, repeat) DO NOTHING"));
  for (const auto& run : runs) {
    if (!points.contains(run.point)) return no_such("point of this study", run.point);
    TRY_ASSIGN(const int added, insert.run(study, next, run));
    next += added;
  }
  return transaction.commit();
}

Result<void> StudyStore::put_finished_runs(RowId study, const std::vector<FinishedRun>& runs) {
  TRY_ASSIGN(auto transaction, db_.begin());
  TRY_ASSIGN(std::int64_t number,
             db_.number_of("SELECT COALESCE(MAX(number), 0) FROM runs WHERE study = ?", study));
  TRY_ASSIGN(auto put_run,
             db_.prepare("INSERT INTO runs (study, point, number, repeat, round, position, outcome)"
                         " VALUES (?, ?, ?, ?, 0, ?, 'succeeded')"));
  TRY_ASSIGN(auto put_attempt,
             db_.prepare("INSERT INTO attempts (run, number, state, detail, allocation, has_result,"
                         " seconds) VALUES (?, 1, 'succeeded', ?, '', 1, ?)"));
  TRY_ASSIGN(auto put_metric, db_.prepare(insert_text<Metric>("metrics", {"attempt"})));
  TRY_ASSIGN(auto put_fact, db_.prepare(insert_text<Fact>("provenance", {"attempt"})));
  for (const FinishedRun& run : runs) {
    ++number;
    TRY(put_run.run(study, run.point, number, run.repeat, number - 1));
    TRY(put_attempt.run(db_.last_insert_row(), run.detail, run.seconds));
    const RowId attempt = db_.last_insert_row();
    for (const Metric& metric : run.metrics) TRY(put_metric.run(attempt, metric));
    for (const Fact& fact : run.facts) TRY(put_fact.run(attempt, fact));
  }
  return transaction.commit();
}

Result<void> StudyStore::put_round(RowId study, const RoundRow& round) {
  TRY(db_.run(insert_text<RoundRow>("rounds", {"study", "decided_ns"}) +
                  " ON CONFLICT (study, round) DO NOTHING",
              study, clock_.wall(), round));
  return {};
}

Result<std::vector<RoundRow>> StudyStore::rounds(RowId study) {
  return db_.all<RoundRow>("SELECT round, evidence_hash FROM rounds WHERE study = ? ORDER BY round",
                           study);
}

}  // namespace kneepoint
