// SPDX-License-Identifier: Apache-2.0
//
// Studies whose runs were over before they were stored. Caveats are events of the study, of kind
// `caveat`, as "code: message".
#include "orchestrator/store/database.h"
#include "orchestrator/store/study_store.h"

namespace kneepoint {
namespace {

constexpr char kCaveat[] = "caveat";
constexpr char kBetween[] = ": ";

}  // namespace

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
  TRY_ASSIGN(auto put_metric,
             db_.prepare("INSERT INTO metrics (attempt, name, value, unit) VALUES (?, ?, ?, ?)"));
  TRY_ASSIGN(auto put_fact, db_.prepare("INSERT INTO provenance (attempt, scope, name, value)"
                                        " VALUES (?, ?, ?, ?)"));
  for (const FinishedRun& run : runs) {
    ++number;
    TRY(put_run.run(study, run.point, number, run.repeat, number - 1));
    TRY(put_attempt.run(db_.last_insert_row(), run.detail, run.seconds));
    if (run.metrics.empty() && run.facts.empty()) continue;
    const RowId attempt = db_.last_insert_row();
    for (const Metric& m : run.metrics) TRY(put_metric.run(attempt, m.name, m.value, m.unit));
    for (const Fact& f : run.facts) TRY(put_fact.run(attempt, f.scope, f.name, f.value));
  }
  return transaction.commit();
}

Result<void> StudyStore::put_caveats(RowId study, const std::vector<Caveat>& caveats) {
  TRY_ASSIGN(auto transaction, db_.begin());
  for (const Caveat& caveat : caveats) {
    TRY(put_event(study, {clock_.wall(), kCaveat, caveat.code + kBetween + caveat.message, 0, 0}));
  }
  return transaction.commit();
}

Result<void> StudyStore::set_caveat(RowId study, const Caveat& caveat) {
  const std::string opening = caveat.code + kBetween;
  TRY_ASSIGN(auto transaction, db_.begin());
  TRY(
      db_.run("DELETE FROM events WHERE study = ? AND run_number = 0 AND kind = ?"
              " AND substr(text, 1, length(?)) = ?",
              study, kCaveat, opening, opening));
  if (!caveat.message.empty()) TRY(put_caveats(study, {caveat}));
  return transaction.commit();
}

Result<void> StudyStore::read_caveats(RowId study, StudyEvidence& evidence) {
  TRY_ASSIGN(const auto texts,
             all_rows<std::string>(db_.query("SELECT text FROM events WHERE study = ?"
                                             " AND run_number = 0 AND kind = ? ORDER BY id",
                                             study, kCaveat)));
  for (const std::string& text : texts) {
    const std::size_t cut = text.find(kBetween);
    if (cut == std::string::npos) continue;
    evidence.caveats.push_back({text.substr(0, cut), text.substr(cut + 2)});
  }
  return {};
}

}  // namespace kneepoint
