// SPDX-License-Identifier: Apache-2.0
//
// The only file that knows sqlite3.h. Settings and what they promise: docs/decisions/0003.
#include "orchestrator/store/database.h"

#include <sqlite3.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>

namespace kneepoint {
namespace {

constexpr Nanoseconds kBusyTimeout = 5 * kSecond;

ErrorCode code_of_constraint(int code) {
  switch (code) {
    case SQLITE_CONSTRAINT_UNIQUE:
    case SQLITE_CONSTRAINT_PRIMARYKEY:
    case SQLITE_CONSTRAINT_ROWID:
      return ErrorCode::exists;
    case SQLITE_CONSTRAINT_FOREIGNKEY:
      return ErrorCode::not_found;
    default:
      return ErrorCode::invalid;
  }
}

// Why SQLite could not open a file, from the operating system's last answer.
Error open_error(const std::string& path, int errno_value, const std::string& text) {
  if (errno_value == 0) return Error{ErrorCode::io, "open database " + path + ": " + text};
  return system_error("open database " + path, errno_value);
}

// A path as SQLite reads it in a "file:" name; immutable: nobody writes, so no lock files needed.
std::string immutable_name(const std::string& path) {
  std::string name = "file:";
  for (const char c : std::filesystem::absolute(path).string()) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte) || c == '/' || c == '.' || c == '-' || c == '_') {
      name += c;
    } else {
      char escaped[4];
      std::snprintf(escaped, sizeof escaped, "%%%02X", byte);
      name += escaped;
    }
  }
  return name + "?immutable=1";
}

// Which file a name stands for: device and number; both 0 when there is none.
std::pair<std::uint64_t, std::uint64_t> file_of(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return {};
  return {status.st_dev, status.st_ino};
}

Result<void> refuse_what_is_no_file(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) {
    if (errno == ENOENT) {
      return Error{ErrorCode::not_found, "no studies yet: " + path + " does not exist"};
    }
    return system_error("open database " + path, errno);
  }
  if (!S_ISREG(status.st_mode)) {
    return Error{ErrorCode::invalid, "open database " + path +
                                         ": this is not a regular file; name a file with --db or "
                                         "KNEEPOINT_DB"};
  }
  return {};
}

}  // namespace

Result<std::unique_ptr<Database>> Database::connect(const std::string& path,
                                                    const std::string& name, int flags) {
  std::unique_ptr<Database> database(new Database(path));
  const int code = sqlite3_open_v2(name.c_str(), &database->handle_,
                                   flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, nullptr);
  if (code != SQLITE_OK) return database->error(code);
  database->set_busy_timeout(kBusyTimeout);
  // Opening is lazy: this is what really reads the file.
  TRY(database->number_of("SELECT COUNT(*) FROM sqlite_schema"));
  database->file_ = file_of(path);
  return database;
}

bool Database::is_replaced() const {
  return file_of(path_) != file_;
}

Result<std::unique_ptr<Database>> Database::open_writable(const std::string& path,
                                                          Journal journal) {
  if (auto file = refuse_what_is_no_file(path); !file) {
    if (file.error().code != ErrorCode::not_found) return file.error();
  }
  TRY_ASSIGN(auto database, connect(path, path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE));
  if (sqlite3_db_readonly(database->handle_, "main") == 1) {
    return Error{ErrorCode::permission,
                 "open database " + path +
                     ": this user may read but not write it; give it write permission, or name "
                     "another file with --db or KNEEPOINT_DB"};
  }
  TRY(database->choose_journal(journal));
  return database;
}

// How commits reach the disk. WAL with synchronous = NORMAL: a commit survives the death of the
// process, and a crash of the machine never damages the file, though it may undo the last commits.
// Rollback journal with FULL: a commit survives both. docs/decisions/0003 says why.
Result<void> Database::choose_journal(Journal journal) {
  const std::string wanted = journal == Journal::wal ? "wal" : "delete";
  TRY_ASSIGN(const auto current, first<std::string>("PRAGMA journal_mode"));
  std::string mode = current.value_or("");
  if (mode != wanted) {
    // Refused while others have the file open: the present mode serves as well, and the next
    // opening asks again.
    TRY_ASSIGN(auto change, query("PRAGMA journal_mode = " + wanted));
    if (auto row = change.next(); row && *row) change.read(mode);
  }
  TRY(run(mode == "wal" ? "PRAGMA synchronous = NORMAL" : "PRAGMA synchronous = FULL"));
  return {};
}

Result<std::unique_ptr<Database>> Database::open_read_only(const std::string& path) {
  TRY(refuse_what_is_no_file(path));
  auto database = connect(path, path, SQLITE_OPEN_READONLY);
  if (!database && database.error().code != ErrorCode::corrupt && !database.error().retryable) {
    // In a folder where we may not create the lock files: fine as long as nothing is left to
    // recover, since then the file alone is the whole database.
    std::error_code ignored;
    const auto left = std::filesystem::file_size(path + "-wal", ignored);
    if (ignored || left == 0) {
      auto fixed = connect(path, immutable_name(path), SQLITE_OPEN_READONLY | SQLITE_OPEN_URI);
      if (fixed) database = std::move(fixed);
    }
  }
  if (database) (*database)->read_only_ = true;
  return database;
}

Database::~Database() {
  for (const auto& [sql, statement] : idle_) sqlite3_finalize(statement);
  sqlite3_close(handle_);
}

void Database::set_busy_timeout(Nanoseconds timeout) {
  sqlite3_busy_timeout(handle_, static_cast<int>(timeout / kMillisecond));
}

Error Database::error(int code) const {
  const std::string text = handle_ ? sqlite3_errmsg(handle_) : sqlite3_errstr(code);
  switch (code & 0xff) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return Error{ErrorCode::unavailable,
                   path_ + ": another process has it locked (" + text + "); try again", true};
    case SQLITE_NOTADB:
      return Error{ErrorCode::corrupt,
                   path_ +
                       " is not an SQLite database; name another file with --db or "
                       "KNEEPOINT_DB"};
    case SQLITE_CORRUPT:
      return Error{ErrorCode::corrupt, path_ + " is damaged (" + text +
                                           "); restore a copy (migrations leave " + path_ +
                                           ".bak-v<version>), or name another file with --db"};
    case SQLITE_CANTOPEN:
      return open_error(path_, handle_ ? sqlite3_system_errno(handle_) : 0, text);
    case SQLITE_READONLY:
    case SQLITE_PERM:
    case SQLITE_AUTH:
      return Error{ErrorCode::permission, path_ + " can't be written: " + text};
    case SQLITE_CONSTRAINT:
      return Error{code_of_constraint(code), path_ + ": " + text};
    case SQLITE_MISMATCH:
    case SQLITE_TOOBIG:
      return Error{ErrorCode::invalid, path_ + ": " + text};
    case SQLITE_FULL:
      return Error{ErrorCode::io, path_ + ": no room left on its disk", true};
    default:
      return Error{ErrorCode::io, path_ + ": " + text};
  }
}

Result<Statement> Database::prepare(std::string_view sql) {
  if (const auto found = idle_.find(sql); found != idle_.end()) {
    sqlite3_stmt* const handle = found->second;
    idle_.erase(found);
    return Statement(*this, handle, sql);
  }
  sqlite3_stmt* handle = nullptr;
  const int code = sqlite3_prepare_v3(handle_, sql.data(), static_cast<int>(sql.size()),
                                      SQLITE_PREPARE_PERSISTENT, &handle, nullptr);
  if (code != SQLITE_OK) return error(code);
  return Statement(*this, handle, sql);
}

void Database::give_back(sqlite3_stmt* handle, const std::string& sql) {
  if (!idle_.emplace(sql, handle).second) sqlite3_finalize(handle);
}

Result<void> Database::run_script(const std::string& sql) {
  const int code = sqlite3_exec(handle_, sql.c_str(), nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) return error(code);
  return {};
}

std::int64_t Database::last_insert_row() const {
  return sqlite3_last_insert_rowid(handle_);
}

Result<void> Database::copy_file(const std::string& from, const std::string& to) {
  const std::string unfinished = to + ".tmp";
  std::error_code ignored;
  std::filesystem::remove(unfinished, ignored);
  TRY_ASSIGN(auto source, connect(from, from, SQLITE_OPEN_READONLY));
  {
    TRY_ASSIGN(auto target,
               connect(unfinished, unfinished, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE));
    sqlite3_backup* const backup =
        sqlite3_backup_init(target->handle_, "main", source->handle_, "main");
    if (!backup) return target->error(sqlite3_extended_errcode(target->handle_));
    sqlite3_backup_step(backup, -1);
    if (const int code = sqlite3_backup_finish(backup); code != SQLITE_OK) {
      return target->error(code);
    }
  }
  if (std::rename(unfinished.c_str(), to.c_str()) != 0) {
    return system_error("rename " + unfinished + " to " + to, errno);
  }
  return {};
}

Statement::Statement(Statement&& other) noexcept
    : database_(other.database_),
      handle_(std::exchange(other.handle_, nullptr)),
      sql_(std::move(other.sql_)),
      bind_error_(other.bind_error_) {}

Statement::~Statement() {
  if (!handle_) return;
  reset();
  database_.give_back(handle_, sql_);
}

void Statement::reset() {
  sqlite3_reset(handle_);
  sqlite3_clear_bindings(handle_);
  bind_error_ = SQLITE_OK;
  unreadable_.clear();
}

void Statement::note(int code) {
  if (bind_error_ == SQLITE_OK) bind_error_ = code;
}

void Statement::bind_integer(int index, std::int64_t value) {
  note(sqlite3_bind_int64(handle_, index, value));
}

void Statement::bind_real(int index, double value) {
  note(sqlite3_bind_double(handle_, index, value));
}

void Statement::bind_text(int index, std::string_view value) {
  const char* const bytes = value.data() ? value.data() : "";  // a null pointer would be NULL
  note(sqlite3_bind_text(handle_, index, bytes, static_cast<int>(value.size()), SQLITE_TRANSIENT));
}

Result<bool> Statement::next() {
  if (bind_error_ != SQLITE_OK) return database_.error(bind_error_);
  TRY(check());
  const int code = sqlite3_step(handle_);
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) return false;
  return database_.error(code);
}

Result<int> Statement::finish() {
  for (;;) {
    TRY_ASSIGN(const bool row, next());
    if (row) continue;
    const int changed = sqlite3_changes(database_.handle_);
    reset();
    return changed;
  }
}

std::int64_t Statement::integer(int column) const {
  return sqlite3_column_int64(handle_, column);
}

double Statement::real(int column) const {
  return sqlite3_column_double(handle_, column);
}

std::string_view Statement::text(int column) const {
  const auto* const bytes = reinterpret_cast<const char*>(sqlite3_column_text(handle_, column));
  if (bytes == nullptr) return {};
  return {bytes, static_cast<std::size_t>(sqlite3_column_bytes(handle_, column))};
}

Cell Statement::cell(int column) const {
  switch (sqlite3_column_type(handle_, column)) {
    case SQLITE_INTEGER:
      return integer(column);
    case SQLITE_FLOAT:
      return real(column);
    case SQLITE_NULL:
      return {};
    default:
      return std::string(text(column));
  }
}

std::vector<std::string> Statement::names() const {
  std::vector<std::string> names;
  const int columns = sqlite3_column_count(handle_);
  for (int i = 0; i < columns; ++i) names.emplace_back(sqlite3_column_name(handle_, i));
  return names;
}

std::vector<Cell> Statement::cells() const {
  std::vector<Cell> row;
  const int columns = sqlite3_column_count(handle_);
  for (int i = 0; i < columns; ++i) row.push_back(cell(i));
  return row;
}

void Statement::note_unreadable(int column) const {
  unreadable_ = sqlite3_column_name(handle_, column) + (" '" + std::string(text(column)) + "'");
}

Result<void> Statement::check() const {
  if (unreadable_.empty()) return {};
  return Error{ErrorCode::corrupt, database_.path() + ": " + unreadable_ +
                                       " is not a word this kneepoint knows; was it written by a "
                                       "newer one?"};
}

void Statement::bind_cell(int index, const Cell& value) {
  if (const auto* integer = std::get_if<std::int64_t>(&value)) {
    bind_integer(index, *integer);
  } else if (const auto* real = std::get_if<double>(&value)) {
    bind_real(index, *real);
  } else if (const auto* text = std::get_if<std::string>(&value)) {
    bind_text(index, *text);
  } else {
    note(sqlite3_bind_null(handle_, index));
  }
}

Result<int> Statement::run_cells(const std::vector<Cell>& values) {
  reset();
  for (std::size_t i = 0; i < values.size(); ++i) bind_cell(static_cast<int>(i) + 1, values[i]);
  return finish();
}

}  // namespace kneepoint
