// SPDX-License-Identifier: Apache-2.0
//
// How commits reach the disk. WAL with synchronous = NORMAL: a commit survives the death of the
// process, and a crash of the machine never damages the file, though it may undo the last commits.
// Rollback journal with FULL: a commit survives both. docs/decisions/0003 says why.
#include "orchestrator/store/database.h"

namespace kneepoint {

Result<void> Database::choose_journal(Journal journal) {
  const std::string wanted = journal == Journal::wal ? "wal" : "delete";
  std::string mode;
  {
    TRY_ASSIGN(auto current, query("PRAGMA journal_mode"));
    TRY(current.next());
    current.read(mode);
  }
  if (mode != wanted) {
    // Refused while others have the file open: the present mode serves as well, and the next
    // opening asks again.
    TRY_ASSIGN(auto change, query("PRAGMA journal_mode = " + wanted));
    if (auto row = change.next(); row && *row) change.read(mode);
  }
  TRY(run(mode == "wal" ? "PRAGMA synchronous = NORMAL" : "PRAGMA synchronous = FULL"));
  return {};
}

}  // namespace kneepoint
