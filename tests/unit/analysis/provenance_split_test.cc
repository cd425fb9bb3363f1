// SPDX-License-Identifier: Apache-2.0
//
// Runs of different provenance are never averaged, whichever function looks at them.
#include "orchestrator/analysis/curves.h"

#include <gtest/gtest.h>

#include <cmath>

#include "orchestrator/analysis/study_analysis.h"
#include "tests/unit/analysis/evidence_builder.h"

namespace kneepoint {
namespace {

const std::string kOld = "cpu.model=old; program=1f; mpi=4.1";
const std::string kNew = "cpu.model=new; program=1f; mpi=4.1";

// A point with runs of one or two provenances.
void add(EvidenceBuilder& b, int k, const std::vector<double>& of_old,
         const std::vector<double>& of_new) {
  PointEvidence& point = b.add(Mode::strong, k, {});
  for (const auto& [times, text] : {std::pair(&of_old, &kOld), std::pair(&of_new, &kNew)}) {
    for (const double t : *times) {
      RunEvidence run = run_of(t);
      run.provenance = *text;
      b.add_run(point, run);
    }
  }
}

TEST(ProvenanceSplit, WhatDiffersIsNamedAndWhatIsCommonIsNot) {
  EXPECT_EQ(what_differs({kOld, kNew}),
            (std::vector<std::string>{"cpu.model=old", "cpu.model=new"}));
  EXPECT_EQ(what_differs({kOld, ""})[1], "provenance not recorded");
  EXPECT_EQ(what_differs({"a=1; b=2", "a=2; b=3"})[0], "a=1; b=2");
}

TEST(ProvenanceSplit, OneProvenanceLeavesTheCurveAsItIs) {
  EvidenceBuilder b;
  add(b, 1, {1, 1.1}, {});
  add(b, 2, {0.5, 0.6}, {});
  const auto curves = group_curves(b.study);
  ASSERT_EQ(curves.size(), 1u);
  EXPECT_EQ(curves[0].provenance, "");
  EXPECT_FALSE(curves[0].runs_with);
  EXPECT_TRUE(curves[0].apart.empty());
}

TEST(ProvenanceSplit, TwoNodeTypesWithTwoKEachAreTwoCurves) {
  EvidenceBuilder b;
  add(b, 1, {1.0, 1.0}, {0.5, 0.5});
  add(b, 2, {0.6, 0.6}, {0.3, 0.3, 0.3});
  add(b, 4, {0.4, 0.4}, {});
  const StudyAnalysis a = analyse(b.study);
  ASSERT_EQ(a.summary.curves.size(), 2u);
  const Curve &first = a.summary.curves[0], &second = a.summary.curves[1];
  EXPECT_EQ(first.provenance, "cpu.model=old");  // the most runs
  EXPECT_EQ(second.provenance, "cpu.model=new");
  ASSERT_EQ(first.points.size(), 3u);
  ASSERT_EQ(second.points.size(), 2u);
  EXPECT_EQ(first.points[0].seconds, 1.0);
  EXPECT_EQ(second.points[0].seconds, 0.5);
  EXPECT_NEAR(second.points[1].efficiency, 0.5 / 0.6, 1e-12);
  EXPECT_EQ(second.points[1].valid, 3);
  EXPECT_EQ(second.points[1].set_apart, 2);
  ASSERT_EQ(a.curves.size(), 2u);
  EXPECT_EQ(a.curves[1].times[0].seconds, (std::vector<double>{0.5, 0.5}));
  EXPECT_EQ(a.curves[0].warnings.at(0).code, WarningCode::mixed_provenance);
  EXPECT_NE(a.curves[1].warnings.at(0).message.find("cpu.model=new"), std::string::npos);
}

TEST(ProvenanceSplit, OddRunsAreSetApartAndNamed) {
  EvidenceBuilder b;
  add(b, 1, {1.0, 1.0, 1.0}, {});
  add(b, 2, {0.6, 0.6}, {0.2});
  add(b, 4, {0.4, 0.4, 0.4}, {});
  const StudyAnalysis a = analyse(b.study);
  ASSERT_EQ(a.summary.curves.size(), 1u);
  const PointSummary& p = a.summary.curves[0].points.at(1);
  EXPECT_EQ(p.seconds, 0.6);
  EXPECT_EQ(p.valid, 2);
  EXPECT_EQ(p.set_apart, 1);
  EXPECT_EQ(p.flags, (std::vector<std::string>{"1 of 3 repeats of other provenance"}));
  EXPECT_EQ(a.curves.at(0).warnings.at(0).message,
            "1 run at K=2 is set apart: cpu.model=new there, cpu.model=old on the curve; runs of "
            "different provenance are not averaged");
  EXPECT_TRUE(a.summary.all_points_have_data);
}

TEST(ProvenanceSplit, AnotherNodeTypeAtEveryKLeavesABaselineAndSaysWhy) {
  EvidenceBuilder b;
  add(b, 1, {1.0, 1.0}, {});
  add(b, 2, {}, {0.2, 0.2});
  const StudyAnalysis a = analyse(b.study);
  ASSERT_EQ(a.summary.curves.size(), 1u);
  EXPECT_EQ(a.summary.curves[0].points.at(1).valid, 0);
  EXPECT_EQ(a.summary.curves[0].points[1].set_apart, 2);
  EXPECT_EQ(a.curves.at(0).times.size(), 1u);
  EXPECT_EQ(a.curves[0].warnings.at(0).code, WarningCode::mixed_provenance);
}

TEST(ProvenanceSplit, OneKOfTwoNodeTypesIsTwoCurves) {
  EvidenceBuilder b;
  add(b, 4, {1.0, 1.0}, {0.5});
  EXPECT_EQ(analyse(b.study).summary.curves.size(), 2u);
}

TEST(ProvenanceSplit, APointThatFailedStaysOnTheFirstCurve) {
  EvidenceBuilder b;
  add(b, 1, {1.0, 1.0}, {0.5, 0.5});
  add(b, 2, {0.6, 0.6}, {0.3, 0.3});
  PointEvidence& failed = b.add(Mode::strong, 4, {});
  b.add_run(failed, failed_run(AttemptState::failed, Reason::exit_code));
  const auto curves = group_curves(b.study);
  ASSERT_EQ(curves.size(), 2u);
  EXPECT_EQ(curves[0].points, (std::vector<int>{0, 1, 2}));
  EXPECT_EQ(curves[1].points, (std::vector<int>{0, 1}));
  EXPECT_FALSE(summarise(b.study).all_points_have_data);
}

TEST(ProvenanceSplit, HalfWidthsAreThoseOfTheCurvesNotOfTheMixture) {
  EvidenceBuilder b;
  add(b, 1, {1.0, 1.0, 1.0, 1.0, 1.0}, {0.2});
  add(b, 2, {0.6, 0.6, 0.6, 0.6, 0.6}, {});
  const auto widths = efficiency_half_widths(b.study);
  EXPECT_EQ(widths[0], 0);
  EXPECT_EQ(widths[1], 0);
}

TEST(ValidRuns, DetailsAreFoundWhenRunsBeforeFailed) {
  EvidenceBuilder b;
  PointEvidence& point = b.add(Mode::strong, 1, {});
  b.add_run(point, failed_run(AttemptState::failed, Reason::exit_code));
  b.add_run(point, run_of(1));
  b.add_run(point, run_of(2));
  point.details = {{.number = 2}, {.number = 3}};
  EXPECT_EQ(detail_of(point, point.runs[0]), nullptr);
  EXPECT_EQ(detail_of(point, point.runs[1]), &point.details[0]);
  EXPECT_EQ(detail_of(point, point.runs[2]), &point.details[1]);
  std::swap(point.details[0], point.details[1]);
  EXPECT_EQ(detail_of(point, point.runs[1]), &point.details[1]);
}

}  // namespace
}  // namespace kneepoint
