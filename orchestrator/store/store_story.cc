// SPDX-License-Identifier: Apache-2.0
//
// What `explain` tells: events, and all that one attempt reported; and dropping samples, which
// nothing that decides reads: T, its parts and the work of a run were summed up when its records
// came in.
#include <limits>

#include "orchestrator/store/attempt_tables.h"
#include "orchestrator/store/database.h"
#include "orchestrator/store/study_store.h"

namespace kneepoint {
Result<void> StudyStore::put_event(RowId study, const Event& event) {
  TRY(
      db_.run("INSERT INTO events (study, run_number, attempt_number, wall_ns, kind, text)"
              " VALUES (?, ?, ?, ?, ?, ?)",
              study, event.run_number, event.attempt_number,
              event.wall_ns != 0 ? event.wall_ns : clock_.wall(), event.kind, event.text));
  return {};
}

Result<std::vector<Event>> StudyStore::events(RowId study, int run_number) {
  const int last = run_number == 0 ? std::numeric_limits<int>::max() : run_number;
  return all_rows<Event>(db_.query("SELECT wall_ns, kind, text, run_number, attempt_number"
                                   " FROM events WHERE study = ? AND run_number BETWEEN ? AND ?"
                                   " ORDER BY id",
                                   study, run_number, last),
                         [](const Statement& row, Event& event) {
                           row.read(event.wall_ns, event.kind, event.text, event.run_number,
                                    event.attempt_number);
                         });
}

Result<std::vector<Fact>> StudyStore::facts(RowId attempt) {
  return rows_of<Fact>(db_, attempt);
}

Result<std::vector<Sample>> StudyStore::samples(RowId attempt) {
  return rows_of<Sample>(db_, attempt);
}

Result<std::vector<RankTotal>> StudyStore::ranks(RowId attempt) {
  return rows_of<RankTotal>(db_, attempt);
}

Result<std::vector<Metric>> StudyStore::metrics(RowId attempt) {
  return rows_of<Metric>(db_, attempt);
}

Result<AttemptProfile> StudyStore::profile(RowId attempt) {
  AttemptProfile profile;
  TRY_ASSIGN(profile.ranks, rows_of<RankProfile>(db_, attempt));
  TRY_ASSIGN(profile.operations, rows_of<OperationTotal>(db_, attempt));
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

Result<std::int64_t> StudyStore::compact() {
  TRY(db_.run_script("VACUUM"));
  // What was written lies in the log until then. Not so with a rollback journal: then it is
  // nothing.
  TRY(db_.run_script("PRAGMA wal_checkpoint(TRUNCATE)"));
  return db_.number_of(
      "SELECT page_count * page_size FROM pragma_page_count(), pragma_page_size()");
}

}  // namespace kneepoint
