// SPDX-License-Identifier: Apache-2.0
//
// The write lock is taken before the version is looked at: whoever comes second finds the work
// done. The backup is made by a second connection, which reads while the first holds the lock.
#include "orchestrator/store/migrations.h"

#include <algorithm>
#include <string>

#include "orchestrator/base/log.h"

namespace kneepoint {
namespace {

constexpr std::int64_t kApplicationId = 0x4B4E4545;  // "KNEE": the file is ours

std::int64_t last_of(std::span<const Migration> migrations) {
  return migrations.empty() ? 0 : migrations.back().version;
}

struct Schema {
  std::int64_t version = 0;
  bool empty = true;  // no tables at all
};

Result<Schema> read_schema(Database& database, std::int64_t last) {
  Schema schema;
  TRY_ASSIGN(schema.version, database.number_of("PRAGMA user_version"));
  TRY_ASSIGN(const auto tables, database.number_of("SELECT COUNT(*) FROM sqlite_schema"));
  TRY_ASSIGN(const auto owner, database.number_of("PRAGMA application_id"));
  schema.empty = tables == 0;
  if (owner != kApplicationId && (!schema.empty || schema.version != 0)) {
    return Error{ErrorCode::invalid,
                 database.path() +
                     " is an SQLite database of another program; name another file with --db or "
                     "KNEEPOINT_DB"};
  }
  if (schema.version > last) {
    return Error{ErrorCode::unsupported,
                 database.path() + " has schema version " + std::to_string(schema.version) +
                     ", but this kneepoint knows versions up to " + std::to_string(last) +
                     ": use the newer kneepoint that wrote it, or another file with --db or "
                     "KNEEPOINT_DB"};
  }
  return schema;
}

Result<void> refuse_dangling(Database& database) {
  TRY_ASSIGN(auto check, database.query("PRAGMA foreign_key_check"));
  TRY_ASSIGN(const bool dangling, check.next());
  if (!dangling) return {};
  std::string table;
  check.read(table);
  return Error{ErrorCode::corrupt,
               database.path() + ": rows of table " + table + " refer to rows that are not there"};
}

// One step, if anything is left to do. The answer: is there more?
Result<bool> migrate_once(Database& database, std::span<const Migration> migrations,
                          bool& backup_due) {
  const std::int64_t last = last_of(migrations);
  TRY_ASSIGN(auto transaction, database.begin());
  TRY_ASSIGN(const Schema schema, read_schema(database, last));
  if (schema.version == last) return false;
  const std::string old = std::to_string(schema.version);
  if (!schema.empty && backup_due) {
    const std::string copy = database.path() + ".bak-v" + old;
    if (auto copied = Database::copy_file(database.path(), copy); !copied) {
      return copied.error().in("back up " + database.path() + " before migrating it");
    }
    log_info("",
             "database " + database.path() + ": a copy of schema version " + old + " is " + copy);
  }
  backup_due = false;  // what this call made itself needs no copy
  const auto found = std::find_if(migrations.begin(), migrations.end(), [&](const Migration& one) {
    return one.version > schema.version;
  });
  ENSURE(found != migrations.end(), "migrations are in the order of their versions");
  const Migration& next = *found;
  const auto in_step = [&](const Error& error) {
    return error.in("migrate from schema version " + old + " (" + std::string(next.name) + ")");
  };
  if (auto ran = database.run_script(std::string(next.sql)); !ran) return in_step(ran.error());
  if (auto sound = refuse_dangling(database); !sound) return in_step(sound.error());
  TRY(database.run_script("PRAGMA application_id = " + std::to_string(kApplicationId) +
                          "; PRAGMA user_version = " + std::to_string(next.version)));
  TRY(transaction.commit());
  return next.version < last;
}

}  // namespace

Result<void> migrate(Database& database, std::span<const Migration> migrations) {
  TRY_ASSIGN(const Schema schema, read_schema(database, last_of(migrations)));
  if (schema.version == last_of(migrations)) return {};
  bool backup_due = true;
  for (bool more = true; more;) {
    TRY_ASSIGN(more, migrate_once(database, migrations, backup_due));
  }
  return {};
}

Result<void> require_current(Database& database, std::span<const Migration> migrations) {
  const std::int64_t last = last_of(migrations);
  TRY_ASSIGN(const Schema schema, read_schema(database, last));
  if (schema.version == last) return {};
  if (schema.empty) {
    return Error{ErrorCode::not_found, "no studies yet: " + database.path() + " is empty"};
  }
  return Error{ErrorCode::unsupported,
               database.path() + " has schema version " + std::to_string(schema.version) +
                   " and this kneepoint reads version " + std::to_string(last) +
                   ": commands that write bring it up to date and keep a copy, for example "
                   "`kneepoint run PLAN`"};
}

}  // namespace kneepoint
