// SPDX-License-Identifier: Apache-2.0
//
// What attempts reported: written once, read for one attempt, or for all valid runs of a study with
// one query for each table. Then rows come run by run in the order of the keys, so that nothing is
// sorted; that is what keeps a million samples within a second. Nothing that decides reads samples:
// T, its parts and the work of a run were summed up when its records came in.
#include "orchestrator/model/provenance.h"
#include "orchestrator/store/study_store.h"

namespace kneepoint {
namespace {

// The table that keeps a struct of the wire, and the order of an attempt's rows.
struct ReportTable {
  const char* name;
  const char* order;
};
template <typename Row>
constexpr ReportTable kTable{};
template <>
constexpr ReportTable kTable<Sample>{"samples", "warmup DESC, iteration"};
template <>
constexpr ReportTable kTable<RankTotal>{"rank_totals", "rank"};
template <>
constexpr ReportTable kTable<Metric>{"metrics", "name"};
template <>
constexpr ReportTable kTable<Fact>{"provenance", "scope, name"};
template <>
constexpr ReportTable kTable<RankProfile>{"profile_ranks", "rank"};
template <>
constexpr ReportTable kTable<OperationTotal>{"profile_operations", "name"};

// A row that is there stays as it is.
template <typename Row>
Result<void> put_reports(Database& db, RowId attempt, const std::vector<Row>& rows) {
  static const std::string kInsert =
      insert_text<Row>(kTable<Row>.name, {"attempt"}) + " ON CONFLICT DO NOTHING";
  if (rows.empty()) return {};
  TRY_ASSIGN(auto insert, db.prepare(kInsert));
  for (const Row& row : rows) {
    auto put = insert.run(attempt, row);
    if constexpr (std::is_same_v<Row, Metric>) {
      if (!put) return put.error().in("store metric " + row.name);
    }
    TRY(put);
  }
  return {};
}

template <typename Row>
Result<std::vector<Row>> reports_of(Database& db, RowId attempt) {
  static const std::string kSelect = "SELECT " + select_list<Row>() + " FROM " + kTable<Row>.name +
                                     " WHERE attempt = ? ORDER BY " + kTable<Row>.order;
  return db.all<Row>(kSelect, attempt);
}

// Rows of a table (as t) that belong to succeeded attempts of a study, the attempt's row first.
template <typename Row>
std::string select_of_valid(const std::string& columns, const std::string& condition = "") {
  return "SELECT a.id, " + columns +
         " FROM runs r CROSS JOIN attempts a ON a.run = r.id CROSS JOIN " + kTable<Row>.name +
         " t ON t.attempt = a.id WHERE r.study = ? AND a.state = 'succeeded'" + condition +
         " ORDER BY r.number, a.number, " + kTable<Row>.order;
}

// Facts that decide whether runs compare. Their names are our own constants, and need no binding.
std::string is_compared_fact() {
  std::string list;
  for (const ComparedFact& fact : compared_facts()) {
    for (const std::string_view name : {fact.name, fact.instead}) {
      if (!name.empty()) list += (list.empty() ? "'" : ", '") + std::string(name) + "'";
    }
  }
  return " AND t.name IN (" + list + ")";
}

// Calls take(row, target) for every row; `find` gives the target of an attempt, null: not wanted.
template <typename Row, typename Find, typename Take>
Result<void> each_of_valid(Result<Statement> query, const Find& find, const Take& take) {
  if (!query) return query.error();
  RowId attempt = 0, last = 0;
  decltype(find(attempt)) target = nullptr;
  for (Row row;;) {
    TRY_ASSIGN(const bool there, query->next());
    if (!there) return {};
    query->read(attempt, row);
    if (attempt != last) target = find(last = attempt);
    if (target != nullptr) take(row, *target);
  }
}

// Appends the rows of a table to that member of the run that they belong to.
template <typename Row, typename Find>
Result<void> read_table(Database& db, RowId study, const Find& find,
                        std::vector<Row> RunDetail::*rows) {
  static const std::string kSelect = select_of_valid<Row>(select_list<Row>("t."));
  return each_of_valid<Row>(db.query(kSelect, study), find, [&](Row& row, RunDetail& run) {
    (run.*rows).push_back(std::move(row));
  });
}

}  // namespace

Result<void> StudyStore::put_result(RowId attempt, const AttemptResult& r) {
  static const std::string kUpdate = "UPDATE attempts SET has_result = 1, " +
                                     list_of_names(names_of_columns<AttemptResult>(), " = ?") +
                                     " WHERE id = ? AND has_result = 0";
  TRY_ASSIGN(auto transaction, db_.begin());
  TRY_ASSIGN(const int written, db_.run(kUpdate, r, attempt));
  if (written == 0) {
    TRY_ASSIGN(const auto there, db_.first<int>("SELECT 1 FROM attempts WHERE id = ?", attempt));
    if (!there) return no_such("attempt", attempt);
    return {};  // written before: the first one stands
  }
  TRY(put_reports(db_, attempt, r.samples));
  TRY(put_reports(db_, attempt, r.ranks));
  TRY(put_reports(db_, attempt, r.metrics));
  TRY(put_reports(db_, attempt, r.facts));
  TRY(put_reports(db_, attempt, r.profile));
  TRY(put_reports(db_, attempt, r.operations));
  return transaction.commit();
}

Result<std::vector<Fact>> StudyStore::facts(RowId attempt) {
  return reports_of<Fact>(db_, attempt);
}

Result<std::vector<Sample>> StudyStore::samples(RowId attempt) {
  return reports_of<Sample>(db_, attempt);
}

Result<std::vector<RankTotal>> StudyStore::ranks(RowId attempt) {
  return reports_of<RankTotal>(db_, attempt);
}

Result<std::vector<Metric>> StudyStore::metrics(RowId attempt) {
  return reports_of<Metric>(db_, attempt);
}

Result<AttemptProfile> StudyStore::profile(RowId attempt) {
  AttemptProfile profile;
  TRY_ASSIGN(profile.ranks, reports_of<RankProfile>(db_, attempt));
  TRY_ASSIGN(profile.operations, reports_of<OperationTotal>(db_, attempt));
  return profile;
}

Result<std::int64_t> StudyStore::sample_count(RowId study) {
  return db_.number_of(
      "SELECT COUNT(*) FROM runs r JOIN attempts a ON a.run = r.id"
      " JOIN samples s ON s.attempt = a.id WHERE r.study = ?",
      study);
}

Result<std::int64_t> StudyStore::drop_samples(RowId study) {
  TRY_ASSIGN(const int dropped,
             db_.run("DELETE FROM samples WHERE attempt IN (SELECT a.id FROM runs r"
                     " JOIN attempts a ON a.run = r.id WHERE r.study = ?)",
                     study));
  return static_cast<std::int64_t>(dropped);
}

Result<void> StudyStore::read_provenance(RowId study, const ValidRuns& valid,
                                         StudyEvidence& evidence) {
  static const std::string kSelect =
      select_of_valid<Fact>(select_list<Fact>("t."), is_compared_fact());
  std::unordered_map<RowId, std::vector<Fact>> facts;
  TRY(each_of_valid<Fact>(
      db_.query(kSelect, study), [&](RowId attempt) { return &facts[attempt]; },
      [](Fact& fact, std::vector<Fact>& of_run) { of_run.push_back(std::move(fact)); }));
  for (const auto& [attempt, place] : valid) {
    evidence.points[place.point].runs[place.run].provenance = comparable_provenance(facts[attempt]);
  }
  return {};
}

Result<StudyEvidence> StudyStore::evidence_in_detail(RowId study) {
  static const std::string kSamples = select_of_valid<Sample>("t.max_ns", " AND t.warmup = 0");
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
  TRY(each_of_valid<Nanoseconds>(
      db_.query(kSamples, study), find,
      [](Nanoseconds max, RunDetail& run) { run.iteration_seconds.push_back(to_seconds(max)); }));
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

Result<GateNight> StudyStore::gate_night(RowId study) {
  static const std::string kFacts =
      "SELECT DISTINCT '', t.name, t.value FROM runs r CROSS JOIN attempts a ON a.run = r.id"
      " CROSS JOIN provenance t ON t.attempt = a.id WHERE r.study = ? AND a.state = 'succeeded'" +
      is_compared_fact();
  TRY_ASSIGN(auto moment, db_.begin_read());
  TRY_ASSIGN(const auto id,
             db_.first<std::string>("SELECT study_id FROM studies WHERE id = ?", study));
  if (!id) return no_such("study", study);
  GateNight night{*id, "", "", {}};
  // The newest attempt of a run decides.
  TRY_ASSIGN(const auto times,
             (db_.all<std::tuple<std::string, double, double, double>>(
                 "SELECT p.key, a.seconds, a.compute_seconds, a.communication_seconds"
                 " FROM points p CROSS JOIN runs r ON r.point = p.id"
                 " CROSS JOIN attempts a ON a.run = r.id WHERE p.study = ?"
                 " AND a.state = 'succeeded' AND a.seconds > 0 AND NOT EXISTS"
                 " (SELECT 1 FROM attempts b WHERE b.run = a.run AND b.number > a.number)"
                 " ORDER BY p.id, r.repeat",
                 study)));
  for (const auto& [key, seconds, compute, communication] : times) {
    if (night.points.empty() || night.points.back().key != key) {
      night.points.push_back({key, {}, {}, {}});
    }
    night.points.back().seconds.push_back(seconds);
    night.points.back().compute.push_back(compute);
    night.points.back().communication.push_back(communication);
  }
  TRY_ASSIGN(const auto facts, db_.all<Fact>(kFacts, study));
  TRY(moment.commit());
  constexpr std::string_view kProgram = "program=";
  const std::string text = comparable_provenance(facts);
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find("; ", begin), text.size());
    const std::string part = text.substr(begin, end - begin);
    if (part.starts_with(kProgram)) {
      night.program = part.substr(kProgram.size());
    } else {
      night.environment += (night.environment.empty() ? "" : "; ") + part;
    }
    begin = end + 2;
  }
  return night;
}

}  // namespace kneepoint
