// SPDX-License-Identifier: Apache-2.0
//
// From any older schema to the present one: numbered SQL files under schema/, embedded at build
// time, forward only. The number of the last one is PRAGMA user_version.
#pragma once

#include <span>
#include <string_view>

#include "orchestrator/base/result.h"
#include "orchestrator/store/database.h"

namespace kneepoint {

struct Migration {
  int version;  // ascending
  std::string_view name;
  std::string_view sql;
};

std::span<const Migration> embedded_migrations();

// Brings a writable database to the last version, each migration in one transaction. A database
// that holds something is first copied to <path>.bak-v<old version>. Safe to be called by several
// processes at once. Refuses a newer version, and databases of other programs.
Result<void> migrate(Database& database, std::span<const Migration> migrations);

// The same refusals without changing anything; an older version is one of them.
Result<void> require_current(Database& database, std::span<const Migration> migrations);

}  // namespace kneepoint
