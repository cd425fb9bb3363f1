// SPDX-License-Identifier: Apache-2.0
//
// What the engine, analysis and reports read: a whole study in a fixed number of queries, all of
// the same moment. Order is by what people see (run number, repeat), never by when a row was
// written. An allocation is as large as its largest step and is held as a whole while any of them
// runs: what a small step costs is counted so. It waited in the queue until its first step began;
// the others did not wait longer, they had their turn.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <tuple>
#include <unordered_map>

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
      "SELECT r.id, " + select_list<RunRow>("r.") +
      ", r.outcome <> 'open', a.id IS NOT NULL, a.id, a.run, " + select_list<AttemptRow>("a.") +
      " FROM runs r LEFT JOIN attempts a ON a.run = r.id WHERE r.study = ?"
      " ORDER BY r.number, a.number";
  TRY_ASSIGN(auto statement, db_.query(kSelect, study));
  std::vector<RunRow> runs;
  for (;;) {
    TRY_ASSIGN(const bool there, statement.next());
    if (!there) break;
    RunRow run;
    AttemptRow attempt;
    bool tried = false;
    statement.read(run.row, run, run.finished, tried, attempt.row, attempt.run, attempt);
    if (runs.empty() || runs.back().row != run.row) runs.push_back(std::move(run));
    if (!tried) continue;
    ++runs.back().attempts;  // oldest first: the newest stays
    runs.back().last = std::move(attempt);
  }
  std::stable_sort(runs.begin(), runs.end(), [](const RunRow& a, const RunRow& b) {
    return std::tie(a.round, a.position) < std::tie(b.round, b.position);
  });
  return runs;
}

Result<std::map<RowId, std::size_t>> StudyStore::read_points(RowId study, StudyEvidence& evidence) {
  static const std::string kSelect = "SELECT id, size, command, " + select_list<Point>() +
                                     " FROM points WHERE study = ? ORDER BY id";
  std::map<RowId, std::size_t> places;
  TRY_ASSIGN(auto row, db_.query(kSelect, study));
  std::string command;
  std::optional<double> size;
  for (RowId id = 0;;) {
    TRY_ASSIGN(const bool there, row.next());
    if (!there) break;
    Point& p = evidence.points.emplace_back().point;
    row.read(id, size, command, p);
    p.has_size = size.has_value();
    p.size = size.value_or(0);
    p.command.argv = read_argv(command);
    places.emplace(id, evidence.points.size() - 1);
  }
  TRY_ASSIGN(const auto parameters, (db_.all<std::tuple<RowId, std::string, std::string>>(
                                        "SELECT q.point, q.name, q.value FROM points p"
                                        " JOIN point_parameters q ON q.point = p.id"
                                        " WHERE p.study = ? ORDER BY q.point, q.position",
                                        study)));
  for (const auto& [point, name, value] : parameters) {
    evidence.points[places.at(point)].point.parameters.push_back({name, value});
  }
  return places;
}

Result<StudyStore::ValidRuns> StudyStore::read_runs(RowId study,
                                                    const std::map<RowId, std::size_t>& places,
                                                    StudyEvidence& evidence) {
  static const std::string kSelect =
      "SELECT r.point, r.number, r.repeat, r.outcome <> 'open', a.id, a.started_ns, a.ended_ns, " +
      select_list<RunEvidence>("a.") +
      " FROM runs r LEFT JOIN attempts a ON a.run = r.id WHERE r.study = ?"
      " ORDER BY r.number, a.number";
  TRY_ASSIGN(auto row, db_.query(kSelect, study));
  RowId point = 0, attempt = 0;             // 0: not tried yet
  std::unordered_map<int, RowId> deciding;  // by run number
  Nanoseconds started = 0, ended = 0;
  for (;;) {
    TRY_ASSIGN(const bool there, row.next());
    if (!there) break;
    RunEvidence read;
    row.read(point, read.number, read.repeat, read.finished, attempt, started, ended, read);
    PointEvidence& at = evidence.points[places.at(point)];
    if (at.runs.empty() || at.runs.back().number != read.number) {
      at.runs.push_back(read);  // not tried yet, as far as is known
    }
    if (attempt == 0) continue;
    deciding[read.number] = attempt;
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

Result<void> StudyStore::read_allocations(RowId study, StudyEvidence& evidence) {
  struct Attempt {
    int run = 0;
    std::string allocation;
    Nanoseconds submitted = 0, started = 0, ended = 0;
    int nodes = 1, gpus_per_node = 0, ranks = 1, threads = 1, k = 1, price = 0;
    KP_DESCRIBED(Attempt, run, allocation, submitted, started, ended, nodes, gpus_per_node, ranks,
                 threads, k, price);
  };
  TRY_ASSIGN(const std::vector<Attempt> attempts,
             db_.all<Attempt>("SELECT r.number, a.allocation, a.submitted_ns, a.started_ns,"
                              " a.ended_ns, p.nodes, p.gpus_per_node, p.ranks, p.threads_per_rank,"
                              " p.k, a.price FROM runs r JOIN attempts a ON a.run = r.id"
                              " JOIN points p ON p.id = r.point"
                              " WHERE r.study = ? AND a.submissions > 0"
                              " ORDER BY r.number, a.number",
                              study));
  std::unordered_map<std::string, int> nodes;
  std::unordered_map<std::string, Nanoseconds> waits;
  const bool queued = evidence.backend != to_string(BackendKind::local);
  for (const Attempt& one : attempts) {
    int& most = nodes[one.allocation];
    most = std::max(most, one.nodes);
    if (!queued || one.submitted <= 0 || one.started <= 0) continue;
    const Nanoseconds wait = std::max<Nanoseconds>(0, one.started - one.submitted);
    const auto [known, first] = waits.try_emplace(one.allocation, wait);
    if (!first) known->second = std::min(known->second, wait);
  }
  std::unordered_map<int, std::string> newest;          // by run number: later attempts come later
  std::unordered_map<std::string, std::size_t> places;  // in evidence.allocations
  for (const Attempt& one : attempts) {
    newest[one.run] = one.allocation;
    if (one.started <= 0 || one.ended <= one.started) continue;
    const auto [place, first] = places.try_emplace(one.allocation, evidence.allocations.size());
    if (first) evidence.allocations.push_back({one.allocation});
    HeldAllocation& held = evidence.allocations[place->second];
    held.nodes = nodes.at(one.allocation);
    held.gpus = std::max(held.gpus, one.gpus_per_node * one.nodes);
    held.cores = std::max(held.cores, one.ranks * one.threads);
    held.workers = std::max(held.workers, one.k);
    held.price = one.price;
    held.held_ns += one.ended - one.started;
    evidence.node_seconds +=
        to_seconds(one.ended - one.started) * (nodes.at(one.allocation) - one.nodes);
  }
  for (PointEvidence& point : evidence.points) {
    for (RunEvidence& run : point.runs) {
      const auto found = newest.find(run.number);
      if (found == newest.end()) continue;
      run.allocation = found->second;
      const auto wait = waits.find(run.allocation);
      if (wait != waits.end()) run.queue_seconds = to_seconds(wait->second);
    }
  }
  return {};
}

Result<StudyStore::ValidRuns> StudyStore::read_evidence(RowId study, StudyEvidence& e) {
  TRY_ASSIGN(auto row, db_.query("SELECT study_id, name, site, backend, worker, seed, knee_rule,"
                                 " knee_floor, state, created_ns FROM studies WHERE id = ?",
                                 study));
  TRY_ASSIGN(const bool there, row.next());
  if (!there) return no_such("study", study);
  row.read(e.id, e.name, e.site, e.backend, e.worker, e.seed, e.knee_rule, e.knee_floor, e.state,
           e.created_ns);
  TRY(row.check());
  TRY(read_caveats(study, e));
  TRY_ASSIGN(const auto places, read_points(study, e));
  TRY_ASSIGN(auto valid, read_runs(study, places, e));
  TRY(read_allocations(study, e));
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

}  // namespace kneepoint
