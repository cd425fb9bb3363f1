// SPDX-License-Identifier: Apache-2.0
//
// Attempts: planned once, changed only from the state the caller believes them to be in. Pushed
// records are of attempts that are not over; the primary key makes a record that comes twice the
// same record.
#include "orchestrator/store/study_store.h"

namespace kneepoint {

Result<std::vector<AttemptRow>> StudyStore::attempts(RowId run) {
  static const std::string kSelect = "SELECT id, run, " + select_list<AttemptRow>() +
                                     " FROM attempts WHERE run = ? ORDER BY number";
  TRY_ASSIGN(auto statement, db_.query(kSelect, run));
  std::vector<AttemptRow> attempts;
  for (;;) {
    TRY_ASSIGN(const bool there, statement.next());
    if (!there) return attempts;
    AttemptRow& one = attempts.emplace_back();
    statement.read(one.row, one.run, one);
  }
}

Result<AttemptRow> StudyStore::put_attempt(RowId run, int number, const std::string& allocation) {
  TRY(put_for("run", run,
              db_.run("INSERT INTO attempts (run, number, allocation) VALUES (?, ?, ?)"
                      " ON CONFLICT (run, number) DO NOTHING",
                      run, number, allocation)));
  TRY_ASSIGN(const std::vector<AttemptRow> all, attempts(run));
  for (const AttemptRow& attempt : all) {
    if (attempt.number == number) return attempt;
  }
  return no_such("attempt of run", run);
}

Result<void> StudyStore::change_attempt(const AttemptRow& a, AttemptState from) {
  ENSURE(is_legal(from, a.state), "an attempt may only change as model/attempt.h allows");
  static const std::string kUpdate =
      "UPDATE attempts SET " + list_of_names(names_of_columns<AttemptRow>(), " = ?") +
      ", queue_wait_ns = ?, price = CASE WHEN ? THEN 0 ELSE price END WHERE id = ? AND state = ?";
  const Nanoseconds queue_wait =
      a.submitted_ns > 0 && a.started_ns > a.submitted_ns ? a.started_ns - a.submitted_ns : 0;
  TRY_ASSIGN(const int changed,
             db_.run(kUpdate, a, queue_wait, a.state == AttemptState::submitting, a.row, from));
  if (changed == 1) return {};
  TRY_ASSIGN(const auto found, (db_.first<std::tuple<std::string, int, int>>(
                                   "SELECT a.state, a.number, r.number FROM attempts a"
                                   " JOIN runs r ON r.id = a.run WHERE a.id = ?",
                                   a.row)));
  if (!found) return no_such("attempt", a.row);
  const auto& [state, number, run] = *found;
  return Error{ErrorCode::conflict, "attempt r" + std::to_string(run) + "-a" +
                                        std::to_string(number) + " is " + state + ", not " +
                                        to_string(from) + " as expected: somebody changed it"};
}

Result<void> StudyStore::put_placement(const AttemptRow& a) {
  return change_one("attempt", a.row,
                    db_.run("UPDATE attempts SET nodes = ?, waiting = ?, expected_start_ns = ?"
                            " WHERE id = ?",
                            a.nodes, a.waiting, a.expected_start_ns, a.row));
}

Result<void> StudyStore::finish_run(RowId run) {
  TRY_ASSIGN(auto transaction, db_.begin());
  TRY_ASSIGN(const auto newest, db_.first<AttemptState>("SELECT state FROM attempts WHERE run = ?"
                                                        " ORDER BY number DESC LIMIT 1",
                                                        run));
  const AttemptState last = newest.value_or(AttemptState::cancelled);  // nobody ever tried
  if (!is_final(last)) {
    return Error{
        ErrorCode::conflict,
        std::string("a run can't be finished while its newest attempt is ") + to_string(last)};
  }
  TRY(change_one("run", run,
                 db_.run("UPDATE runs SET outcome = ? WHERE id = ?",
                         last == AttemptState::succeeded ? "succeeded" : "failed", run)));
  return transaction.commit();
}

Result<void> StudyStore::reopen_failed_runs(RowId study) {
  TRY_ASSIGN(auto transaction, db_.begin());
  TRY(
      db_.run("UPDATE runs SET forgiven ="
              " (SELECT COALESCE(MAX(number), 0) FROM attempts WHERE run = runs.id)"
              " WHERE study = ? AND outcome = 'failed'",
              study));
  TRY(
      db_.run("INSERT INTO events (study, run_number, attempt_number, wall_ns, kind, text)"
              " SELECT study, number, 0, ?, 'reopen',"
              " 'opened again on request; its next attempt is a' || (forgiven + 1)"
              " FROM runs WHERE study = ? AND outcome = 'failed' ORDER BY number",
              clock_.wall(), study));
  TRY(db_.run("UPDATE runs SET outcome = 'open' WHERE study = ? AND outcome = 'failed'", study));
  return transaction.commit();
}

Result<int> StudyStore::put_pushed(RowId attempt, const std::vector<PushedRecord>& records) {
  TRY_ASSIGN(auto transaction, db_.begin());
  TRY_ASSIGN(auto insert, db_.prepare(insert_text<PushedRecord>("pushed_records", {"attempt"}) +
                                      " ON CONFLICT DO NOTHING"));
  int added = 0;
  for (const PushedRecord& record : records) {
    TRY_ASSIGN(const int changed, insert.run(attempt, record));
    added += changed;
  }
  TRY(transaction.commit());
  return added;
}

Result<std::string> StudyStore::pushed_text(RowId attempt) {
  TRY_ASSIGN(const auto lines,
             db_.all<std::string>("SELECT line FROM pushed_records WHERE attempt = ? ORDER BY seq",
                                  attempt));
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

Result<PushedSoFar> StudyStore::pushed_so_far(RowId attempt) {
  TRY_ASSIGN(const auto found,
             db_.first<PushedSoFar>("SELECT COUNT(*), COALESCE(SUM(type = 'sample'), 0)"
                                    " FROM pushed_records WHERE attempt = ?",
                                    attempt));
  return found.value_or(PushedSoFar());
}

Result<void> StudyStore::drop_pushed(RowId attempt) {
  TRY(db_.run("DELETE FROM pushed_records WHERE attempt = ?", attempt));
  return {};
}

}  // namespace kneepoint
