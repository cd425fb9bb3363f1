// SPDX-License-Identifier: Apache-2.0
//
// Opening: what is created, what is refused and how it is said, and reading while others write.
#include <fcntl.h>
#include <sys/stat.h>

#include <fstream>

#include "orchestrator/store/database.h"
#include "tests/unit/store/store_fixture.h"

namespace kneepoint {
namespace {

using Access = StudyStore::Access;

// Permissions don't bind root: be nobody for a while.
class AsNobody {
 public:
  AsNobody() : was_(::geteuid()) {
    if (was_ == 0) became_ = ::seteuid(65534) == 0;
  }
  ~AsNobody() {
    if (became_) {
      EXPECT_EQ(::seteuid(was_), 0);
    }
  }
  bool restricted() const { return was_ != 0 || became_; }

 private:
  uid_t was_;
  bool became_ = false;
};

class AccessTest : public StoreTest {
 protected:
  Error refusal(Access access) {
    auto store = StudyStore::open(path(), access, clock_);
    EXPECT_FALSE(store.has_value());
    return store ? Error{} : store.error();
  }
  void write_file(const std::string& bytes) { std::ofstream(path(), std::ios::binary) << bytes; }
};

TEST_F(AccessTest, WritingCreatesTheFileAndItsFolders) {
  auto store = StudyStore::open(folder_.file("a/b/c.db"), Access::read_write, clock_);
  ASSERT_TRUE(store.has_value()) << store.error().message;
  EXPECT_TRUE((*store)->studies().value().empty());
  EXPECT_TRUE(std::filesystem::exists(folder_.file("a/b/c.db")));
}

TEST_F(AccessTest, ReadingCreatesNothing) {
  const Error error = refusal(Access::read_only);
  EXPECT_EQ(error.code, ErrorCode::not_found);
  EXPECT_EQ(error.message, "no studies yet: " + path() + " does not exist");
  EXPECT_FALSE(std::filesystem::exists(path()));
}

TEST_F(AccessTest, AnEmptyFileIsANewDatabaseToAWriterAndNoneToAReader) {
  write_file("");
  EXPECT_EQ(refusal(Access::read_only).message, "no studies yet: " + path() + " is empty");
  EXPECT_NE(open(), nullptr);
  EXPECT_NE(open(Access::read_only), nullptr);
}

TEST_F(AccessTest, AFileThatIsNotSqliteIsNamed) {
  write_file(std::string(5000, 'x'));
  for (const auto access : {Access::read_write, Access::read_only}) {
    const Error error = refusal(access);
    EXPECT_EQ(error.code, ErrorCode::corrupt);
    EXPECT_EQ(error.message, path() +
                                 " is not an SQLite database; name another file with --db or "
                                 "KNEEPOINT_DB");
  }
}

TEST_F(AccessTest, ADamagedFileIsNamedWithWhatToDo) {
  { create(*open()); }
  const auto size = std::filesystem::file_size(path());
  {
    std::fstream file(path(), std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(100);  // the first page's tree, right after the header
    file << std::string(size - 100, '\xee');
  }
  for (const auto access : {Access::read_write, Access::read_only}) {
    const Error error = refusal(access);
    EXPECT_EQ(error.code, ErrorCode::corrupt);
    EXPECT_TRUE(error.message.starts_with(path() + " is damaged (")) << error.message;
    EXPECT_NE(error.message.find(".bak-v"), std::string::npos);
  }
}

TEST_F(AccessTest, AFolderOrAnEmptyPathIsRefused) {
  std::filesystem::create_directory(path());
  for (const auto access : {Access::read_write, Access::read_only}) {
    EXPECT_NE(refusal(access).message.find(path() + ": this is not a regular file"),
              std::string::npos);
    auto nowhere = StudyStore::open("", access, clock_);
    ASSERT_FALSE(nowhere.has_value());
    EXPECT_EQ(nowhere.error().code, ErrorCode::invalid);
  }
}

TEST_F(AccessTest, ANewerSchemaIsRefusedByItsVersion) {
  { create(*open()); }
  {
    auto database = Database::open_writable(path(), Journal::wal);
    ASSERT_TRUE((*database)->run_script("PRAGMA user_version = 12"));
  }
  for (const auto access : {Access::read_write, Access::read_only}) {
    const Error error = refusal(access);
    EXPECT_EQ(error.code, ErrorCode::unsupported);
    EXPECT_TRUE(error.message.starts_with(path() + " has schema version 12, but this kneepoint"))
        << error.message;
  }
}

TEST_F(AccessTest, AReaderSeesTheLastCommitWhileAWriterWrites) {
  auto writer = open();
  const StudyRow study = create(*writer);
  auto reader = open(Access::read_only);
  auto transaction = writer->begin();
  ASSERT_TRUE(writer->set_study_state(study.row, "finished"));
  EXPECT_EQ(reader->find_study("jacobi").value().state, "running");
  ASSERT_TRUE((*transaction)->commit());
  EXPECT_EQ(reader->find_study("jacobi").value().state, "finished");
}

TEST_F(AccessTest, AReaderCantWrite) {
  auto writer = open();
  const StudyRow study = create(*writer);
  auto reader = open(Access::read_only);
  auto refused = reader->set_study_state(study.row, "finished");
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code, ErrorCode::permission);
  EXPECT_EQ(writer->find_study("jacobi").value().state, "running");
}

TEST_F(AccessTest, AReaderMayOpenATransactionToSeeOneMoment) {
  auto writer = open();
  const StudyRow study = create(*writer);
  auto reader = open(Access::read_only);
  auto moment = reader->begin();
  ASSERT_TRUE(moment.has_value()) << moment.error().message;
  EXPECT_EQ(reader->find_study("jacobi").value().state, "running");
  ASSERT_TRUE(writer->set_study_state(study.row, "finished"));
  EXPECT_EQ(reader->find_study("jacobi").value().state, "running");
  EXPECT_TRUE((*moment)->commit().has_value());
  EXPECT_EQ(reader->find_study("jacobi").value().state, "finished");
}

TEST_F(AccessTest, AFolderThatCantBeWrittenCanBeRead) {
  { create(*open()); }
  ASSERT_FALSE(std::filesystem::exists(path() + "-wal"));
  ASSERT_EQ(::chmod(path().c_str(), 0444), 0);
  ASSERT_EQ(::chmod(folder_.path().c_str(), 0555), 0);
  AsNobody nobody;
  ASSERT_TRUE(nobody.restricted());
  auto reader = open(Access::read_only);
  ASSERT_NE(reader, nullptr);
  EXPECT_EQ(reader->find_study("jacobi").value().name, "jacobi");

  const Error error = refusal(Access::read_write);
  EXPECT_EQ(error.code, ErrorCode::permission);
  EXPECT_NE(error.message.find(path()), std::string::npos) << error.message;
}

TEST_F(AccessTest, AnotherUsersRunningStudyCanBeReadFromAFolderThatCantBeWritten) {
  auto writer = open();
  const StudyRow study = create(*writer);
  ASSERT_TRUE(std::filesystem::exists(path() + "-wal"));
  for (const std::string& file : {path(), path() + "-wal", path() + "-shm"}) {
    ASSERT_EQ(::chmod(file.c_str(), 0444), 0);
  }
  ASSERT_EQ(::chmod(folder_.path().c_str(), 0555), 0);
  AsNobody nobody;
  ASSERT_TRUE(nobody.restricted());
  auto reader = open(Access::read_only);
  ASSERT_NE(reader, nullptr);
  EXPECT_EQ(reader->find_study("jacobi").value().id, study.id);
}

TEST_F(AccessTest, AFileThatMayNotBeReadIsAnErrorWithItsPath) {
  { create(*open()); }
  ASSERT_EQ(::chmod(path().c_str(), 0), 0);
  ASSERT_EQ(::chmod(folder_.path().c_str(), 0555), 0);
  AsNobody nobody;
  ASSERT_TRUE(nobody.restricted());
  const Error error = refusal(Access::read_only);
  EXPECT_EQ(error.code, ErrorCode::permission);
  EXPECT_EQ(error.message, "open database " + path() + ": Permission denied");
}

}  // namespace
}  // namespace kneepoint
