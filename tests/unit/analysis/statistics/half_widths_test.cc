// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>

#include "orchestrator/analysis/statistics/summary.h"
#include "tests/unit/analysis/evidence_builder.h"

namespace kneepoint {
namespace {

TEST(HalfWidths, AreInTheOrderOfThePointsAndTheBaselineHasTheWidest) {
  EvidenceBuilder b;
  b.add(Mode::strong, 4, {0.30, 0.31, 0.32, 0.33, 0.34});
  b.add(Mode::strong, 1, {1.0, 1.0, 1.0, 1.0, 1.0});
  b.add(Mode::strong, 2, {0.52, 0.52, 0.52, 0.52, 0.52});
  const auto widths = efficiency_half_widths(b.study);
  ASSERT_EQ(widths.size(), 3u);
  // k = 3 of the 25 ratios: the fastest and the slowest run stand for five ratios each.
  EXPECT_NEAR(widths[0], (0.25 / 0.30 - 0.25 / 0.34) / 2, 1e-12);
  EXPECT_EQ(widths[2], 0);
  EXPECT_EQ(widths[1], widths[0]);
}

TEST(HalfWidths, AreUnknownWithoutTwoRunsOnBothSides) {
  EvidenceBuilder b;
  b.add(Mode::strong, 1, {1.0});
  b.add(Mode::strong, 2, {0.5});
  b.add(Mode::strong, 4, {});
  for (const double width : efficiency_half_widths(b.study)) EXPECT_TRUE(std::isinf(width));
}

TEST(HalfWidths, ABaselineAloneGoesByItsOwnTime) {
  EvidenceBuilder b;
  b.add(Mode::strong, 1, {0.9, 1.0, 1.0, 1.0, 1.1});
  auto& failed = b.add(Mode::strong, 2, {});
  b.add_run(failed, failed_run(AttemptState::failed, Reason::exit_code));
  const auto widths = efficiency_half_widths(b.study);
  EXPECT_NEAR(widths[0], 0.1, 1e-12);
  EXPECT_TRUE(std::isinf(widths[1]));
}

TEST(HalfWidths, OfNothingIsNothing) {
  EXPECT_TRUE(efficiency_half_widths(StudyEvidence{}).empty());
}

}  // namespace
}  // namespace kneepoint
