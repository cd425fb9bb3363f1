// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/answers/choose_study.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "tests/unit/store/store_fixture.h"

namespace kneepoint {
namespace {

Point point(int k) {
  Point p;
  p.build = "default";
  p.workload = p.case_name = "w";
  p.k = k;
  p.shape.ranks = p.shape.ranks_per_node = k;
  return p;
}

StudyEvidence evidence(const std::vector<std::pair<int, int>>& runs_at_k) {
  StudyEvidence e;
  for (const auto& [k, runs] : runs_at_k) {
    e.points.push_back({point(k), std::vector<RunEvidence>(static_cast<std::size_t>(runs))});
  }
  return e;
}

Study study(const std::vector<int>& ks, int repeats) {
  Study s;
  for (const int k : ks) s.points.push_back(point(k));
  s.plan.repeat = {repeats, repeats, 0};
  return s;
}

TEST(ChooseStudy, AskingForNoMoreIsSeen) {
  EXPECT_FALSE(asks_for_more(study({1, 2}, 3), evidence({{1, 3}, {2, 3}})));
  EXPECT_FALSE(asks_for_more(study({1}, 2), evidence({{1, 3}, {2, 3}})));
}

TEST(ChooseStudy, MoreRepeatsAndMoreKAreSeen) {
  EXPECT_TRUE(asks_for_more(study({1, 2}, 4), evidence({{1, 3}, {2, 3}})));
  EXPECT_TRUE(asks_for_more(study({1, 2, 4}, 3), evidence({{1, 3}, {2, 3}})));
}

TEST(ChooseStudy, AFolderThatIsThereAlreadyIsNeverTakenForANewStudy) {
  const TemporaryFolder folder;
  FakeClock clock;
  const auto store =
      StudyStore::open(folder.file("k.db"), StudyStore::Access::read_write, clock).value();
  const std::string root = folder.file("runs");
  // Left by a study of another database, or by `delete --keep-files`.
  std::filesystem::create_directories(root + "/jacobi-0a1b2c3d-1/r1-a1");
  const auto first = choose_study(*store, make_study(), make_site(), root, {});
  ASSERT_TRUE(first) << first.error().message;
  EXPECT_EQ(first->choice, Continuation::begin);
  EXPECT_EQ(first->row.n, 2);
  EXPECT_EQ(first->row.work_dir, root + "/jacobi-0a1b2c3d-2");
  EXPECT_TRUE(std::filesystem::is_empty(first->row.work_dir));
  const auto again = choose_study(*store, make_study(), make_site(), root, {});
  ASSERT_TRUE(again);
  EXPECT_EQ(again->choice, Continuation::resume);
  EXPECT_EQ(again->row.id, first->row.id);
}

TEST(ChooseStudy, AnInterruptedNightIsGoneOnWithAnOlderOneIsNot) {
  const TemporaryFolder folder;
  FakeClock clock;
  const auto store =
      StudyStore::open(folder.file("k.db"), StudyStore::Access::read_write, clock).value();
  const auto night = [&](Nanoseconds began) {
    return choose_study(*store, make_study(), make_site(), folder.file("runs"),
                        {true, false, began})
        .value();
  };
  const StudyRow first = night(clock.wall() - kHour).row;
  ASSERT_TRUE(store->set_study_state(first.row, "interrupted"));
  const ChosenStudy again = night(clock.wall() - kHour);
  EXPECT_EQ(again.choice, Continuation::resume);
  EXPECT_EQ(again.row.id, first.id);
  // The clock was set back: it is still the study of tonight.
  EXPECT_EQ(night(clock.wall() - 3 * kHour).row.id, first.id);
  const ChosenStudy next = night(first.created_ns + 1);
  EXPECT_EQ(next.choice, Continuation::begin);
  EXPECT_EQ(next.row.n, 2);
  for (const char* over : {"finished", "cancelled"}) {
    ASSERT_TRUE(store->set_study_state(next.row.row, over));
    EXPECT_EQ(night(first.created_ns).choice, Continuation::begin) << over;
    const auto newest = store->newest_of_series(next.row.name, next.row.hash8).value();
    ASSERT_TRUE(store->delete_study(newest->row));
  }
}

TEST(ChooseStudy, TheSentenceSaysWhatHappens) {
  ChosenStudy chosen;
  chosen.row.id = "w-12345678-1";
  chosen.row.runs = 6;
  chosen.row.failed = 1;
  chosen.choice = Continuation::nothing;
  EXPECT_EQ(sentence_of(chosen),
            "study w-12345678-1 is finished: 6 runs, 1 failed. The plan asks for nothing more");
  chosen.choice = Continuation::resume;
  chosen.row.state = "cancelled";
  EXPECT_EQ(sentence_of(chosen), "resuming study w-12345678-1, which was cancelled");
}

}  // namespace
}  // namespace kneepoint
