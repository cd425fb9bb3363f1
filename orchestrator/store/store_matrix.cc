// SPDX-License-Identifier: Apache-2.0
//
// Points, runs and rounds. What is there already is left as it is, so putting the same matrix again
// changes nothing, and putting a larger one adds what is new.
#include <unordered_map>
#include <unordered_set>

#include "orchestrator/base/json_text.h"
#include "orchestrator/store/database.h"
#include "orchestrator/store/study_store.h"

namespace kneepoint {
namespace {

std::string argv_text(const Command& command) {
  JsonWriter text;
  text.begin_array();
  for (const auto& argument : command.argv) text.value(argument);
  text.end_array();
  return text.text();
}

Result<void> put_parameters(Database& db, RowId point, const std::vector<Parameter>& parameters) {
  if (parameters.empty()) return {};
  TRY_ASSIGN(auto insert, db.prepare("INSERT INTO point_parameters (point, position, name, value)"
                                     " VALUES (?, ?, ?, ?)"));
  int position = 0;
  for (const auto& parameter : parameters) {
    TRY(insert.run(point, position++, parameter.name, parameter.value));
  }
  return {};
}

Result<RowId> put_point(Database& db, RowId study, const std::string& key, const Point& p) {
  TRY(db.run(
      "INSERT INTO points (study, key, build, workload, case_name, mode, k, nodes, ranks,"
      " ranks_per_node, threads_per_rank, gpus_per_node, bind, size, results, result_name,"
      " held_fixed, work_unit, emulated, mpi, own_harness, iterations, modelled_seconds, command,"
      " flops, bytes, parallelism, profile)"
      " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, IIF(?, ?, NULL), ?, ?, ?, ?, ?, ?, ?, ?, ?, "
      "?, ?, ?, ?, ?)",
      study, key, p.build, p.workload, p.case_name, to_string(p.mode), p.k, p.shape.nodes,
      p.shape.ranks, p.shape.ranks_per_node, p.shape.threads_per_rank, p.shape.gpus_per_node,
      to_string(p.shape.bind), p.has_size, p.size, p.results, p.result_name, p.held_fixed,
      p.work_unit, p.emulated, p.mpi, p.own_harness, p.iterations, p.modelled_seconds,
      argv_text(p.command), p.flops, p.bytes, p.parallelism, p.profile));
  const RowId row = db.last_insert_row();
  TRY(put_parameters(db, row, p.parameters));
  return row;
}

}  // namespace

Result<std::vector<RowId>> StudyStore::put_points(RowId study, const std::vector<Point>& points) {
  TRY_ASSIGN(auto transaction, db_.begin());
  std::unordered_map<std::string, RowId> known;
  {
    TRY_ASSIGN(auto row, db_.query("SELECT key, id FROM points WHERE study = ?", study));
    for (std::string key;;) {
      TRY_ASSIGN(const bool there, row.next());
      if (!there) break;
      RowId id = 0;
      row.read(key, id);
      known.emplace(key, id);
    }
  }
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
  return all_rows<RowId>(db_.query("SELECT id FROM points WHERE study = ? ORDER BY id", study));
}

Result<void> StudyStore::put_runs(RowId study, const std::vector<PlannedRun>& runs) {
  TRY_ASSIGN(auto transaction, db_.begin());
  TRY_ASSIGN(const auto point_list, point_rows(study));
  const std::unordered_set<RowId> points(point_list.begin(), point_list.end());
  TRY_ASSIGN(std::int64_t next,
             db_.number_of("SELECT COALESCE(MAX(number), 0) + 1 FROM runs WHERE study = ?", study));
  TRY_ASSIGN(auto insert,
             db_.prepare("INSERT INTO runs (study, point, number, repeat, round, position)"
                         " VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (point, repeat) DO NOTHING"));
  for (const auto& run : runs) {
    if (!points.contains(run.point)) return no_such("point of this study", run.point);
    TRY_ASSIGN(const int added,
               insert.run(study, run.point, next, run.repeat, run.round, run.position));
    next += added;
  }
  return transaction.commit();
}

Result<void> StudyStore::put_round(RowId study, const RoundRow& round) {
  TRY(
      db_.run("INSERT INTO rounds (study, round, evidence_hash, decided_ns) VALUES (?, ?, ?, ?)"
              " ON CONFLICT (study, round) DO NOTHING",
              study, round.round, round.evidence_hash, clock_.wall()));
  return {};
}

Result<std::vector<RoundRow>> StudyStore::rounds(RowId study) {
  return all_rows<RoundRow>(
      db_.query("SELECT round, evidence_hash FROM rounds WHERE study = ?"
                " ORDER BY round",
                study),
      [](const Statement& row, RoundRow& round) { row.read(round.round, round.evidence_hash); });
}

}  // namespace kneepoint
