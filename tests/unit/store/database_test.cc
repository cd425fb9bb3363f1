// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/store/database.h"

#include <cstdlib>
#include <fstream>
#include <limits>

#include "tests/unit/store/store_fixture.h"

namespace kneepoint {
namespace {

class DatabaseTest : public ::testing::Test {
 protected:
  std::unique_ptr<Database> open(Journal journal = Journal::wal) {
    auto database = Database::open_writable(folder_.file("x.db"), journal);
    EXPECT_TRUE(database.has_value()) << database.error().message;
    return std::move(*database);
  }
  static std::string text_of(Database& database, const std::string& sql) {
    auto row = database.query(sql);
    EXPECT_TRUE(row.has_value()) << row.error().message;
    EXPECT_TRUE(row->next().value());
    std::string text;
    row->read(text);
    return text;
  }
  static std::int64_t count(Database& database) {
    return database.number_of("SELECT COUNT(*) FROM t").value();
  }
  TemporaryFolder folder_;
};

TEST_F(DatabaseTest, EveryTypeReadsBackAsItWasBound) {
  auto database = open();
  ASSERT_TRUE(database->run_script("CREATE TABLE t (i INTEGER, r REAL, x TEXT, n REAL) STRICT"));
  const std::string bytes("nul \0 and \xff byte", 16);
  const auto least = std::numeric_limits<std::int64_t>::min();
  ASSERT_TRUE(database->run("INSERT INTO t VALUES (?, ?, ?, NULL)", least, 0.1, bytes));
  auto row = database->query("SELECT i, r, x, n, n FROM t");
  ASSERT_TRUE(row->next().value());
  std::int64_t i = 0;
  double r = 0, zero = 1;
  std::string x;
  std::optional<double> n = 1.0;
  row->read(i, r, x, n, zero);
  EXPECT_EQ(i, least);
  EXPECT_EQ(r, 0.1);
  EXPECT_EQ(x, bytes);
  EXPECT_FALSE(n.has_value());
  EXPECT_EQ(zero, 0.0);
  EXPECT_FALSE(row->next().value());
}

TEST_F(DatabaseTest, EmptyTextIsNotNull) {
  auto database = open();
  ASSERT_TRUE(database->run_script("CREATE TABLE t (x TEXT NOT NULL) STRICT"));
  EXPECT_TRUE(database->run("INSERT INTO t VALUES (?)", std::string_view()).has_value());
  EXPECT_EQ(count(*database), 1);
}

TEST_F(DatabaseTest, ChangedRowsAreCounted) {
  auto database = open();
  ASSERT_TRUE(database->run_script("CREATE TABLE t (x INTEGER UNIQUE) STRICT"));
  const char* insert = "INSERT INTO t VALUES (?) ON CONFLICT DO NOTHING";
  EXPECT_EQ(database->run(insert, 1).value(), 1);
  EXPECT_EQ(database->run(insert, 1).value(), 0);
  EXPECT_EQ(database->run("UPDATE t SET x = x + 1").value(), 1);
}

TEST_F(DatabaseTest, TheSameTextMayBeInUseTwice) {
  auto database = open();
  ASSERT_TRUE(database->run_script("CREATE TABLE t (x INTEGER); INSERT INTO t VALUES (1), (2)"));
  const char* select = "SELECT x FROM t ORDER BY x";
  auto outer = database->query(select);
  int pairs = 0;
  while (outer->next().value()) {
    auto inner = database->query(select);
    while (inner->next().value()) ++pairs;
  }
  EXPECT_EQ(pairs, 4);
}

TEST_F(DatabaseTest, AnUncommittedTransactionLeavesNothing) {
  auto database = open();
  ASSERT_TRUE(database->run_script("CREATE TABLE t (x INTEGER)"));
  {
    auto transaction = database->begin();
    ASSERT_TRUE(transaction.has_value());
    ASSERT_TRUE(database->run("INSERT INTO t VALUES (1)"));
  }
  EXPECT_EQ(count(*database), 0);
}

TEST_F(DatabaseTest, ANestedTransactionRollsBackAlone) {
  auto database = open();
  ASSERT_TRUE(database->run_script("CREATE TABLE t (x INTEGER)"));
  auto outer = database->begin();
  ASSERT_TRUE(database->run("INSERT INTO t VALUES (1)"));
  {
    auto inner = database->begin();
    ASSERT_TRUE(database->run("INSERT INTO t VALUES (2)"));
  }
  {
    auto inner = database->begin();
    ASSERT_TRUE(database->run("INSERT INTO t VALUES (3)"));
    ASSERT_TRUE(inner->commit());
  }
  ASSERT_TRUE(outer->commit());
  EXPECT_EQ(database->number_of("SELECT SUM(x) FROM t").value(), 4);
}

TEST_F(DatabaseTest, SettingsFollowTheJournal) {
  {
    auto database = open(Journal::wal);
    EXPECT_EQ(text_of(*database, "PRAGMA journal_mode"), "wal");
    EXPECT_EQ(database->number_of("PRAGMA synchronous").value(), 1);  // NORMAL
  }
  auto database = open(Journal::rollback);
  EXPECT_EQ(text_of(*database, "PRAGMA journal_mode"), "delete");
  EXPECT_EQ(database->number_of("PRAGMA synchronous").value(), 2);  // FULL
}

TEST_F(DatabaseTest, AModeThatCantBeHadNowIsDoneWithout) {
  auto first = open(Journal::wal);
  ASSERT_TRUE(first->run_script("CREATE TABLE t (x INTEGER)"));
  auto second = open(Journal::rollback);  // the first one holds the file in WAL mode
  EXPECT_EQ(text_of(*second, "PRAGMA journal_mode"), "wal");
  EXPECT_TRUE(second->run("INSERT INTO t VALUES (1)").has_value());
  EXPECT_EQ(count(*first), 1);
}

TEST_F(DatabaseTest, ASecondWriterIsToldWhoIsInTheWay) {
  auto first = open();
  ASSERT_TRUE(first->run_script("CREATE TABLE t (x INTEGER)"));
  auto second = open();
  second->set_busy_timeout(kMillisecond);
  auto held = first->begin();
  auto refused = second->begin();
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code, ErrorCode::unavailable);
  EXPECT_TRUE(refused.error().retryable);
  EXPECT_EQ(refused.error().message, folder_.file("x.db") +
                                         ": another process has it locked (database is locked); "
                                         "try again");
}

TEST_F(DatabaseTest, ConstraintsAreToldApart) {
  auto database = open();
  ASSERT_TRUE(database->run_script(
      "PRAGMA foreign_keys = ON; CREATE TABLE t (x INTEGER PRIMARY KEY, y INTEGER REFERENCES t (x),"
      " z TEXT CHECK (z <> 'bad')) STRICT; INSERT INTO t VALUES (1, NULL, 'a')"));
  const auto code = [&](const std::string& values) {
    auto put = database->run("INSERT INTO t VALUES (" + values + ")");
    return put ? "stored" : to_string(put.error().code);
  };
  EXPECT_STREQ(code("1, NULL, 'a'"), "exists");
  EXPECT_STREQ(code("2, 77, 'a'"), "not_found");
  EXPECT_STREQ(code("3, NULL, 'bad'"), "invalid");
  EXPECT_STREQ(code("'word', NULL, 'a'"), "invalid");
}

TEST_F(DatabaseTest, ACopyIsCompleteWhileAWriterHoldsTheLock) {
  auto database = open();
  ASSERT_TRUE(database->run_script("CREATE TABLE t (x INTEGER); INSERT INTO t VALUES (7)"));
  auto held = database->begin();
  ASSERT_TRUE(database->run("INSERT INTO t VALUES (8)"));  // not committed: not in the copy
  std::ofstream(folder_.file("copy.db")) << "an older copy";
  auto copied = Database::copy_file(folder_.file("x.db"), folder_.file("copy.db"));
  ASSERT_TRUE(copied.has_value()) << copied.error().message;
  auto copy = Database::open_read_only(folder_.file("copy.db"));
  ASSERT_TRUE(copy.has_value()) << copy.error().message;
  EXPECT_EQ((*copy)->number_of("SELECT SUM(x) FROM t").value(), 7);
}

TEST(NetworkFileSystem, IsKnownByItsMagicNumber) {
  EXPECT_STREQ(network_file_system_name(0x6969), "NFS");
  EXPECT_STREQ(network_file_system_name(0x0BD00BD0), "Lustre");
  EXPECT_STREQ(network_file_system_name(0x47504653), "GPFS");
  EXPECT_STREQ(network_file_system_name(0xFF534D42), "CIFS");
  EXPECT_STREQ(network_file_system_name(0x19830326), "BeeGFS");
  EXPECT_STREQ(network_file_system_name(0xEF53), "");      // ext4
  EXPECT_STREQ(network_file_system_name(0x01021994), "");  // tmpfs
  EXPECT_EQ(network_file_system_of("/proc/self"), "");
  EXPECT_EQ(network_file_system_of("/no/such/folder"), "");
}

}  // namespace
}  // namespace kneepoint
