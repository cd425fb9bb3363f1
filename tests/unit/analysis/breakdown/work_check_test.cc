// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/analysis/statistics/summary.h"

#include <gtest/gtest.h>

#include "tests/unit/analysis/evidence_builder.h"

namespace kneepoint {
namespace {

Curve curve_with_work(Mode mode, const std::vector<std::pair<int, double>>& k_and_work) {
  EvidenceBuilder b;
  for (const auto& [k, work] : k_and_work) {
    auto& p = b.add(mode, k, {1.0, 1.0, 1.0, 1.0, 1.0});
    p.point.work_unit = "cells";
    for (auto& run : p.runs) run.work_total = work;
  }
  return summarise(b.study).curves.at(0);
}

TEST(WorkCheck, ConstantTotalWorkIsStrong) {
  EXPECT_TRUE(curve_with_work(Mode::strong, {{1, 1000}, {2, 1000.5}}).findings.empty());
}

TEST(WorkCheck, StrongWhoseTotalVariesIsNotTrustedByItsLabel) {
  const Curve curve = curve_with_work(Mode::strong, {{1, 1000}, {2, 1000}, {4, 1031}});
  ASSERT_EQ(curve.findings.size(), 1u);
  EXPECT_EQ(curve.findings[0],
            "total work is not constant: 1000 cells at K=1, 1031 cells at K=4 (+3.1%): not trusted "
            "by its label 'strong'");
  EXPECT_FALSE(curve.points[2].is_by_work()) << "work that workers add is a loss";
}

TEST(WorkCheck, ConstantWorkPerWorkerIsWeak) {
  const Curve curve = curve_with_work(Mode::weak, {{1, 1000}, {2, 2010}, {4, 4000}});
  EXPECT_TRUE(curve.findings.empty());
  EXPECT_FALSE(curve.points[1].is_by_work());
}

TEST(WorkCheck, WeakWhoseWorkPerWorkerVariesGivesEfficiencyByWork) {
  const Curve curve = curve_with_work(Mode::weak, {{1, 1000}, {2, 2000}, {4, 2000}});
  ASSERT_EQ(curve.findings.size(), 1u);
  EXPECT_EQ(curve.findings[0],
            "work per worker is not constant: 1000 cells at K=1, 500 cells at K=4 (-50%): not "
            "trusted by its label 'weak'; E by work is given and decides");
  ASSERT_TRUE(curve.points[2].is_by_work());
  EXPECT_EQ(curve.points[2].efficiency_plain, 1);
  EXPECT_EQ(curve.points[2].efficiency_plain_interval->low, 1);
  EXPECT_EQ(curve.points[2].efficiency, 0.5);
  EXPECT_EQ(curve.points[2].efficiency_interval->low, 0.5);
  EXPECT_EQ(curve.lines[0].place, KneePlace::inside);
  EXPECT_EQ(curve.lines[0].k_sure, 2);
}

TEST(WorkCheck, NoReportedWorkIsNoFinding) {
  EXPECT_TRUE(curve_with_work(Mode::weak, {{1, 0}, {2, 0}}).findings.empty());
}

}  // namespace
}  // namespace kneepoint
