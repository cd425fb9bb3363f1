// SPDX-License-Identifier: Apache-2.0
//
// Opening a store: find out where the file lies, choose how it is written, bring it up to date.
#include "orchestrator/store/study_store.h"

#include <sys/vfs.h>

#include <array>
#include <filesystem>

#include "orchestrator/base/log.h"
#include "orchestrator/store/migrations.h"

namespace kneepoint {
namespace {

// File systems on which other machines may write too, or that don't share memory maps. WAL needs
// memory shared between all users of the file.
struct NetworkRow {
  std::uint32_t magic;
  const char* name;
};

constexpr std::array<NetworkRow, 17> kNetworks = {{
    {0x00006969, "NFS"},
    {0x0BD00BD0, "Lustre"},
    {0x47504653, "GPFS"},
    {0x19830326, "BeeGFS"},
    {0xFF534D42, "CIFS"},
    {0xFE534D42, "SMB2"},
    {0x0000517B, "SMB"},
    {0x00C36400, "Ceph"},
    {0xAAD7AAEA, "PanFS"},
    {0x20030528, "OrangeFS"},
    {0x5346414F, "AFS"},
    {0x6B414653, "kAFS"},
    {0x73757245, "Coda"},
    {0x01161970, "GFS2"},
    {0x7461636F, "OCFS2"},
    {0x01021997, "9P"},
    {0x65735546, "FUSE"},  // sshfs, GlusterFS and others: can't be told apart, so be careful
}};

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

const char* network_file_system_name(std::uint32_t magic) {
  for (const auto& row : kNetworks) {
    if (row.magic == magic) return row.name;
  }
  return "";
}

std::string network_file_system_of(const std::string& folder) {
  struct statfs status {};
  if (::statfs(folder.c_str(), &status) != 0) return "";
  return network_file_system_name(static_cast<std::uint32_t>(status.f_type));
}

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

Result<std::unique_ptr<DatabaseTransaction>> StudyStore::begin() {
  TRY_ASSIGN(auto transaction, db_.begin());
  return std::make_unique<DatabaseTransaction>(std::move(transaction));
}

Result<std::int64_t> StudyStore::compact() {
  TRY(db_.run_script("VACUUM"));
  // What was written lies in the log until then. Not so with a rollback journal: then it is
  // nothing.
  TRY(db_.run_script("PRAGMA wal_checkpoint(TRUNCATE)"));
  return db_.number_of(
      "SELECT page_count * page_size FROM pragma_page_count(), pragma_page_size()");
}

Error StudyStore::no_such(const char* what, RowId row) const {
  return Error{ErrorCode::not_found,
               db_.path() + ": there is no " + what + " in row " + std::to_string(row)};
}

Result<void> StudyStore::change_one(const char* what, RowId row, const Result<int>& changed) const {
  if (!changed) return changed.error();
  if (*changed == 0) return no_such(what, row);
  return {};
}

Result<void> StudyStore::put_for(const char* what, RowId row, const Result<int>& put) const {
  if (put) return {};
  return put.error().code == ErrorCode::not_found ? no_such(what, row) : put.error();
}

}  // namespace kneepoint
