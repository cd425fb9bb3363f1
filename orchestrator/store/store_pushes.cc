// SPDX-License-Identifier: Apache-2.0
//
// Pushed records of attempts that are not over. The primary key makes a record that comes twice the
// same record.
#include "orchestrator/store/database.h"
#include "orchestrator/store/study_store.h"

namespace kneepoint {

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
