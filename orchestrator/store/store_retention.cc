// SPDX-License-Identifier: Apache-2.0
//
// Samples are read by nothing that decides: T, its parts and the work of a run were summed up when
// its records came in.
#include "orchestrator/store/database.h"
#include "orchestrator/store/study_store.h"

namespace kneepoint {

Result<std::int64_t> StudyStore::sample_count(RowId study) {
  TRY_ASSIGN(auto row, db_.query("SELECT COUNT(*) FROM runs r JOIN attempts a ON a.run = r.id"
                                 " JOIN samples s ON s.attempt = a.id WHERE r.study = ?",
                                 study));
  TRY_ASSIGN(const bool there, row.next());
  std::int64_t count = 0;
  if (there) row.read(count);
  return count;
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
