// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/analysis/statistics/summary.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/unit/analysis/evidence_builder.h"
#include "tests/unit/analysis/reference.h"

namespace kneepoint {
namespace {

bool has_flag(const PointSummary& p, const std::string& flag) {
  return std::find(p.flags.begin(), p.flags.end(), flag) != p.flags.end();
}

TEST(Summary, StrongAndWeakAreTheReferences) {
  const auto rows = reference_rows("summary.json", "strong_weak_s0.05_c0.01");
  EvidenceBuilder b;
  for (const auto& row : rows) {
    b.add(Mode::strong, row["K"], std::vector<double>(5, row["T"].get<double>()));
    b.add(Mode::weak, row["K"], std::vector<double>(5, row["T_weak"].get<double>()));
  }
  const StudySummary summary = summarise(b.study);
  ASSERT_EQ(summary.curves.size(), 2u);
  EXPECT_TRUE(summary.anything_ran);
  EXPECT_TRUE(summary.all_points_have_data);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const PointSummary& strong = summary.curves[0].points[i];
    const PointSummary& weak = summary.curves[1].points[i];
    const double s = rows[i]["S"], e = rows[i]["E"];
    EXPECT_NEAR(strong.speedup, s, within(s));
    EXPECT_NEAR(strong.efficiency, e, within(e));
    EXPECT_NEAR(weak.efficiency, rows[i]["E_weak"].get<double>(), 1e-12);
    const double x = rows[i]["X_weak"];
    EXPECT_NEAR(weak.speedup, x, within(x));
    EXPECT_FALSE(weak.karp_flatt);
    if (i == 0) {
      EXPECT_TRUE(strong.baseline);
      EXPECT_FALSE(strong.efficiency_interval) << "E = 1 by definition";
      EXPECT_FALSE(strong.karp_flatt);
    } else {
      ASSERT_TRUE(strong.karp_flatt);
      EXPECT_NEAR(*strong.karp_flatt, rows[i]["karp_flatt"].get<double>(), 1e-12);
      ASSERT_TRUE(strong.efficiency_interval);
      EXPECT_NEAR(strong.efficiency_interval->low, e, within(e)) << "no variance, no width";
      EXPECT_EQ(strong.efficiency_interval->low, strong.efficiency_interval->high);
      EXPECT_NEAR(strong.efficiency_interval->level, 0.968253968253968, 1e-12);
    }
  }
  EXPECT_EQ(summary.knees[0].k_sure, 6);  // E(6) = 0.715, E(7) = 0.670
  EXPECT_EQ(summary.knees[1].place, KneePlace::beyond);
  ASSERT_EQ(summary.curves[0].lines.size(), 2u);
  EXPECT_EQ(summary.curves[0].lines[0].floor, 0.8);
  EXPECT_EQ(summary.curves[0].lines[1].floor, 0.5);
}

TEST(Summary, KarpFlattExamplesAreTheReferences) {
  for (const auto& row : reference_rows("summary.json", "karp_flatt_examples")) {
    EvidenceBuilder b;
    b.add(Mode::strong, 1, {row["S"].get<double>()});
    b.add(Mode::strong, row["K"], {1.0});
    const StudySummary summary = summarise(b.study);
    ASSERT_TRUE(summary.curves[0].points[1].karp_flatt);
    EXPECT_NEAR(*summary.curves[0].points[1].karp_flatt, row["e"].get<double>(), 1e-12);
  }
}

TEST(Summary, ABaselineOtherThanOneGivesRelativeValuesAndTheTrueSerialFraction) {
  for (const auto& row : reference_rows("summary.json", "relative_baseline_amdahl_s0.05")) {
    const int k0 = row["K0"], k = row["K"];
    const double s = row["s"];
    EvidenceBuilder b;
    b.add(Mode::strong, k0, {s + (1 - s) / k0});
    b.add(Mode::strong, k, {s + (1 - s) / k});
    const Curve curve = summarise(b.study).curves[0];
    EXPECT_EQ(curve.k0, k0);
    EXPECT_TRUE(curve.findings.empty()) << "the plan began there";
    const PointSummary& p = curve.points[1];
    EXPECT_NEAR(p.speedup, row["S_rel"].get<double>(), 1e-11);
    EXPECT_NEAR(p.efficiency, row["E_rel"].get<double>(), 1e-12);
    EXPECT_NEAR(p.karp_flatt.value(), row["s_recovered"].get<double>(), 1e-12);
  }
}

TEST(Summary, IntervalsComeFromTheRuns) {
  EvidenceBuilder b;
  b.add(Mode::strong, 1, {10.1, 10.3, 9.9, 10.2, 10.0});
  b.add(Mode::strong, 2, {10.6 / 2, 10.8 / 2, 10.5 / 2, 10.9 / 2, 10.7 / 2});
  const PointSummary p = summarise(b.study).curves[0].points[1];
  EXPECT_EQ(p.seconds, 5.35);
  EXPECT_EQ(p.seconds_interval->low, 5.25);
  EXPECT_EQ(p.seconds_interval->high, 5.45);
  EXPECT_NEAR(p.efficiency, 10.1 / 10.7, 1e-12);
  // The reference example, upside down.
  EXPECT_NEAR(p.efficiency_interval->low, 1 / 1.09, 1e-12);
  EXPECT_NEAR(p.efficiency_interval->high, 1 / 1.0294117647058825, 1e-12);
  EXPECT_NEAR(p.karp_flatt.value(), 1 / p.efficiency - 1, 1e-12) << "at K=2";
  EXPECT_NEAR(p.karp_flatt_interval->low, 1.0294117647058825 - 1, 1e-12);
  EXPECT_NEAR(p.karp_flatt_interval->high, 0.09, 1e-12);
}

TEST(Summary, OnlyRunsThatSucceededEnterANumber) {
  EvidenceBuilder b;
  b.add(Mode::strong, 1, {1.0, 1.0, 1.0, 1.0, 1.0});
  auto& p = b.add(Mode::strong, 2, {0.5, 0.5, 0.5});
  RunEvidence wrong = failed_run(AttemptState::failed, Reason::wrong_answer);
  wrong.seconds = 0.001;  // fast, and wrong
  b.add_run(p, wrong);
  RunEvidence pending;
  pending.state = AttemptState::running;
  pending.seconds = 0.001;
  b.add_run(p, pending);
  const PointSummary s = summarise(b.study).curves[0].points[1];
  EXPECT_EQ(s.valid, 3);
  EXPECT_EQ(s.failed, 1);
  EXPECT_EQ(s.pending, 1);
  EXPECT_EQ(s.seconds, 0.5);
  EXPECT_EQ(s.efficiency, 1);
  EXPECT_TRUE(has_flag(s, "1 of 5 repeats failed"));
  EXPECT_TRUE(has_flag(s, "1 of 5 repeats pending"));
}

TEST(Summary, ASucceededRunWithoutATimeIsAFailedOne) {
  EvidenceBuilder b;
  b.add(Mode::strong, 1, {1.0, 0.0, std::nan("")});
  const PointSummary p = summarise(b.study).curves[0].points[0];
  EXPECT_EQ(p.valid, 1);
  EXPECT_EQ(p.failed, 2);
}

TEST(Summary, AMissingBaselineIsSaidAndTheNextKTaken) {
  EvidenceBuilder b;
  auto& first = b.add(Mode::strong, 1, {});
  b.add_run(first, failed_run(AttemptState::timed_out, Reason::time_limit));
  b.add(Mode::strong, 2, {0.5, 0.5});
  b.add(Mode::strong, 4, {0.3, 0.3});
  const StudySummary summary = summarise(b.study);
  const Curve& curve = summary.curves[0];
  EXPECT_EQ(curve.k0, 2);
  ASSERT_EQ(curve.findings.size(), 1u);
  EXPECT_EQ(curve.findings[0],
            "K=1, the plan's smallest, has no valid run: all values are relative to K0=2");
  EXPECT_EQ(curve.points[0].efficiency, 0);
  EXPECT_TRUE(has_flag(curve.points[0], "the only repeat failed"));
  EXPECT_EQ(curve.points[1].efficiency, 1);
  EXPECT_NEAR(curve.points[2].efficiency, 2 * 0.5 / (4 * 0.3), 1e-12);
  EXPECT_FALSE(summary.all_points_have_data);
}

TEST(Summary, NothingRanIsSaid) {
  EvidenceBuilder b;
  auto& p = b.add(Mode::strong, 1, {});
  b.add_run(p, RunEvidence{});
  const StudySummary summary = summarise(b.study);
  EXPECT_FALSE(summary.anything_ran);
  EXPECT_FALSE(summary.all_points_have_data);
  EXPECT_EQ(summary.curves[0].baseline(), nullptr);
  EXPECT_EQ(summary.knees[0].place, KneePlace::none);
  EXPECT_FALSE(summarise(StudyEvidence{}).all_points_have_data);
}

TEST(Summary, AllFailedRanButGivesNoNumber) {
  EvidenceBuilder b;
  auto& p = b.add(Mode::weak, 1, {});
  for (int i = 0; i < 5; ++i) b.add_run(p, failed_run(AttemptState::failed, Reason::exit_code));
  const StudySummary summary = summarise(b.study);
  EXPECT_TRUE(summary.anything_ran);
  EXPECT_TRUE(has_flag(summary.curves[0].points[0], "all 5 repeats failed"));
  EXPECT_EQ(summary.curves[0].points[0].seconds, 0);
}

TEST(Summary, OneRunHasNumbersButNoInterval) {
  EvidenceBuilder b;
  b.add(Mode::strong, 1, {1.0});
  b.add(Mode::strong, 2, {0.55});
  const PointSummary p = summarise(b.study).curves[0].points[1];
  EXPECT_NEAR(p.efficiency, 1 / 1.1, 1e-12);
  EXPECT_FALSE(p.seconds_interval);
  EXPECT_FALSE(p.efficiency_interval);
  EXPECT_FALSE(p.karp_flatt_interval);
}

TEST(Summary, ThreeRunsUseWelchAndTheRange) {
  EvidenceBuilder b;
  b.add(Mode::strong, 1, {1.0, 1.02, 0.98});
  b.add(Mode::strong, 2, {0.55, 0.56, 0.54});
  const PointSummary p = summarise(b.study).curves[0].points[1];
  EXPECT_EQ(p.seconds_interval->method, "range");
  EXPECT_EQ(p.efficiency_interval->method, "Welch on logs");
  EXPECT_LT(p.efficiency_interval->low, p.efficiency);
  EXPECT_GT(p.efficiency_interval->high, p.efficiency);
}

TEST(Summary, SuperlinearIsFlaggedOnlyWhenTheLowerBoundSaysSo) {
  EvidenceBuilder b;
  b.add(Mode::strong, 1, {1.0, 1.0, 1.0, 1.0, 1.0});
  b.add(Mode::strong, 2, {0.40, 0.41, 0.42, 0.41, 0.40});
  b.add(Mode::strong, 4, {0.20, 0.26, 0.24, 0.27, 0.22});
  const Curve curve = summarise(b.study).curves[0];
  EXPECT_TRUE(has_flag(curve.points[1], "E>1 (superlinear; see methods)"));
  EXPECT_GT(curve.points[2].efficiency, 1);
  EXPECT_TRUE(curve.points[2].flags.empty());
}

TEST(Summary, SamplesOfDifferentShapeAreFlaggedWhenTheMediansMislead) {
  // Nine of twenty runs at K=2 were fast: the median stands among the slow eleven.
  std::vector<double> base, humps;
  for (int i = 0; i < 20; ++i) base.push_back(1 + 0.02 * i);
  for (int i = 0; i < 20; ++i) humps.push_back(i < 9 ? 0.2 + 0.001 * i : 0.7 + 0.001 * i);
  EvidenceBuilder b;
  b.add(Mode::strong, 1, base);
  b.add(Mode::strong, 2, humps);
  const PointSummary p = summarise(b.study).curves[0].points[1];
  EXPECT_LT(p.efficiency, p.efficiency_interval->low);
  EXPECT_TRUE(has_flag(p, "E outside its interval"));
}

TEST(Summary, WhatTheRunsSayOfThemselvesBecomesFlags) {
  EvidenceBuilder b;
  auto& p = b.add(Mode::strong, 1, {1.0, 1.01, 0.99, 1.02, 3.0});
  p.point.emulated = true;
  p.runs[0].oversubscribed = true;
  p.runs[1].binding_differs = true;
  const Curve curve = summarise(b.study).curves[0];
  EXPECT_EQ(curve.points[0].flags, (std::vector<std::string>{"emulated", "oversubscribed",
                                                             "binding differs", "1 outlier"}));
  EXPECT_EQ(curve.points[0].outliers, 1);
  EXPECT_EQ(curve.points[0].seconds, 1.01) << "flagged, never dropped";
  EXPECT_TRUE(curve.emulated);
}

TEST(Summary, ARunOnAStandInForAGpuIsFlaggedAndItsCurveIsNamedSo) {
  EvidenceBuilder b;
  auto& p = b.add(Mode::strong, 1, {1.0, 1.01, 0.99});
  for (auto& run : p.runs) run.provenance = "device=CPU stand-in (no GPU); program=1";
  const Curve curve = summarise(b.study).curves[0];
  EXPECT_TRUE(has_flag(curve.points[0], "CPU stand-in, no GPU"));
  EXPECT_TRUE(curve.stand_in);
  for (auto& run : p.runs) run.provenance = "device=NVIDIA A100; program=1";
  const Curve real = summarise(b.study).curves[0];
  EXPECT_FALSE(has_flag(real.points[0], "CPU stand-in, no GPU"));
  EXPECT_FALSE(real.stand_in);
}

TEST(Summary, SharesAndNodeSecondsArePerRun) {
  EvidenceBuilder b;
  auto& p = b.add(Mode::strong, 4, {2.0, 2.0, 2.0});
  p.point.shape.nodes = 2;
  p.point.results = 4;
  for (auto& run : p.runs) {
    run.compute_seconds = 1.5;
    run.communication_seconds = 0.4;
  }
  const PointSummary s = summarise(b.study).curves[0].points[0];
  EXPECT_NEAR(s.compute_share, 0.75, 1e-12);
  EXPECT_NEAR(s.communication_share, 0.2, 1e-12);
  EXPECT_NEAR(s.node_seconds_per_result, 1.0, 1e-12);
}

TEST(Summary, IsTheSameWhateverTheOrderOfThePoints) {
  EvidenceBuilder a, b;
  a.add(Mode::strong, 1, {1.0, 1.1});
  a.add(Mode::strong, 2, {0.6, 0.7});
  b.add(Mode::strong, 2, {0.6, 0.7});
  b.add(Mode::strong, 1, {1.0, 1.1});
  EXPECT_EQ(summarise(a.study).curves[0].points[1].efficiency,
            summarise(b.study).curves[0].points[1].efficiency);
}

}  // namespace
}  // namespace kneepoint
