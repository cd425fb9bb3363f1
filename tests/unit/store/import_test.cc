// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/store/store_fixture.h"

namespace kneepoint {
namespace {

class ImportTest : public StoreTest {
 protected:
  void SetUp() override {
    store_ = open();
    study_ = create(*store_).row;
    points_ = store_->put_points(study_, make_study().points).value();
  }
  std::unique_ptr<StudyStore> store_;
  RowId study_ = 0;
  std::vector<RowId> points_;
};

TEST_F(ImportTest, FinishedRunsAreEvidenceAtOnce) {
  FinishedRun first{points_[0], 0, 100, "line 2 of t.csv", {{"cost", 1.5, "EUR"}}, {}};
  first.facts = {{"run", "import.file", "t.csv"}};
  ASSERT_TRUE(store_->put_finished_runs(study_, {first, {points_[1], 0, 55, "line 3", {}, {}}}));
  ASSERT_TRUE(store_->put_finished_runs(study_, {{points_[0], 1, 101, "line 4", {}, {}}}));
  const auto e = store_->evidence(study_).value();
  ASSERT_EQ(e.points[0].runs.size(), 2U);
  EXPECT_EQ(e.points[0].runs[1].number, 3) << "numbered on from the last";
  EXPECT_EQ(e.points[0].runs[1].seconds, 101);
  EXPECT_EQ(e.points[0].runs[0].state, AttemptState::succeeded);
  EXPECT_TRUE(e.points[0].runs[0].finished);
  EXPECT_EQ(e.node_seconds, 0) << "nobody knows what they took of a machine";
  const auto runs = store_->runs(study_).value();
  ASSERT_EQ(runs.size(), 3U);
  ASSERT_TRUE(runs[0].last);
  EXPECT_EQ(runs[0].last->detail, "line 2 of t.csv");
  EXPECT_EQ(store_->metrics(runs[0].last->row).value().at(0).unit, "EUR");
  EXPECT_EQ(store_->facts(runs[0].last->row).value().at(0).value, "t.csv");
  EXPECT_EQ(store_->find_study("jacobi").value().succeeded, 3);
}

TEST_F(ImportTest, ARepeatThatIsThereAlreadyIsRefusedAndNothingStays) {
  const auto put = store_->put_finished_runs(
      study_, {{points_[0], 0, 100, "", {}, {}}, {points_[0], 0, 101, "", {}, {}}});
  ASSERT_FALSE(put);
  EXPECT_TRUE(store_->runs(study_).value().empty());
}

TEST_F(ImportTest, AStudyLeftHalfWayIsGone) {
  {
    auto transaction = store_->begin().value();
    ASSERT_TRUE(store_->put_finished_runs(study_, {{points_[0], 0, 100, "", {}, {}}}));
  }
  EXPECT_TRUE(store_->runs(study_).value().empty());
}

TEST_F(ImportTest, CaveatsComeBackInTheirOrder) {
  ASSERT_TRUE(store_->put_caveats(
      study_, {{"imported", "From a slide: not measured."}, {"one_k", "K=4 only."}}));
  const auto caveats = store_->evidence(study_).value().caveats;
  ASSERT_EQ(caveats.size(), 2U);
  EXPECT_EQ(caveats[0].code, "imported");
  EXPECT_EQ(caveats[0].message, "From a slide: not measured.");
  EXPECT_EQ(caveats[1].code, "one_k");
}

TEST_F(ImportTest, ACaveatCanBeSaidAnewOrTakenBack) {
  ASSERT_TRUE(store_->put_caveats(study_, {{"search", "as it was"}, {"search_more", "stays"}}));
  ASSERT_TRUE(store_->set_caveat(study_, {"search", "as it is: now"}));
  auto caveats = store_->evidence(study_).value().caveats;
  ASSERT_EQ(caveats.size(), 2U);
  EXPECT_EQ(caveats[0].code, "search_more");
  EXPECT_EQ(caveats[1].message, "as it is: now");
  ASSERT_TRUE(store_->set_caveat(study_, {"search", ""}));
  caveats = store_->evidence(study_).value().caveats;
  ASSERT_EQ(caveats.size(), 1U);
  EXPECT_EQ(caveats[0].code, "search_more");
}

}  // namespace
}  // namespace kneepoint
