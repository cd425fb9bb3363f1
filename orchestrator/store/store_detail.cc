// SPDX-License-Identifier: Apache-2.0
//
// What valid runs reported, for a finer analysis: one query for each table, whatever the number of
// runs. Rows come run by run in the order of the keys, so that nothing is sorted; that is what
// keeps a million samples within a second.
#include "orchestrator/model/provenance.h"
#include "orchestrator/store/attempt_tables.h"
#include "orchestrator/store/compared_names.h"
#include "orchestrator/store/database.h"
#include "orchestrator/store/study_store.h"

namespace kneepoint {
namespace {

// Rows of `table` (as t) that belong to succeeded attempts of a study, the attempt's row first.
std::string select_of_valid(const std::string& columns, std::string_view table,
                            const std::string& condition, std::string_view order) {
  return "SELECT a.id, " + columns +
         " FROM runs r CROSS JOIN attempts a ON a.run = r.id CROSS JOIN " + std::string(table) +
         " t ON t.attempt = a.id WHERE r.study = ? AND a.state = 'succeeded'" + condition +
         " ORDER BY r.number, a.number, " + std::string(order);
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

// Appends the rows of a table to that member of the run that they belong to.
template <typename Row, typename Find>
Result<void> read_table(Database& db, RowId study, const Find& find,
                        std::vector<Row> RunDetail::*rows) {
  using Table = AttemptTable<Row>;
  static const std::string kSelect =
      select_of_valid(column_names<Row>("t."), Table::name, "", Table::order);
  return each_row(db.query(kSelect, study), find, [&](const Statement& row, RunDetail& run) {
    std::int64_t attempt = 0;
    read_row(row, (run.*rows).emplace_back(), attempt);
  });
}

}  // namespace

Result<void> StudyStore::read_provenance(RowId study, const ValidRuns& valid,
                                         StudyEvidence& evidence) {
  using Table = AttemptTable<Fact>;
  static const std::string kSelect =
      select_of_valid(column_names<Fact>("t."), Table::name,
                      " AND t.name IN (" + names_of_compared_facts() + ")", Table::order);
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
    read_row(row, facts.emplace_back(), ignored);
  }));
  finish();
  return {};
}

Result<StudyEvidence> StudyStore::evidence_in_detail(RowId study) {
  static const std::string kSamples =
      select_of_valid("t.max_ns", "samples", " AND t.warmup = 0", "t.iteration");

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
  TRY(read_table(db_, study, find, &RunDetail::ranks));
  TRY(read_table(db_, study, find, &RunDetail::metrics));
  TRY(read_table(db_, study, find, &RunDetail::facts));
  TRY(read_table(db_, study, find, &RunDetail::profile));
  TRY(read_table(db_, study, find, &RunDetail::operations));
  TRY(moment.commit());
  for (const auto& [attempt, place] : valid) {
    auto& at = evidence.points[place.point];
    at.runs[place.run].provenance = comparable_provenance(at.details[place.detail].facts);
  }
  return evidence;
}

}  // namespace kneepoint
