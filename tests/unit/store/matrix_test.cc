// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/store/store_fixture.h"

namespace kneepoint {
namespace {

class MatrixTest : public StoreTest {
 protected:
  void SetUp() override {
    store_ = open();
    study_ = create(*store_).row;
  }
  std::unique_ptr<StudyStore> store_;
  RowId study_ = 0;
};

TEST_F(MatrixTest, PuttingTheSameMatrixTwiceIsPuttingItOnce) {
  const auto points = put_matrix(*store_, study_);
  EXPECT_EQ(put_matrix(*store_, study_), points);
  EXPECT_EQ(store_->point_rows(study_).value(), points);
  const auto runs = store_->runs(study_).value();
  ASSERT_EQ(runs.size(), 6U);
  for (int i = 0; i < 6; ++i) {
    EXPECT_EQ(runs[i].number, i + 1);
    EXPECT_EQ(runs[i].position, i);
    EXPECT_EQ(runs[i].point, points[i % 3]);
    EXPECT_EQ(runs[i].repeat, i / 3);
    EXPECT_FALSE(runs[i].finished);
    EXPECT_FALSE(runs[i].last.has_value());
    EXPECT_EQ(runs[i].attempts, 0);
  }
}

TEST_F(MatrixTest, RowsComeInTheOrderGivenWhateverTheOrderStored) {
  const auto points = put_matrix(*store_, study_);
  const auto again = store_->put_points(
      study_, {make_point(1, Mode::weak), make_point(8), make_point(1), make_point(8)});
  ASSERT_TRUE(again.has_value());
  EXPECT_EQ((*again)[0], points[2]);
  EXPECT_EQ((*again)[2], points[0]);
  EXPECT_EQ((*again)[1], (*again)[3]);
  EXPECT_EQ(store_->point_rows(study_).value().size(), 4U);
}

TEST_F(MatrixTest, ExtendingKeepsTheNumbersOfOldRunsAndAddsOn) {
  const auto points = put_matrix(*store_, study_);
  const auto more = store_->put_points(study_, {make_point(4)}).value();
  ASSERT_TRUE(
      store_->put_runs(study_, {{more[0], 0, 1, 0}, {points[0], 0, 1, 1}, {points[0], 2, 1, 2}}));
  const auto runs = store_->runs(study_).value();
  ASSERT_EQ(runs.size(), 8U);
  EXPECT_EQ(runs[0].number, 1);
  EXPECT_EQ(runs[0].round, 0);  // was there before: stays as it was
  EXPECT_EQ(runs[6].number, 7);
  EXPECT_EQ(runs[6].point, more[0]);
  EXPECT_EQ(runs[7].number, 8);
  EXPECT_EQ(runs[7].repeat, 2);
}

TEST_F(MatrixTest, RunsComeByRoundAndPosition) {
  const auto points = store_->put_points(study_, {make_point(1)}).value();
  ASSERT_TRUE(store_->put_runs(
      study_,
      {{points[0], 0, 1, 1}, {points[0], 1, 0, 7}, {points[0], 2, 1, 0}, {points[0], 3, 0, 2}}));
  const auto runs = store_->runs(study_).value();
  std::vector<int> repeats;
  for (const auto& run : runs) repeats.push_back(run.repeat);
  EXPECT_EQ(repeats, (std::vector<int>{3, 1, 2, 0}));
}

TEST_F(MatrixTest, StudiesNumberTheirRunsApart) {
  put_matrix(*store_, study_);
  const RowId other = create(*store_, "other").row;
  put_matrix(*store_, other);
  EXPECT_EQ(store_->runs(other).value().front().number, 1);
  EXPECT_EQ(store_->runs(other).value().size(), 6U);
}

TEST_F(MatrixTest, APointOfAnotherStudyIsRefusedAndNothingStored) {
  const auto points = put_matrix(*store_, study_);
  const RowId other = create(*store_, "other").row;
  const auto own = store_->put_points(other, {make_point(1)}).value();
  auto put = store_->put_runs(other, {{own[0], 0, 0, 0}, {points[0], 0, 0, 1}});
  ASSERT_FALSE(put.has_value());
  EXPECT_EQ(put.error().code, ErrorCode::not_found);
  EXPECT_TRUE(store_->runs(other).value().empty());
}

TEST_F(MatrixTest, AnImpossiblePointIsRefusedByName) {
  Point bad = make_point(1);
  bad.k = 0;
  auto put = store_->put_points(study_, {make_point(2), bad});
  ASSERT_FALSE(put.has_value());
  EXPECT_EQ(put.error().code, ErrorCode::invalid);
  EXPECT_TRUE(put.error().message.starts_with("store point default/jacobi["))
      << put.error().message;
  EXPECT_TRUE(store_->point_rows(study_).value().empty());
}

TEST_F(MatrixTest, ARoundIsDecidedOnce) {
  ASSERT_TRUE(store_->put_round(study_, RoundRow{1, "first"}));
  ASSERT_TRUE(store_->put_round(study_, RoundRow{0, "zero"}));
  ASSERT_TRUE(store_->put_round(study_, RoundRow{1, "second"}));
  const auto rounds = store_->rounds(study_).value();
  ASSERT_EQ(rounds.size(), 2U);
  EXPECT_EQ(rounds[0].evidence_hash, "zero");
  EXPECT_EQ(rounds[1].round, 1);
  EXPECT_EQ(rounds[1].evidence_hash, "first");
}

TEST_F(MatrixTest, ATransactionNotCommittedLeavesNothing) {
  {
    auto transaction = store_->begin();
    ASSERT_TRUE(transaction.has_value());
    put_matrix(*store_, study_);
    EXPECT_EQ(store_->runs(study_).value().size(), 6U);
  }
  EXPECT_TRUE(store_->runs(study_).value().empty());
  EXPECT_TRUE(store_->point_rows(study_).value().empty());
}

TEST_F(MatrixTest, AFailureInsideATransactionUndoesOnlyItself) {
  auto transaction = store_->begin();
  put_matrix(*store_, study_);
  Point bad = make_point(64);
  bad.iterations = 0;
  EXPECT_FALSE(store_->put_points(study_, {make_point(32), bad}).has_value());
  ASSERT_TRUE((*transaction)->commit());
  EXPECT_EQ(store_->point_rows(study_).value().size(), 3U);
  EXPECT_EQ(store_->runs(study_).value().size(), 6U);
}

}  // namespace
}  // namespace kneepoint
