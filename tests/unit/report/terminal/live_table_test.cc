// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/report/terminal/operating.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "orchestrator/report/text.h"
#include "tests/unit/analysis/evidence_builder.h"
#include "tests/unit/report/sample_study.h"

namespace kneepoint {
namespace {

StudyEvidence growing_study() {
  EvidenceBuilder b;
  b.study.state = "running";
  b.add(Mode::strong, 1, {1.0, 1.0, 1.0, 1.0, 1.0});
  auto& two = b.add(Mode::strong, 2, {0.54, 0.55, 0.56});
  b.add_run(two, RunEvidence{});
  b.add_run(two, failed_run(AttemptState::lost, Reason::node_failed));
  auto& four = b.add(Mode::strong, 4, {});
  for (int i = 0; i < 5; ++i) b.add_run(four, RunEvidence{});
  return b.study;
}

TEST(LiveTable, ShowsEfficiencyAndRunsDoneForEachK) {
  EXPECT_EQ(to_live_table(summarise(growing_study()), {false, 100}),
            "jacobi strong  K             1          2          4\n"
            "               E        1 (K0)  0.91±0.02          -\n"
            "               runs        5/5       4/5!        0/5\n");
}

TEST(LiveTable, ColumnsOfAllCurvesStandBelowEachOther) {
  StudyEvidence study = growing_study();
  EvidenceBuilder weak;
  weak.add(Mode::weak, 1, {1.0});
  weak.add(Mode::weak, 2, {});
  for (const PointEvidence& point : weak.study.points) study.points.push_back(point);
  const std::string text = to_live_table(summarise(study), {false, 100});
  EXPECT_NE(text.find("jacobi weak    K             1          2\n"), std::string::npos) << text;
}

TEST(LiveTable, SaysWhereEfficiencyIsByWork) {
  const StudySummary summary = summarise(sample_study());
  const PointSummary& last = summary.curves[1].points.back();
  ASSERT_TRUE(last.is_by_work());
  const std::string text = to_live_table(summary, {false, 100});
  EXPECT_NE(text.find("jacobi weak, E by work"), std::string::npos) << text;
  EXPECT_NE(text.find(fixed_text(last.efficiency, 2)), std::string::npos) << text;
}

TEST(LiveTable, GoesOnInAFurtherBlockWhenTheWidthIsShort) {
  EvidenceBuilder b;
  for (int k = 1; k <= 128; k *= 2) b.add(Mode::strong, k, {1.0 / k, 1.01 / k, 1.02 / k, 1.03 / k});
  const std::string text = to_live_table(summarise(b.study), {false, 60});
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 9) << "three K in a block";
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(display_width(line), 60u) << line;
}

TEST(LiveTable, NeverHasMoreLinesThanAsked) {
  const StudySummary summary = summarise(sample_study());
  for (int most = 0; most <= 10; ++most) {
    const std::string text = to_live_table(summary, {false, 100}, most);
    const auto lines = std::count(text.begin(), text.end(), '\n');
    EXPECT_LE(lines, most);
    if (most >= 9) {
      EXPECT_EQ(lines, 9);
    } else if (most > 0) {
      EXPECT_NE(text.find("more curves"), std::string::npos);
    }
  }
}

TEST(LiveTable, OfNothingIsEmpty) {
  EXPECT_EQ(to_live_table(StudySummary{}, {}), "");
}

}  // namespace
}  // namespace kneepoint
