// SPDX-License-Identifier: Apache-2.0
//
// What valid runs reported, for a finer analysis: one query for each table, whatever the number of
// runs. Rows come run by run in the order of the keys, so that nothing is sorted; that is what
// keeps a million samples within a second.
#include "orchestrator/model/provenance.h"
#include "orchestrator/store/compared_names.h"
#include "orchestrator/store/database.h"
#include "orchestrator/store/study_store.h"

namespace kneepoint {
namespace {

// Rows of `table` (as t) that belong to succeeded attempts of a study, the attempt's row first.
std::string select_of_valid(const char* columns, const char* table, const std::string& condition,
                            const char* order) {
  return std::string("SELECT a.id, ") + columns +
         " FROM runs r CROSS JOIN attempts a ON a.run = r.id CROSS JOIN " + table +
         " t ON t.attempt = a.id WHERE r.study = ? AND a.state = 'succeeded'" + condition +
         " ORDER BY r.number, a.number, " + order;
}

// Calls read(row, target) for every row; `find` gives the target of an attempt, null: not wanted.
template <typename Find, typename Read>
Result<void> each_row(Result<Statement> query, const Find& find, const Read& read) {
  if (!query) return query.error();
  RowId attempt = 0, last = 0;
  decltype(find(attempt)) target = nullptr;
  for (;;) {
    TRY_ASSIGN(const bool there, query->next());
    if (!there) return {};
    query->read(attempt);
    if (attempt != last) target = find(last = attempt);
    if (target != nullptr) read(*query, *target);
  }
}

}  // namespace

Result<void> StudyStore::read_provenance(RowId study, const ValidRuns& valid,
                                         StudyEvidence& evidence) {
  static const std::string kSelect =
      select_of_valid("t.scope, t.name, t.value", "provenance",
                      " AND t.name IN (" + names_of_compared_facts() + ")", "t.scope, t.name");
  std::vector<Fact> facts;
  RunEvidence* current = nullptr;
  const auto finish = [&] {
    if (current != nullptr) current->provenance = comparable_provenance(facts);
    facts.clear();
  };
  const auto find = [&](RowId attempt) -> RunEvidence* {
    finish();
    const auto place = valid.find(attempt);
    if (place == valid.end()) return current = nullptr;
    return current = &evidence.points[place->second.point].runs[place->second.run];
  };
  std::int64_t ignored = 0;
  TRY(each_row(db_.query(kSelect, study), find, [&](const Statement& row, RunEvidence&) {
    Fact& fact = facts.emplace_back();
    row.read(ignored, fact.scope, fact.name, fact.value);
  }));
  finish();
  return {};
}

Result<StudyEvidence> StudyStore::evidence_in_detail(RowId study) {
  static const std::string kSamples =
      select_of_valid("t.max_ns", "samples", " AND t.warmup = 0", "t.iteration");
  static const std::string kRanks =
      select_of_valid("t.rank, t.host, t.cpus, t.compute_ns, t.communication_ns, t.work",
                      "rank_totals", "", "t.rank");
  static const std::string kMetrics =
      select_of_valid("t.name, t.value, t.unit, t.better", "metrics", "", "t.name");
  static const std::string kFacts =
      select_of_valid("t.scope, t.name, t.value", "provenance", "", "t.scope, t.name");

  static const std::string kProfile = select_of_valid(
      "t.rank, t.complete, t.threads, t.window_ns, t.collective_ns,"
      " t.point_to_point_ns, t.wait_ns, t.one_sided_ns, t.other_ns,"
      " t.other_threads_ns",
      "profile_ranks", "", "t.rank");
  static const std::string kOperations = select_of_valid(
      "t.name, t.kind, t.calls, t.bytes, t.time_ns, t.max_ns", "profile_operations", "", "t.name");

  TRY_ASSIGN(auto moment, db_.begin_read());
  StudyEvidence evidence;
  TRY_ASSIGN(const auto valid, read_evidence(study, evidence));
  for (const auto& [attempt, place] : valid) {
    auto& at = evidence.points[place.point];
    if (at.details.size() <= place.detail) at.details.resize(place.detail + 1);
    at.details[place.detail].number = at.runs[place.run].number;
  }
  const auto find = [&](RowId attempt) -> RunDetail* {
    const auto place = valid.find(attempt);
    if (place == valid.end()) return nullptr;
    return &evidence.points[place->second.point].details[place->second.detail];
  };
  std::int64_t ignored = 0;
  TRY(each_row(db_.query(kSamples, study), find, [&](const Statement& row, RunDetail& run) {
    Nanoseconds max_ns = 0;
    row.read(ignored, max_ns);
    run.iteration_seconds.push_back(to_seconds(max_ns));
  }));
  TRY(each_row(db_.query(kRanks, study), find, [&](const Statement& row, RunDetail& run) {
    RankTotal& total = run.ranks.emplace_back();
    row.read(ignored, total.rank, total.host, total.cpus, total.compute_ns, total.communication_ns,
             total.work);
  }));
  TRY(each_row(db_.query(kMetrics, study), find, [&](const Statement& row, RunDetail& run) {
    Metric& metric = run.metrics.emplace_back();
    row.read(ignored, metric.name, metric.value, metric.unit, metric.better);
  }));
  TRY(each_row(db_.query(kFacts, study), find, [&](const Statement& row, RunDetail& run) {
    Fact& fact = run.facts.emplace_back();
    row.read(ignored, fact.scope, fact.name, fact.value);
  }));
  TRY(each_row(db_.query(kProfile, study), find, [&](const Statement& row, RunDetail& run) {
    RankProfile& p = run.profile.emplace_back();
    row.read(ignored, p.rank, p.complete, p.threads, p.window_ns, p.collective_ns,
             p.point_to_point_ns, p.wait_ns, p.one_sided_ns, p.other_ns, p.other_threads_ns);
  }));
  TRY(each_row(db_.query(kOperations, study), find, [&](const Statement& row, RunDetail& run) {
    OperationTotal& o = run.operations.emplace_back();
    row.read(ignored, o.name, o.kind, o.calls, o.bytes, o.time_ns, o.max_ns);
  }));
  TRY(moment.commit());
  for (const auto& [attempt, place] : valid) {
    auto& at = evidence.points[place.point];
    at.runs[place.run].provenance = comparable_provenance(at.details[place.detail].facts);
  }
  return evidence;
}

}  // namespace kneepoint
