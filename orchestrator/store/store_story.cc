// SPDX-License-Identifier: Apache-2.0
//
// What `explain` tells: events, and all that one attempt reported.
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
  TRY_ASSIGN(auto row, db_.query("SELECT wall_ns, kind, text, run_number, attempt_number"
                                 " FROM events WHERE study = ? AND run_number BETWEEN ? AND ?"
                                 " ORDER BY id",
                                 study, run_number, last));
  std::vector<Event> events;
  for (;;) {
    TRY_ASSIGN(const bool there, row.next());
    if (!there) return events;
    Event& event = events.emplace_back();
    row.read(event.wall_ns, event.kind, event.text, event.run_number, event.attempt_number);
  }
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

}  // namespace kneepoint
