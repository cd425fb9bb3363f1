// SPDX-License-Identifier: Apache-2.0
//
// Opening a store: find out where the file lies, choose how it is written, bring it up to date.
#include "orchestrator/store/study_store.h"

#include <filesystem>

#include "orchestrator/base/log.h"
#include "orchestrator/store/database.h"
#include "orchestrator/store/file_system.h"
#include "orchestrator/store/migrations.h"

namespace kneepoint {
namespace {

Result<Journal> prepare_folder(const std::string& path) {
  const auto parent = std::filesystem::path(path).parent_path();
  const std::string folder = parent.empty() ? "." : parent.string();
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  if (failed) return system_error("create the database's folder " + folder, failed.value());
  const std::string network = network_file_system_of(folder);
  if (network.empty()) return Journal::wal;
  log_warning("", "database " + path + " is on a network file system (" + network +
                      "): writing is slower there, and relies on the locks of " + network +
                      "; a local disk is better");
  return Journal::rollback;
}

}  // namespace

Result<std::unique_ptr<StudyStore>> StudyStore::open(const std::string& path, Access access,
                                                     const Clock& clock) {
  if (path.empty()) {
    return Error{ErrorCode::invalid,
                 "the database's path is empty; name a file with --db or KNEEPOINT_DB"};
  }
  std::unique_ptr<Database> database;
  if (access == Access::read_only) {
    TRY_ASSIGN(database, Database::open_read_only(path));
    TRY(require_current(*database, embedded_migrations()));
  } else {
    TRY_ASSIGN(const Journal journal, prepare_folder(path));
    TRY_ASSIGN(database, Database::open_writable(path, journal));
    TRY(migrate(*database, embedded_migrations()));
    TRY(database->run("PRAGMA foreign_keys = ON"));
  }
  return std::unique_ptr<StudyStore>(new StudyStore(std::move(database), clock));
}

StudyStore::StudyStore(std::unique_ptr<Database> database, const Clock& clock)
    : database_(std::move(database)),
      db_(*database_),
      clock_(clock),
      file_(file_identity(db_.path())) {}

StudyStore::~StudyStore() = default;

Result<std::unique_ptr<DatabaseTransaction>> StudyStore::begin() {
  TRY_ASSIGN(auto transaction, db_.begin());
  return std::make_unique<DatabaseTransaction>(std::move(transaction));
}

Error StudyStore::no_such(const char* what, RowId row) const {
  return Error{ErrorCode::not_found,
               db_.path() + ": there is no " + what + " in row " + std::to_string(row)};
}

Error StudyStore::unreadable(const char* column, const std::string& word) const {
  return Error{ErrorCode::corrupt, db_.path() + ": " + column + " '" + word +
                                       "' is not a word this kneepoint knows; was it written by a "
                                       "newer one?"};
}

}  // namespace kneepoint
