// SPDX-License-Identifier: Apache-2.0
//
// A small RAII layer over SQLite: Database, Statement, DatabaseTransaction. One connection belongs
// to one thread and must not be carried over a fork. Every Error names the file. sqlite3.h is
// included in database.cc alone.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "orchestrator/base/clock.h"
#include "orchestrator/base/result.h"
#include "orchestrator/model/row_table.h"
#include "orchestrator/store/database_transaction.h"

struct sqlite3;
struct sqlite3_stmt;

namespace kneepoint {

class Database;

// A prepared statement. It comes from its Database's cache and goes back there when destroyed, so
// the same text may be in use twice at a time.
class Statement {
 public:
  Statement(Statement&& other) noexcept;
  Statement& operator=(Statement&&) = delete;
  ~Statement();

  // Values are bound in order.
  template <typename... T>
  void start(const T&... values) {
    reset();
    int index = 0;
    (bind(++index, values), ...);
  }
  // True: a row is there to read. False: there are no more.
  Result<bool> next();
  // Binds, runs to the end, and says how many rows were changed.
  template <typename... T>
  Result<int> run(const T&... values) {
    start(values...);
    return finish();
  }
  // The same with values whose types are known at run time only.
  Result<int> run_cells(const std::vector<Cell>& values);
  std::vector<Cell> cells() const;  // of the current row
  // The columns of the current row, in order.
  template <typename... T>
  void read(T&... values) const {
    int column = 0;
    (get(column++, values), ...);
  }

 private:
  friend class Database;
  Statement(Database& database, sqlite3_stmt* handle, std::string_view sql)
      : database_(database), handle_(handle), sql_(sql) {}

  template <typename T>
  void bind(int index, const T& value) {
    if constexpr (std::is_same_v<T, Cell>) {
      bind_cell(index, value);
    } else if constexpr (std::is_integral_v<T>) {
      bind_integer(index, static_cast<std::int64_t>(value));
    } else if constexpr (std::is_floating_point_v<T>) {
      bind_real(index, value);
    } else {
      bind_text(index, value);
    }
  }
  void bind_integer(int index, std::int64_t value);
  void bind_real(int index, double value);
  void bind_text(int index, std::string_view value);
  void bind_cell(int index, const Cell& value);

  template <typename T>
  requires std::is_integral_v<T>
  void get(int column, T& value) const { value = static_cast<T>(integer(column)); }
  void get(int column, double& value) const;
  void get(int column, std::optional<double>& value) const;
  void get(int column, std::string& value) const;
  std::int64_t integer(int column) const;

  Result<int> finish();
  void reset();
  void note(int code);

  Database& database_;
  sqlite3_stmt* handle_;
  std::string sql_;
  int bind_error_ = 0;
};

enum class Journal { wal, rollback };  // rollback: for file systems without shared memory

class Database {
 public:
  // Creates the file (not its folder) if needed. WAL falls back to rollback if it can't be had.
  static Result<std::unique_ptr<Database>> open_writable(const std::string& path, Journal journal);
  // Works while another process writes. A missing file is ErrorCode::not_found.
  static Result<std::unique_ptr<Database>> open_read_only(const std::string& path);
  // A consistent copy of a database that others may have open; replaces `to` when complete.
  static Result<void> copy_file(const std::string& from, const std::string& to);
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  const std::string& path() const { return path_; }
  bool read_only() const { return read_only_; }
  void set_busy_timeout(Nanoseconds timeout);

  Result<Statement> prepare(std::string_view sql);
  // A statement with its values bound; step through it with next().
  template <typename... T>
  Result<Statement> query(std::string_view sql, const T&... values) {
    auto statement = prepare(sql);
    if (statement) statement->start(values...);
    return statement;
  }
  // Runs to the end; how many rows were changed.
  template <typename... T>
  Result<int> run(std::string_view sql, const T&... values) {
    auto statement = prepare(sql);
    if (!statement) return statement.error();
    return statement->run(values...);
  }
  Result<void> run_script(const std::string& sql);  // several statements, nothing to bind
  // The one number that a query always has.
  template <typename... T>
  Result<std::int64_t> number_of(std::string_view sql, const T&... values) {
    TRY_ASSIGN(auto statement, query(sql, values...));
    TRY_ASSIGN(const bool there, statement.next());
    ENSURE(there, "number_of() needs a query that always has a row");
    std::int64_t number = 0;
    statement.read(number);
    return number;
  }
  std::int64_t last_insert_row() const;

  // A writable database takes the write lock at once, so that nothing can change in between.
  Result<DatabaseTransaction> begin();
  // Several queries that must see the same moment.
  Result<DatabaseTransaction> begin_read();

 private:
  friend class Statement;
  friend class DatabaseTransaction;
  explicit Database(std::string path) : path_(std::move(path)) {}
  static Result<std::unique_ptr<Database>> connect(const std::string& path, const std::string& name,
                                                   int flags);
  Result<DatabaseTransaction> begin_with(const char* sql);
  Result<void> choose_journal(Journal journal);
  Error error(int code) const;
  void give_back(sqlite3_stmt* handle, const std::string& sql);
  void roll_back(int depth);

  std::string path_;
  sqlite3* handle_ = nullptr;
  bool read_only_ = false;
  int depth_ = 0;  // of transactions
  std::map<std::string, sqlite3_stmt*, std::less<>> idle_;
};

// Every row of a query, each read by read(row, value) into a value of its own.
template <typename Value, typename Read>
Result<std::vector<Value>> all_rows(Result<Statement> query, const Read& read) {
  if (!query) return query.error();
  std::vector<Value> values;
  for (;;) {
    TRY_ASSIGN(const bool there, query->next());
    if (!there) return values;
    read(static_cast<const Statement&>(*query), values.emplace_back());
  }
}
// The same of a query of one column.
template <typename Value>
Result<std::vector<Value>> all_rows(Result<Statement> query) {
  return all_rows<Value>(std::move(query),
                         [](const Statement& row, Value& value) { row.read(value); });
}

}  // namespace kneepoint
