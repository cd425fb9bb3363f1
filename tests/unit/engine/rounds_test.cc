// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/engine/rounds.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace kneepoint {
namespace {

Study study_with(std::vector<int> ks, Repeat repeat) {
  Study study;
  study.plan.repeat = repeat;
  study.plan.seed = 3;
  for (const int k : ks) {
    Point p;
    p.build = "default";
    p.case_name = "x";
    p.k = k;
    p.shape.ranks = k;
    study.points.push_back(p);
  }
  return study;
}

// Times around 1/K with the given relative spread.
StudyEvidence evidence_of(const Study& study, int runs, double spread) {
  StudyEvidence e;
  for (const Point& p : study.points) {
    PointEvidence pe{p, {}};
    for (int r = 0; r < runs; ++r) {
      RunEvidence run;
      run.repeat = r;
      run.finished = true;
      run.state = AttemptState::succeeded;
      run.seconds = (1.0 + spread * (r - runs / 2)) / p.k;
      pe.runs.push_back(run);
    }
    e.points.push_back(pe);
  }
  return e;
}

TEST(Rounds, RoundZeroIsEveryPointTimesTheLeastRepeats) {
  const Study study = study_with({1, 2, 4}, {.min = 5, .max = 20, .until_efficiency_ci = 0.02});
  const Round round = first_of(study);
  EXPECT_EQ(round.runs.size(), 15U);
  EXPECT_EQ(round.evidence_hash, "");
}

TEST(Rounds, NoEarlyStopMeansNoFurtherRound) {
  const Study study = study_with({1, 2}, {.min = 5, .max = 5});
  EXPECT_FALSE(next_round(study, evidence_of(study, 5, 0.1), 0).has_value());
}

TEST(Rounds, NarrowIntervalsEndTheStudy) {
  const Study study = study_with({1, 2}, {.min = 5, .max = 20, .until_efficiency_ci = 0.02});
  EXPECT_FALSE(next_round(study, evidence_of(study, 5, 0.001), 0).has_value());
}

TEST(Rounds, WideIntervalsGetTheNextRungAndTheirBaselineToo) {
  const Study study = study_with({1, 2}, {.min = 5, .max = 20, .until_efficiency_ci = 0.02});
  const auto round = next_round(study, evidence_of(study, 5, 0.05), 0);
  ASSERT_TRUE(round.has_value());
  EXPECT_EQ(round->number, 1);
  EXPECT_EQ(round->runs.size(), 4U);  // repeats 5 and 6 at both points
  std::set<std::pair<int, int>> seen;
  for (const auto& run : round->runs) seen.insert({run.point, run.repeat});
  EXPECT_EQ(seen, (std::set<std::pair<int, int>>{{0, 5}, {0, 6}, {1, 5}, {1, 6}}));
  EXPECT_EQ(round->evidence_hash.size(), 16U);
}

TEST(Rounds, AWideIntervalOfOneShapeAsksNothingOfAnother) {
  Study study = study_with({1, 2, 1, 2}, {.min = 5, .max = 20, .until_efficiency_ci = 0.02});
  for (std::size_t i = 0; i < study.points.size(); ++i) {
    study.points[i].shape.ranks_per_node = i < 2 ? 16 : 32;
    study.points[i].shape.nodes = study.points[i].k;
  }
  const StudyEvidence steady = evidence_of(study, 5, 0.001);
  StudyEvidence e = evidence_of(study, 5, 0.05);
  e.points[0] = steady.points[0];
  e.points[1] = steady.points[1];
  const auto round = next_round(study, e, 0);
  ASSERT_TRUE(round.has_value());
  std::set<int> points;
  for (const auto& run : round->runs) points.insert(run.point);
  EXPECT_EQ(points, (std::set<int>{2, 3}));
}

TEST(Rounds, RunsOfAnotherProvenanceDoNotWidenAnInterval) {
  const Study study = study_with({1, 2}, {.min = 6, .max = 20, .until_efficiency_ci = 0.02});
  StudyEvidence evidence = evidence_of(study, 6, 0.001);
  for (const int odd : {0, 1}) evidence.points[1].runs[odd].seconds *= 3;
  EXPECT_TRUE(next_round(study, evidence, 0).has_value());
  for (const int odd : {0, 1}) evidence.points[1].runs[odd].provenance = "cpu.model=old";
  EXPECT_FALSE(next_round(study, evidence, 0).has_value());
}

TEST(Rounds, TheMostRepeatsAreNeverPassed) {
  const Study study = study_with({1, 2}, {.min = 5, .max = 6, .until_efficiency_ci = 0.02});
  EXPECT_EQ(next_round(study, evidence_of(study, 5, 0.05), 0)->runs.size(), 2U);
  EXPECT_FALSE(next_round(study, evidence_of(study, 6, 0.05), 1).has_value());
}

TEST(Rounds, TheSameEvidenceGivesTheSameRound) {
  const Study study = study_with({1, 2, 4}, {.min = 5, .max = 20, .until_efficiency_ci = 0.02});
  const auto a = next_round(study, evidence_of(study, 5, 0.05), 0);
  const auto b = next_round(study, evidence_of(study, 5, 0.05), 0);
  EXPECT_EQ(a->evidence_hash, b->evidence_hash);
  ASSERT_EQ(a->runs.size(), b->runs.size());
  EXPECT_TRUE(std::equal(
      a->runs.begin(), a->runs.end(), b->runs.begin(),
      [](const auto& x, const auto& y) { return x.point == y.point && x.repeat == y.repeat; }));
}

TEST(Rounds, APointWithoutASingleValidRunIsNotRepeated) {
  const Study study = study_with({1, 2}, {.min = 5, .max = 20, .until_efficiency_ci = 0.02});
  StudyEvidence e = evidence_of(study, 5, 0.05);
  for (RunEvidence& run : e.points[1].runs) run.state = AttemptState::failed;
  EXPECT_FALSE(next_round(study, e, 0).has_value());
}

}  // namespace
}  // namespace kneepoint
