// SPDX-License-Identifier: Apache-2.0
//
// What the engine, analysis and reports read: a whole study in a fixed number of queries, all of
// the same moment. Order is by what people see (run number, repeat), never by when a row was
// written.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <tuple>
#include <unordered_map>

#include "orchestrator/store/attempt_tables.h"
#include "orchestrator/store/database.h"
#include "orchestrator/store/study_store.h"

namespace kneepoint {
namespace {

std::vector<std::string> read_argv(const std::string& text) {
  std::vector<std::string> argv;
  const auto array = nlohmann::json::parse(text, nullptr, false);
  if (!array.is_array()) return argv;
  for (const auto& argument : array) {
    if (argument.is_string()) argv.push_back(argument.get<std::string>());
  }
  return argv;
}

}  // namespace

Result<std::vector<RunRow>> StudyStore::runs(RowId study) {
  static const std::string kSelect =
      std::string(
          "SELECT r.id, r.number, r.point, r.repeat, r.round, r.position,"
          " r.outcome <> 'open', r.forgiven, a.id IS NOT NULL, ") +
      kAttemptColumns +
      " FROM runs r LEFT JOIN attempts a ON a.run = r.id WHERE r.study = ?"
      " ORDER BY r.number, a.number";
  TRY_ASSIGN(auto row, db_.query(kSelect, study));
  std::vector<RunRow> runs;
  AttemptWords words;
  for (;;) {
    TRY_ASSIGN(const bool there, row.next());
    if (!there) break;
    RunRow run;
    AttemptRow attempt;
    bool tried = false;
    read_attempt(row, attempt, words, run.row, run.number, run.point, run.repeat, run.round,
                 run.position, run.finished, run.forgiven, tried);
    if (runs.empty() || runs.back().row != run.row) runs.push_back(std::move(run));
    if (!tried) continue;
    if (!words.parse(attempt.state, attempt.reason)) {
      return unreadable("state or reason", words.state + " " + words.reason);
    }
    ++runs.back().attempts;  // oldest first: the newest stays
    runs.back().last = std::move(attempt);
  }
  std::stable_sort(runs.begin(), runs.end(), [](const RunRow& a, const RunRow& b) {
    return std::tie(a.round, a.position) < std::tie(b.round, b.position);
  });
  return runs;
}

Result<void> StudyStore::read_study_header(RowId study, StudyEvidence& e) {
  TRY_ASSIGN(auto row, db_.query("SELECT study_id, name, site, backend, worker, seed, knee_rule,"
                                 " knee_floor, state, created_ns FROM studies WHERE id = ?",
                                 study));
  TRY_ASSIGN(const bool there, row.next());
  if (!there) return no_such("study", study);
  std::string worker;
  row.read(e.id, e.name, e.site, e.backend, worker, e.seed, e.knee_rule, e.knee_floor, e.state,
           e.created_ns);
  const auto unit = parse_worker_unit(worker);
  if (!unit) return unreadable("worker", worker);
  e.worker = *unit;
  return read_caveats(study, e);
}

Result<std::map<RowId, std::size_t>> StudyStore::read_points(RowId study, StudyEvidence& evidence) {
  std::map<RowId, std::size_t> places;
  TRY_ASSIGN(auto row,
             db_.query("SELECT id, build, workload, case_name, mode, k, nodes, ranks,"
                       " ranks_per_node, threads_per_rank, gpus_per_node, bind, size, results,"
                       " result_name, held_fixed, work_unit, emulated, mpi, own_harness,"
                       " iterations, modelled_seconds, command, flops, bytes, parallelism, profile"
                       " FROM points WHERE study = ?"
                       " ORDER BY id",
                       study));
  RowId id = 0;
  std::string mode, bind, command;
  std::optional<double> size;
  for (;;) {
    TRY_ASSIGN(const bool there, row.next());
    if (!there) break;
    Point& p = evidence.points.emplace_back().point;
    row.read(id, p.build, p.workload, p.case_name, mode, p.k, p.shape.nodes, p.shape.ranks,
             p.shape.ranks_per_node, p.shape.threads_per_rank, p.shape.gpus_per_node, bind, size,
             p.results, p.result_name, p.held_fixed, p.work_unit, p.emulated, p.mpi, p.own_harness,
             p.iterations, p.modelled_seconds, command, p.flops, p.bytes, p.parallelism, p.profile);
    const auto parsed_mode = parse_mode(mode);
    const auto parsed_bind = parse_bind(bind);
    if (!parsed_mode || !parsed_bind) return unreadable("mode or bind", mode + " " + bind);
    p.mode = *parsed_mode;
    p.shape.bind = *parsed_bind;
    p.has_size = size.has_value();
    p.size = size.value_or(0);
    p.command.argv = read_argv(command);
    places.emplace(id, evidence.points.size() - 1);
  }
  TRY_ASSIGN(auto parameter,
             db_.query("SELECT q.point, q.name, q.value FROM points p"
                       " JOIN point_parameters q ON q.point = p.id WHERE p.study = ?"
                       " ORDER BY q.point, q.position",
                       study));
  for (;;) {
    TRY_ASSIGN(const bool there, parameter.next());
    if (!there) return places;
    Parameter found;
    parameter.read(id, found.name, found.value);
    evidence.points[places.at(id)].point.parameters.push_back(std::move(found));
  }
}

Result<StudyStore::ValidRuns> StudyStore::read_runs(RowId study,
                                                    const std::map<RowId, std::size_t>& places,
                                                    StudyEvidence& evidence) {
  TRY_ASSIGN(auto row,
             db_.query("SELECT r.point, r.number, r.repeat, r.outcome <> 'open',"
                       " COALESCE(a.number, 0), a.id, a.state, a.reason, a.started_ns, a.ended_ns,"
                       " a.seconds, a.work_total, a.work_min, a.work_max, a.compute_seconds,"
                       " a.communication_seconds, a.hosts, a.oversubscribed, a.binding_differs,"
                       " a.machine_busy, a.nodes, a.disturbed"
                       " FROM runs r LEFT JOIN attempts a ON a.run = r.id WHERE r.study = ?"
                       " ORDER BY r.number, a.number",
                       study));
  AttemptWords words;
  RowId point = 0, attempt_row = 0;
  int attempt = 0;
  std::unordered_map<int, RowId> deciding;  // by run number
  Nanoseconds started = 0, ended = 0;
  for (;;) {
    TRY_ASSIGN(const bool there, row.next());
    if (!there) break;
    RunEvidence read;
    row.read(point, read.number, read.repeat, read.finished, attempt, attempt_row, words.state,
             words.reason, started, ended, read.seconds, read.work_total, read.work_min,
             read.work_max, read.compute_seconds, read.communication_seconds, read.hosts,
             read.oversubscribed, read.binding_differs, read.machine_busy, read.nodes,
             read.disturbed);
    PointEvidence& at = evidence.points[places.at(point)];
    if (at.runs.empty() || at.runs.back().number != read.number) {
      at.runs.push_back(read);  // not tried yet, as far as is known
    }
    if (attempt == 0) continue;
    if (!words.parse(read.state, read.reason)) {
      return unreadable("state or reason", words.state + " " + words.reason);
    }
    deciding[read.number] = attempt_row;
    read.attempts = at.runs.back().attempts + 1;  // oldest first: the newest decides
    read.set_aside = at.runs.back().set_aside + (read.reason == Reason::disturbed ? 1 : 0);
    at.runs.back() = std::move(read);
    if (started > 0 && ended > started) {
      evidence.node_seconds += to_seconds(ended - started) * at.point.shape.nodes;
    }
  }
  ValidRuns valid;
  for (std::size_t p = 0; p < evidence.points.size(); ++p) {
    auto& list = evidence.points[p].runs;
    std::sort(list.begin(), list.end(),
              [](const RunEvidence& a, const RunEvidence& b) { return a.repeat < b.repeat; });
    std::size_t detail = 0;
    for (std::size_t r = 0; r < list.size(); ++r) {
      if (list[r].state != AttemptState::succeeded) continue;
      valid[deciding.at(list[r].number)] = {p, r, detail++};
    }
  }
  return valid;
}

Result<StudyEvidence> StudyStore::evidence(RowId study) {
  TRY_ASSIGN(auto moment, db_.begin_read());
  StudyEvidence evidence;
  TRY_ASSIGN(const auto valid, read_evidence(study, evidence));
  TRY(read_provenance(study, valid, evidence));
  TRY(moment.commit());
  return evidence;
}

Result<StudyStore::ValidRuns> StudyStore::read_evidence(RowId study, StudyEvidence& evidence) {
  TRY(read_study_header(study, evidence));
  TRY_ASSIGN(const auto places, read_points(study, evidence));
  TRY_ASSIGN(auto valid, read_runs(study, places, evidence));
  TRY(read_allocations(study, evidence));
  return valid;
}

}  // namespace kneepoint
