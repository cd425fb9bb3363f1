// SPDX-License-Identifier: Apache-2.0
//
// Several changes of a database as one; the rest of the database need not be known for it.
#pragma once

#include "orchestrator/base/result.h"

namespace kneepoint {

class Database;

// Everything until commit() happens together or, if it is destroyed before, not at all. Inside
// another one it is a savepoint of it. Must be ended in the reverse order of their beginnings.
class DatabaseTransaction {
 public:
  DatabaseTransaction(DatabaseTransaction&& other) noexcept;
  DatabaseTransaction& operator=(DatabaseTransaction&&) = delete;
  ~DatabaseTransaction();
  Result<void> commit();

 private:
  friend class Database;
  DatabaseTransaction(Database& database, int depth) : database_(&database), depth_(depth) {}
  Database* database_;  // null: ended
  int depth_;           // 1: the outermost
};

}  // namespace kneepoint
