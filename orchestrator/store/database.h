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
#include <utility>
#include <vector>

#include "orchestrator/base/clock.h"
#include "orchestrator/base/result.h"
#include "orchestrator/model/row_table.h"
#include "orchestrator/store/columns.h"

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

  // Values are bound in order; a struct or a tuple as the values that it consists of.
  template <typename... T>
  void start(const T&... values) {
    reset();
    int index = 0;
    const auto all = std::tie(values...);
    each_value(all, [&](const auto& value) { bind(++index, value); });
  }
  // True: a row is there to read. False: there are no more. An error too where the row before had a
  // word that we don't know.
  Result<bool> next();
  // Binds, runs to the end, and says how many rows were changed.
  template <typename... T>
  Result<int> run(const T&... values) {
    start(values...);
    return finish();
  }
  // The same with values whose types are known at run time only.
  Result<int> run_cells(const std::vector<Cell>& values);
  // Could the current row be read?
  Result<void> check() const;
  std::vector<std::string> names() const;  // of the columns
  std::vector<Cell> cells() const;         // of the current row
  // The columns of the current row, in order.
  template <typename... T>
  void read(T&... values) const {
    int column = 0;
    auto all = std::tie(values...);
    each_value(all, [&](auto& value) { get(column++, value); });
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
    } else if constexpr (std::is_convertible_v<const T&, std::string_view>) {
      bind_text(index, value);
    } else {
      bind_cell(index, to_cell(value));
    }
  }
  void bind_integer(int index, std::int64_t value);
  void bind_real(int index, double value);
  void bind_text(int index, std::string_view value);
  void bind_cell(int index, const Cell& value);

  // What is NULL reads as 0, "" or an absent optional, and leaves an enum as it is.
  template <typename T>
  void get(int column, T& value) const {
    if constexpr (std::is_integral_v<T>) {
      value = static_cast<T>(integer(column));
    } else if constexpr (std::is_same_v<T, double>) {
      value = real(column);
    } else if constexpr (std::is_same_v<T, std::string>) {
      value.assign(text(column));
    } else {
      const Cell found = cell(column);
      const bool null = std::holds_alternative<std::monostate>(found);
      if (!from_cell(found, value) && !null) note_unreadable(column);
    }
  }
  std::int64_t integer(int column) const;
  double real(int column) const;
  std::string_view text(int column) const;
  Cell cell(int column) const;
  void note_unreadable(int column) const;

  Result<int> finish();
  void reset();
  void note(int code);

  Database& database_;
  sqlite3_stmt* handle_;
  std::string sql_;
  int bind_error_ = 0;
  mutable std::string unreadable_;  // what of the current row can't be read; "": nothing
};

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
  bool is_replaced() const;  // the path is another file's by now, or nobody's
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
  // Every row of a query; a struct or a tuple reads several columns.
  template <typename Row, typename... T>
  Result<std::vector<Row>> all(std::string_view sql, const T&... values) {
    TRY_ASSIGN(auto statement, query(sql, values...));
    std::vector<Row> rows;
    for (;;) {
      TRY_ASSIGN(const bool there, statement.next());
      if (!there) return rows;
      statement.read(rows.emplace_back());
    }
  }
  // The first row, if there is one.
  template <typename Row, typename... T>
  Result<std::optional<Row>> first(std::string_view sql, const T&... values) {
    TRY_ASSIGN(auto statement, query(sql, values...));
    TRY_ASSIGN(const bool there, statement.next());
    if (!there) return std::optional<Row>();
    std::optional<Row> row(std::in_place);
    statement.read(*row);
    TRY(statement.check());
    return row;
  }
  // The one number that a query always has.
  template <typename... T>
  Result<std::int64_t> number_of(std::string_view sql, const T&... values) {
    TRY_ASSIGN(const auto number, first<std::int64_t>(sql, values...));
    ENSURE(number.has_value(), "number_of() needs a query that always has a row");
    return *number;
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
  std::pair<std::uint64_t, std::uint64_t> file_;  // that was opened: device and number
  bool read_only_ = false;
  int depth_ = 0;  // of transactions
  std::map<std::string, sqlite3_stmt*, std::less<>> idle_;
};

}  // namespace kneepoint
