// SPDX-License-Identifier: Apache-2.0
//
// Transactions and savepoints. SQLite may already have rolled back by itself (disk full, I/O
// error); then there is nothing left to roll back, and committing says so.
#include "orchestrator/store/database.h"

namespace kneepoint {

Result<DatabaseTransaction> Database::begin_with(const char* sql) {
  TRY(run(depth_ == 0 ? sql : "SAVEPOINT nested"));
  return DatabaseTransaction(*this, ++depth_);
}

Result<DatabaseTransaction> Database::begin() {
  return begin_with(read_only_ ? "BEGIN" : "BEGIN IMMEDIATE");
}

Result<DatabaseTransaction> Database::begin_read() {
  return begin_with("BEGIN");
}

void Database::roll_back(int depth) {
  ENSURE(depth == depth_, "transactions must end in the reverse order of their beginnings");
  // Failing means that SQLite has rolled back already, which is what was wanted.
  if (depth == 1) {
    (void)run("ROLLBACK");
  } else if (run("ROLLBACK TO nested")) {
    (void)run("RELEASE nested");
  }
  --depth_;
}

DatabaseTransaction::DatabaseTransaction(DatabaseTransaction&& other) noexcept
    : database_(std::exchange(other.database_, nullptr)), depth_(other.depth_) {}

DatabaseTransaction::~DatabaseTransaction() {
  if (database_) database_->roll_back(depth_);
}

Result<void> DatabaseTransaction::commit() {
  ENSURE(database_ != nullptr, "a transaction is committed at most once");
  ENSURE(depth_ == database_->depth_, "transactions must end in the reverse order of beginning");
  TRY(database_->run(depth_ == 1 ? "COMMIT" : "RELEASE nested"));
  --database_->depth_;
  database_ = nullptr;
  return {};
}

}  // namespace kneepoint
