// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/store/migrations.h"

#include <array>
#include <fstream>
#include <thread>

#include "tests/unit/store/store_fixture.h"

namespace kneepoint {
namespace {

constexpr std::array<Migration, 3> kSteps = {{
    {1, "first",
     "CREATE TABLE parent (id INTEGER PRIMARY KEY) STRICT;"
     "CREATE TABLE child (parent INTEGER REFERENCES parent (id)) STRICT;"},
    {2, "second", "ALTER TABLE parent ADD COLUMN name TEXT; INSERT INTO parent VALUES (2, 'two');"},
    {3, "third", "INSERT INTO parent VALUES (3, 'three');"},
}};
constexpr std::array<Migration, 2> kBroken = {{
    kSteps[0],
    {2, "half", "INSERT INTO parent VALUES (9); INSERT INTO nowhere VALUES (1);"},
}};
constexpr std::array<Migration, 2> kDangling = {{
    kSteps[0],
    {2, "dangling", "INSERT INTO child VALUES (77);"},
}};

class MigrationsTest : public ::testing::Test {
 protected:
  std::string path() const { return folder_.file("m.db"); }
  std::unique_ptr<Database> open() {
    auto database = Database::open_writable(path(), Journal::wal);
    EXPECT_TRUE(database.has_value()) << database.error().message;
    return std::move(*database);
  }
  static std::span<const Migration> steps(std::size_t count) {
    return std::span<const Migration>(kSteps).first(count);
  }
  static std::int64_t version(Database& database) {
    return database.number_of("PRAGMA user_version").value();
  }
  TemporaryFolder folder_;
};

TEST_F(MigrationsTest, AnEmptyDatabaseGetsEverythingAndNoBackup) {
  auto database = open();
  ASSERT_TRUE(migrate(*database, steps(3)));
  EXPECT_EQ(version(*database), 3);
  EXPECT_EQ(database->number_of("SELECT COUNT(*) FROM parent").value(), 2);
  EXPECT_FALSE(std::filesystem::exists(path() + ".bak-v0"));
  EXPECT_FALSE(std::filesystem::exists(path() + ".bak-v1"));
}

TEST_F(MigrationsTest, MigratingTwiceChangesNothing) {
  auto database = open();
  ASSERT_TRUE(migrate(*database, steps(2)));
  ASSERT_TRUE(migrate(*database, steps(2)));
  EXPECT_EQ(database->number_of("SELECT COUNT(*) FROM parent").value(), 1);
}

TEST_F(MigrationsTest, AnOlderDatabaseIsBackedUpOnceAndThenMigrated) {
  auto database = open();
  ASSERT_TRUE(migrate(*database, steps(1)));
  ASSERT_TRUE(database->run("INSERT INTO parent VALUES (1)"));
  ASSERT_TRUE(migrate(*database, steps(3)));
  EXPECT_EQ(version(*database), 3);
  EXPECT_EQ(database->number_of("SELECT COUNT(*) FROM parent").value(), 3);

  auto copy = Database::open_read_only(path() + ".bak-v1");
  ASSERT_TRUE(copy.has_value()) << copy.error().message;
  EXPECT_EQ(version(**copy), 1);
  EXPECT_EQ((*copy)->number_of("SELECT COUNT(*) FROM parent").value(), 1);
  EXPECT_FALSE(std::filesystem::exists(path() + ".bak-v2"));
  EXPECT_FALSE(std::filesystem::exists(path() + ".bak-v1.tmp"));
}

TEST_F(MigrationsTest, AStepThatFailsLeavesTheOldVersionWhole) {
  auto database = open();
  ASSERT_TRUE(migrate(*database, steps(1)));
  auto failed = migrate(*database, kBroken);
  ASSERT_FALSE(failed.has_value());
  EXPECT_EQ(failed.error().message,
            "migrate from schema version 1 (half): " + path() + ": no such table: nowhere");
  EXPECT_EQ(version(*database), 1);
  EXPECT_EQ(database->number_of("SELECT COUNT(*) FROM parent").value(), 0);
}

TEST_F(MigrationsTest, AStepThatLeavesDanglingRowsIsUndone) {
  auto database = open();
  ASSERT_TRUE(migrate(*database, steps(1)));
  auto failed = migrate(*database, kDangling);
  ASSERT_FALSE(failed.has_value());
  EXPECT_EQ(failed.error().code, ErrorCode::corrupt);
  EXPECT_EQ(database->number_of("SELECT COUNT(*) FROM child").value(), 0);
  EXPECT_EQ(version(*database), 1);
}

TEST_F(MigrationsTest, ANewerDatabaseIsRefusedByItsVersion) {
  auto database = open();
  ASSERT_TRUE(migrate(*database, steps(3)));
  for (const auto& refused : {migrate(*database, steps(2)), require_current(*database, steps(2))}) {
    ASSERT_FALSE(refused.has_value());
    EXPECT_EQ(refused.error().code, ErrorCode::unsupported);
    EXPECT_EQ(refused.error().message,
              path() +
                  " has schema version 3, but this kneepoint knows versions up to 2: use the "
                  "newer kneepoint that wrote it, or another file with --db or KNEEPOINT_DB");
  }
  EXPECT_EQ(version(*database), 3);
}

TEST_F(MigrationsTest, AReaderIsToldWhichCommandMigrates) {
  auto database = open();
  ASSERT_TRUE(migrate(*database, steps(1)));
  auto refused = require_current(*database, steps(2));
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code, ErrorCode::unsupported);
  EXPECT_NE(refused.error().message.find("has schema version 1 and this kneepoint reads version 2"),
            std::string::npos);
  EXPECT_NE(refused.error().message.find("`kneepoint run PLAN`"), std::string::npos);
}

TEST_F(MigrationsTest, ADatabaseOfAnotherProgramIsLeftAlone) {
  auto database = open();
  ASSERT_TRUE(database->run_script("CREATE TABLE bookmarks (url TEXT)"));
  auto refused = migrate(*database, steps(3));
  ASSERT_FALSE(refused.has_value());
  EXPECT_NE(refused.error().message.find("of another program"), std::string::npos);
  EXPECT_EQ(database->number_of("SELECT COUNT(*) FROM sqlite_schema").value(), 1);
}

TEST_F(MigrationsTest, EightProcessesAtOnceMigrateOnce) {
  std::vector<std::string> failures(8);
  {
    std::vector<std::jthread> threads;
    for (auto& failure : failures) {
      threads.emplace_back([&failure, this] {
        auto database = Database::open_writable(path(), Journal::wal);
        if (!database) {
          failure = database.error().message;
        } else if (auto done = migrate(**database, kSteps); !done) {
          failure = done.error().message;
        }
      });
    }
  }
  for (const auto& failure : failures) EXPECT_EQ(failure, "");
  EXPECT_EQ(open()->number_of("SELECT COUNT(*) FROM parent").value(), 2);
}

TEST_F(MigrationsTest, ADatabaseOfTheFirstSchemaKeepsItsStudiesAndKnowsNoFlops) {
  {
    auto database = open();
    ASSERT_TRUE(migrate(*database, embedded_migrations().first(1)));
    ASSERT_TRUE(database->run_script(
        "INSERT INTO studies VALUES (1, 'old-0a1b2c3d-1', 'old', '0a1b2c3d', 1, 'finished', "
        "'local',"
        " 'here', 'p.yaml', '', '', '/w', 'rank', 1, 'efficiency', 0.7, 5, 6);"
        "INSERT INTO points VALUES (1, 1, 'key', 'default', 'jacobi', 'jacobi', 'strong', 2, 1, 2, "
        "2,"
        " 1, 0, 'core', 96, 1, 'solve', 'the grid', 'cells', 0, 1, 1, 5, 0, '[\"kp-jacobi3d\"]');"
        "INSERT INTO runs VALUES (1, 1, 1, 1, 0, 0, 0, 'succeeded', 0);"
        "INSERT INTO attempts (id, run, number, state, allocation, has_result, seconds)"
        " VALUES (1, 1, 1, 'succeeded', 'kp', 1, 1.5);"
        "INSERT INTO samples VALUES (1, 0, 1, 1500000000, 1, 1, 1, 0, 0);"));
  }
  FakeClock clock;
  auto store = StudyStore::open(path(), StudyStore::Access::read_write, clock);
  ASSERT_TRUE(store.has_value()) << store.error().message;
  EXPECT_TRUE(std::filesystem::exists(path() + ".bak-v1"));
  const auto evidence = (*store)->evidence_in_detail(1).value();
  ASSERT_EQ(evidence.points.size(), 1U);
  const Point& point = evidence.points[0].point;
  EXPECT_EQ(point.size, 96);
  EXPECT_EQ(point.command.argv, std::vector<std::string>{"kp-jacobi3d"});
  EXPECT_EQ(point.flops, 0);
  EXPECT_EQ(point.bytes, 0);
  EXPECT_EQ(point.parallelism, 0);
  ASSERT_EQ(evidence.points[0].runs.size(), 1U);
  EXPECT_EQ(evidence.points[0].runs[0].seconds, 1.5);
  EXPECT_EQ(evidence.points[0].runs[0].provenance, "");
  ASSERT_EQ(evidence.points[0].details.size(), 1U);
  EXPECT_EQ(evidence.points[0].details[0].iteration_seconds, std::vector<double>{1.5});
}

TEST(EmbeddedMigrations, AreNumberedWithoutGaps) {
  int last = 0;
  for (const Migration& migration : embedded_migrations()) {
    EXPECT_EQ(migration.version, ++last) << migration.name;
    EXPECT_FALSE(migration.sql.empty()) << migration.name;
  }
  EXPECT_GE(last, 6);
}

}  // namespace
}  // namespace kneepoint
