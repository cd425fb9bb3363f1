// SPDX-License-Identifier: Apache-2.0
//
// The spool: what was acknowledged is read, whatever happened to the last bytes; and the store's
// side, where a record that comes twice is one record.
#include <fstream>

#include "orchestrator/store/push_spool.h"
#include "tests/unit/store/store_fixture.h"

namespace kneepoint {
namespace {

std::vector<Push> some_pushes(int from, int to) {
  std::vector<Push> pushes;
  for (int i = from; i < to; ++i) {
    pushes.push_back({"kp-1", "r" + std::to_string(i) + "-a1", "line " + std::to_string(i) + "\n"});
  }
  return pushes;
}

std::string names(const std::vector<Push>& pushes) {
  std::string text;
  for (const Push& push : pushes) text += push.attempt + " ";
  return text;
}

TEST(PushSpool, GivesBackWhatWasAppendedAndForgetsItWhenTold) {
  const TemporaryFolder folder;
  const std::string path = folder.file("spool");
  SpoolReader reader(path);
  EXPECT_TRUE(reader.take(1 << 20).value().empty()) << "no folder yet is nothing to read";
  auto writer = SpoolWriter::open(path);
  ASSERT_TRUE(writer) << writer.error().message;
  ASSERT_TRUE(writer->append(some_pushes(0, 2)));
  ASSERT_TRUE(writer->append(some_pushes(2, 3)));
  const auto taken = reader.take(1 << 20);
  ASSERT_TRUE(taken);
  EXPECT_EQ(names(*taken), "r0-a1 r1-a1 r2-a1 ");
  EXPECT_EQ(taken->at(1).lines, "line 1\n");
  EXPECT_EQ(taken->at(1).allocation, "kp-1");
  EXPECT_TRUE(reader.take(1 << 20).value().empty());
  ASSERT_TRUE(writer->append(some_pushes(3, 4)));
  EXPECT_EQ(names(reader.take(1 << 20).value()), "r3-a1 ");
  ASSERT_TRUE(reader.forget());
  // A later start writes a file of its own, and reads what is left of the earlier one.
  auto next = SpoolWriter::open(path);
  ASSERT_TRUE(next);
  ASSERT_TRUE(next->append(some_pushes(4, 5)));
  EXPECT_EQ(names(SpoolReader(path).take(1 << 20).value()), "r0-a1 r1-a1 r2-a1 r3-a1 r4-a1 ");
  EXPECT_EQ(names(reader.take(1 << 20).value()), "r4-a1 ");
  ASSERT_TRUE(reader.forget());
  EXPECT_EQ(names(SpoolReader(path).take(1 << 20).value()), "r4-a1 ");
}

TEST(PushSpool, AFileCutAtAnyByteLosesOnlyTheFrameThatIsCut) {
  const TemporaryFolder folder;
  const std::string path = folder.file("spool");
  {
    auto writer = SpoolWriter::open(path);
    ASSERT_TRUE(writer->append(some_pushes(0, 3)));
  }
  std::ifstream file(path + "/1.spool", std::ios::binary);
  const std::string whole{std::istreambuf_iterator<char>(file), {}};
  for (std::size_t cut = 0; cut <= whole.size(); ++cut) {
    const TemporaryFolder other;
    std::ofstream(other.file("1.spool"), std::ios::binary) << whole.substr(0, cut);
    auto writer = SpoolWriter::open(other.path());
    ASSERT_TRUE(writer->append(some_pushes(7, 8)));
    const std::size_t frames = cut * 3 / whole.size();  // they are of one size
    std::string expected;
    for (std::size_t i = 0; i < frames; ++i) expected += "r" + std::to_string(i) + "-a1 ";
    EXPECT_EQ(names(SpoolReader(other.path()).take(1 << 20).value()), expected + "r7-a1 ") << cut;
  }
}

TEST(PushSpool, ALotIsTakenInPieces) {
  const TemporaryFolder folder;
  auto writer = SpoolWriter::open(folder.path());
  ASSERT_TRUE(writer->append(some_pushes(0, 1000)));
  SpoolReader reader(folder.path());
  std::size_t all = 0, pieces = 0;
  for (;;) {
    const auto taken = reader.take(4096);
    ASSERT_TRUE(taken);
    if (taken->empty()) break;
    all += taken->size();
    ++pieces;
  }
  EXPECT_EQ(all, 1000U);
  EXPECT_GT(pieces, 5U);
}

TEST(PushSpool, NamesArePlain) {
  EXPECT_TRUE(is_push_name("kp-0a1b2c3d-1-17-a1"));
  const std::string too_long(65, 'a');
  for (const std::string& name :
       {std::string(), std::string("a b"), std::string("a/b"), std::string("a\n"), too_long}) {
    EXPECT_FALSE(is_push_name(name)) << name;
  }
}

class PushedTest : public StoreTest {};

TEST_F(PushedTest, ARecordThatComesTwiceOrOutOfOrderIsOneRecordInItsPlace) {
  const auto store = open();
  const RowId study = create(*store).row;
  put_matrix(*store, study);
  const RowId run = store->runs(study).value().front().row;
  const RowId attempt = store->put_attempt(run, 1, "kp-a").value().row;
  const auto put = [&](const std::vector<PushedRecord>& records) {
    return store->put_pushed(attempt, records).value();
  };
  EXPECT_EQ(put({{2, "sample", "third"}, {0, "begin", "first"}}), 2);
  EXPECT_EQ(put({{0, "begin", "another first"}, {1, "sample", "second"}}), 1);
  EXPECT_EQ(store->pushed_text(attempt).value(), "first\nsecond\nthird\n");
  EXPECT_EQ(store->pushed_so_far(attempt)->records, 3);
  EXPECT_EQ(store->pushed_so_far(attempt)->samples, 2);
  ASSERT_TRUE(store->drop_pushed(attempt));
  EXPECT_EQ(store->pushed_text(attempt).value(), "");
  EXPECT_EQ(store->pushed_so_far(attempt)->records, 0);
}

}  // namespace
}  // namespace kneepoint
