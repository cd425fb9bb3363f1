// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/analysis/knee/knee.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/unit/analysis/reference.h"

namespace kneepoint {
namespace {

// A curve with the given E and half-width of its interval (0: exact, negative: none).
Curve curve_of(const std::vector<int>& ks, const std::vector<double>& efficiency, double half = 0) {
  Curve curve;
  for (std::size_t i = 0; i < ks.size(); ++i) {
    PointSummary p;
    p.point.k = ks[i];
    p.valid = 5;
    p.baseline = i == 0;
    p.efficiency = efficiency[i];
    if (i > 0 && half >= 0) {
      p.efficiency_interval = Interval{efficiency[i] - half, efficiency[i] + half, 0.968, "test"};
    }
    curve.points.push_back(p);
  }
  return curve;
}

Curve amdahl_curve(const std::vector<int>& ks, double s, double c) {
  std::vector<double> efficiency;
  for (const int k : ks) efficiency.push_back(1 / (k * (s + (1 - s) / k + c * std::log2(k))));
  return curve_of(ks, efficiency);
}

const std::vector<int> kPowers = {1, 2, 4, 8, 16, 32, 64, 128};

TEST(Knee, InterpolatesTheCostAsTheReferenceDoes) {
  for (const auto& row : reference_rows("summary.json", "knee_interp_pow2_128")) {
    const double c = row["truth"] == "s.05c.01" ? 0.01 : 0;
    const KneeAnswer answer = find_knee(amdahl_curve(kPowers, 0.05, c), row["e"]);
    ASSERT_TRUE(answer.k);
    const double expected = row["interp_invE_linK"];
    EXPECT_NEAR(*answer.k, expected, within(expected, 1e-9));
    EXPECT_EQ(answer.where, "measured");
  }
}

TEST(Knee, AtEveryKTheLastThatReachesTheFloorIsTheReferences) {
  std::vector<int> ks;
  for (int k = 1; k <= 128; ++k) ks.push_back(k);
  const auto reference = read_reference("summary.json");
  const auto check = [&](const nlohmann::json& row, double s, double c) {
    const int last = row["last_K_with_E_ge"];
    if (last >= 128) return 0;
    const KneeAnswer answer = find_knee(amdahl_curve(ks, s, c), row["e"]);
    EXPECT_EQ(answer.k_measured, last) << row.dump();
    EXPECT_EQ(answer.k_sure, last) << row.dump();
    EXPECT_EQ(answer.k_maybe, last) << row.dump();
    if (last > 1 && c == 0) {
      const double continuous = row["K_continuous"];
      EXPECT_NEAR(answer.k.value(), continuous, within(continuous, 1e-9)) << row.dump();
    }
    return 1;
  };
  int checked = 0;
  for (const auto& row : reference["threshold_amdahl"]["rows"]) checked += check(row, row["f"], 0);
  for (const auto& row : reference["threshold_amdahl_log2"]) {
    checked += check(row, row["s"], row["c"]);
  }
  EXPECT_GT(checked, 40);
}

TEST(Knee, NeverUnderTheFloorIsBeyondTheLargestK) {
  const KneeAnswer answer = find_knee(curve_of({1, 2, 4}, {1, 0.95, 0.9}), 0.7);
  EXPECT_EQ(answer.where, "beyond K_max");
  EXPECT_FALSE(answer.k);
  EXPECT_EQ(answer.k_sure, 4);
  EXPECT_EQ(answer.sentence,
            "knee beyond K=4 (efficiency is at or above 0.70 at every K measured)");
}

TEST(Knee, UnderTheFloorAtTheFirstStepIsBelowIt) {
  const KneeAnswer answer = find_knee(curve_of({1, 2, 4}, {1, 0.6, 0.3}), 0.7);
  EXPECT_EQ(answer.where, "below the first step");
  EXPECT_FALSE(answer.k);
  EXPECT_EQ(answer.k_sure, 1);
  EXPECT_EQ(answer.sentence, "knee below K=2 (efficiency is under 0.70 at the first step already)");
}

TEST(Knee, SaysItInPlainWords) {
  const KneeAnswer answer = find_knee(amdahl_curve(kPowers, 0.05, 0), 0.7);
  EXPECT_EQ(answer.sentence,
            "knee at K=8 (efficiency stays at or above 0.70 up to K=8; crosses at about K=9.57)");
}

TEST(Knee, WideIntervalsSayHowFarItIsSureAndHowFarPossible) {
  const KneeAnswer answer =
      find_knee(curve_of({1, 2, 4, 8, 16}, {1, 0.9, 0.78, 0.72, 0.66}, 0.05), 0.7);
  EXPECT_EQ(answer.k_sure, 4);
  EXPECT_EQ(answer.k_measured, 8);
  EXPECT_EQ(answer.k_maybe, 16);
  EXPECT_NE(answer.sentence.find("by the intervals sure up to K=4, possible up to K=16"),
            std::string::npos)
      << answer.sentence;
}

TEST(Knee, SureAsksForAllSmallerKToo) {
  const KneeAnswer answer = find_knee(curve_of({1, 2, 4}, {1, 0.69, 0.75}, 0.02), 0.7);
  EXPECT_EQ(answer.k_sure, 1);
  EXPECT_EQ(answer.where, "beyond K_max") << "the isotonic curve pools K=2 and K=4";
}

TEST(Knee, WithoutIntervalsNothingButTheBaselineIsSure) {
  const KneeAnswer answer = find_knee(curve_of({1, 2, 4}, {1, 0.9, 0.5}, -1), 0.7);
  EXPECT_EQ(answer.k_sure, 1);
  EXPECT_EQ(answer.k_maybe, 2);
  EXPECT_NE(answer.sentence.find("no interval"), std::string::npos) << answer.sentence;
}

TEST(Knee, OnePointOrNoneIsNoAnswer) {
  EXPECT_EQ(find_knee(curve_of({1}, {1}), 0.7).where, "no data");
  EXPECT_EQ(find_knee(curve_of({1}, {1}), 0.7).sentence, "no knee: only K=1 has a valid run");
  EXPECT_EQ(find_knee(Curve{}, 0.7).sentence, "no knee: no point has a valid run");
}

TEST(Knee, EmulatedCurvesSaySo) {
  Curve curve = amdahl_curve(kPowers, 0.05, 0.01);
  curve.emulated = true;
  EXPECT_NE(find_knee(curve, 0.7).sentence.find("knee at K=4, emulated"), std::string::npos);
}

TEST(Isotonic, PoolsWhatFallsByItsWeights) {
  EXPECT_EQ(isotonic_increasing({1, 3, 2, 4}, {1, 1, 1, 1}), (std::vector<double>{1, 2.5, 2.5, 4}));
  EXPECT_EQ(isotonic_increasing({3, 2, 1}, {1, 1, 1}), (std::vector<double>{2, 2, 2}));
  EXPECT_EQ(isotonic_increasing({4, 1}, {1, 3}), (std::vector<double>{1.75, 1.75}));
  EXPECT_TRUE(isotonic_increasing({}, {}).empty());
}

}  // namespace
}  // namespace kneepoint
