// SPDX-License-Identifier: Apache-2.0
//
// Samples go, and everything that was made of them stays.
#include "tests/unit/store/store_fixture.h"

namespace kneepoint {
namespace {

class RetentionTest : public StoreTest {
 protected:
  RowId study_with_samples(StudyStore& store, const std::string& name, int samples) {
    const RowId study = create(store, name, "0a1b2c3d").row;
    put_matrix(store, study);
    const auto runs = store.runs(study).value();
    const AttemptRow attempt = store.put_attempt(runs[0].row, 1, "kp-" + name).value();
    drive(store, attempt, AttemptState::succeeded, Reason::none, 100, 200);
    AttemptResult result;
    result.seconds = 1.5;
    result.compute_seconds = 1.25;
    for (int i = 0; i < samples; ++i) {
      result.samples.push_back({i, i == 0, 9, 8, 7, 6, 1, 2});
    }
    EXPECT_TRUE(store.put_result(attempt.row, result));
    EXPECT_TRUE(store.finish_run(runs[0].row));
    return study;
  }
};

TEST_F(RetentionTest, OnlyTheSamplesOfTheStudyGo) {
  const auto store = open();
  const RowId old = study_with_samples(*store, "old", 2000);
  const RowId young = study_with_samples(*store, "young", 30);
  EXPECT_EQ(store->sample_count(old).value(), 2000);
  const auto bytes = store->compact().value();
  EXPECT_EQ(store->drop_samples(old).value(), 2000);
  EXPECT_EQ(store->sample_count(old).value(), 0);
  EXPECT_EQ(store->sample_count(young).value(), 30);
  EXPECT_EQ(store->drop_samples(old).value(), 0);
  const StudyEvidence evidence = store->evidence_in_detail(old).value();
  const RunEvidence& run = evidence.points.at(0).runs.at(0);
  EXPECT_EQ(run.seconds, 1.5);
  EXPECT_EQ(run.compute_seconds, 1.25);
  EXPECT_TRUE(evidence.points.at(0).details.at(0).iteration_seconds.empty());
  EXPECT_LT(store->compact().value(), bytes);
}

}  // namespace
}  // namespace kneepoint
