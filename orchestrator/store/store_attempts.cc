// SPDX-License-Identifier: Apache-2.0
//
// Attempts: planned once, changed only from the state the caller believes them to be in, their
// results written once. Pushed records are of attempts that are not over; the primary key makes a
// record that comes twice the same record.
#include "orchestrator/store/attempt_tables.h"
#include "orchestrator/store/database.h"
#include "orchestrator/store/study_store.h"

namespace kneepoint {
namespace {

const std::string kSelectAttempts =
    std::string("SELECT ") + kAttemptColumns + " FROM attempts a WHERE a.run = ? ";

}  // namespace

Result<AttemptRow> StudyStore::put_attempt(RowId run, int number, const std::string& allocation) {
  auto put = db_.run(
      "INSERT INTO attempts (run, number, allocation) VALUES (?, ?, ?)"
      " ON CONFLICT (run, number) DO NOTHING",
      run, number, allocation);
  if (!put) return put.error().code == ErrorCode::not_found ? no_such("run", run) : put.error();
  TRY_ASSIGN(auto row, db_.query(kSelectAttempts + "AND a.number = ?", run, number));
  TRY_ASSIGN(const bool there, row.next());
  if (!there) return no_such("attempt of run", run);
  AttemptRow attempt;
  AttemptWords words;
  read_attempt(row, attempt, words);
  if (!words.parse(attempt.state, attempt.reason)) {
    return unreadable("state or reason", words.state + " " + words.reason);
  }
  return attempt;
}

Result<std::vector<AttemptRow>> StudyStore::attempts(RowId run) {
  TRY_ASSIGN(auto row, db_.query(kSelectAttempts + "ORDER BY a.number", run));
  std::vector<AttemptRow> attempts;
  AttemptWords words;
  for (;;) {
    TRY_ASSIGN(const bool there, row.next());
    if (!there) return attempts;
    auto& attempt = attempts.emplace_back();
    read_attempt(row, attempt, words);
    if (!words.parse(attempt.state, attempt.reason)) {
      return unreadable("state or reason", words.state + " " + words.reason);
    }
  }
}

Result<void> StudyStore::change_attempt(const AttemptRow& a, AttemptState from) {
  ENSURE(is_legal(from, a.state), "an attempt may only change as model/attempt.h allows");
  const Nanoseconds queue_wait =
      a.submitted_ns > 0 && a.started_ns > a.submitted_ns ? a.started_ns - a.submitted_ns : 0;
  TRY_ASSIGN(const int changed,
             db_.run("UPDATE attempts SET state = ?, reason = ?, detail = ?, allocation = ?,"
                     " submissions = ?, job_id = ?, submitted_ns = ?, started_ns = ?,"
                     " ended_ns = ?, exit_code = ?, signal = ?, nodes = ?, waiting = ?,"
                     " expected_start_ns = ?, queue_wait_ns = ?, limit_ns = ?,"
                     " price = CASE WHEN ? THEN 0 ELSE price END WHERE id = ? AND state = ?",
                     to_string(a.state), to_string(a.reason), a.detail, a.allocation, a.submissions,
                     a.job_id, a.submitted_ns, a.started_ns, a.ended_ns, a.exit_code, a.signal,
                     a.nodes, a.waiting, a.expected_start_ns, queue_wait, a.limit_ns,
                     a.state == AttemptState::submitting, a.row, to_string(from)));
  if (changed == 1) return {};
  TRY_ASSIGN(auto row, db_.query("SELECT a.state, a.number, r.number FROM attempts a"
                                 " JOIN runs r ON r.id = a.run WHERE a.id = ?",
                                 a.row));
  TRY_ASSIGN(const bool there, row.next());
  if (!there) return no_such("attempt", a.row);
  std::string state;
  int number = 0, run = 0;
  row.read(state, number, run);
  return Error{ErrorCode::conflict, "attempt r" + std::to_string(run) + "-a" +
                                        std::to_string(number) + " is " + state + ", not " +
                                        to_string(from) + " as expected: somebody changed it"};
}

Result<void> StudyStore::put_placement(const AttemptRow& a) {
  TRY_ASSIGN(const int changed, db_.run("UPDATE attempts SET nodes = ?, waiting = ?,"
                                        " expected_start_ns = ? WHERE id = ?",
                                        a.nodes, a.waiting, a.expected_start_ns, a.row));
  if (changed == 0) return no_such("attempt", a.row);
  return {};
}

Result<void> StudyStore::put_result(RowId attempt, const AttemptResult& r) {
  TRY_ASSIGN(auto transaction, db_.begin());
  TRY_ASSIGN(
      const int written,
      db_.run(
          "UPDATE attempts SET has_result = 1, seconds = ?, work_total = ?,"
          " work_min = ?, work_max = ?, compute_seconds = ?,"
          " communication_seconds = ?, hosts = ?, oversubscribed = ?,"
          " binding_differs = ?, machine_busy = ?, disturbed = ? WHERE id = ? AND has_result = 0",
          r.seconds, r.work_total, r.work_min, r.work_max, r.compute_seconds,
          r.communication_seconds, r.hosts, r.oversubscribed, r.binding_differs, r.machine_busy,
          r.disturbed, attempt));
  if (written == 0) {
    TRY_ASSIGN(auto row, db_.query("SELECT 1 FROM attempts WHERE id = ?", attempt));
    TRY_ASSIGN(const bool there, row.next());
    if (!there) return no_such("attempt", attempt);
    return {};  // written before: the first one stands
  }
  TRY(put_rows(db_, attempt, r.samples));
  TRY(put_rows(db_, attempt, r.ranks));
  for (const Metric& metric : r.metrics) {
    auto put = put_rows(db_, attempt, std::vector{metric});
    if (!put) return put.error().in("store metric " + metric.name);
  }
  TRY(put_rows(db_, attempt, r.facts));
  TRY(put_rows(db_, attempt, r.profile));
  TRY(put_rows(db_, attempt, r.operations));
  return transaction.commit();
}

Result<void> StudyStore::finish_run(RowId run) {
  TRY_ASSIGN(auto transaction, db_.begin());
  std::string state = "cancelled";  // of a run that nobody ever tried
  {
    TRY_ASSIGN(auto row, db_.query("SELECT state FROM attempts WHERE run = ?"
                                   " ORDER BY number DESC LIMIT 1",
                                   run));
    TRY_ASSIGN(const bool tried, row.next());
    if (tried) row.read(state);
  }
  const auto last = parse_attempt_state(state);
  if (!last) return unreadable("state", state);
  if (!is_final(*last)) {
    return Error{ErrorCode::conflict,
                 "a run can't be finished while its newest attempt is " + state};
  }
  TRY_ASSIGN(const int changed,
             db_.run("UPDATE runs SET outcome = ? WHERE id = ?",
                     *last == AttemptState::succeeded ? "succeeded" : "failed", run));
  if (changed == 0) return no_such("run", run);
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
  TRY_ASSIGN(auto insert, db_.prepare("INSERT INTO pushed_records (attempt, seq, type, line)"
                                      " VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING"));
  int added = 0;
  for (const PushedRecord& record : records) {
    TRY_ASSIGN(const int changed, insert.run(attempt, record.seq, record.type, record.line));
    added += changed;
  }
  TRY(transaction.commit());
  return added;
}

Result<std::string> StudyStore::pushed_text(RowId attempt) {
  TRY_ASSIGN(auto rows,
             db_.query("SELECT line FROM pushed_records WHERE attempt = ? ORDER BY seq", attempt));
  std::string text;
  for (;;) {
    TRY_ASSIGN(const bool there, rows.next());
    if (!there) return text;
    std::string line;
    rows.read(line);
    text += line;
    text += '\n';
  }
}

Result<PushedSoFar> StudyStore::pushed_so_far(RowId attempt) {
  TRY_ASSIGN(auto rows, db_.query("SELECT COUNT(*), COALESCE(SUM(type = 'sample'), 0)"
                                  " FROM pushed_records WHERE attempt = ?",
                                  attempt));
  PushedSoFar so_far;
  TRY_ASSIGN(const bool there, rows.next());
  if (there) rows.read(so_far.records, so_far.samples);
  return so_far;
}

Result<void> StudyStore::drop_pushed(RowId attempt) {
  TRY(db_.run("DELETE FROM pushed_records WHERE attempt = ?", attempt));
  return {};
}

}  // namespace kneepoint
