// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/analysis/knee/knee.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/unit/analysis/reference.h"

namespace kneepoint {
namespace {

using Points = std::vector<KneePoint>;

// A curve with the given E and half-width of its interval (0: exact, negative: none).
Points curve_of(const std::vector<int>& ks, const std::vector<double>& efficiency,
                double half = 0) {
  Points points;
  for (std::size_t i = 0; i < ks.size(); ++i) {
    KneePoint p{ks[i], 1 / efficiency[i], std::nullopt, 5, i == 0};
    if (i > 0 && half >= 0) {
      p.efficiency = Interval{efficiency[i] - half, efficiency[i] + half, 0.968, "test"};
    }
    points.push_back(p);
  }
  return points;
}

RecommendedK by_floor(const Points& points, double floor = 0.7) {
  return recommend_k(points, find_knee(points, floor), KneeRule::efficiency, std::nullopt);
}

Points amdahl_curve(const std::vector<int>& ks, double s, double c) {
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
    EXPECT_EQ(answer.place, KneePlace::inside);
    EXPECT_STREQ(answer.where(), "measured");
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
  EXPECT_EQ(answer.place, KneePlace::beyond);
  EXPECT_FALSE(answer.k);
  EXPECT_EQ(answer.k_sure, 4);
  EXPECT_STREQ(answer.where(), "beyond K_max");
}

TEST(Knee, UnderTheFloorAtTheFirstStepIsBelowIt) {
  const KneeAnswer answer = find_knee(curve_of({1, 2, 4}, {1, 0.6, 0.3}), 0.7);
  EXPECT_EQ(answer.place, KneePlace::below);
  EXPECT_FALSE(answer.k);
  EXPECT_EQ(answer.k_sure, 1);
  EXPECT_EQ(answer.k_measured, 1);
  EXPECT_STREQ(answer.where(), "below the first step");
}

TEST(Knee, WideIntervalsSayHowFarItIsSureAndHowFarPossible) {
  const KneeAnswer answer =
      find_knee(curve_of({1, 2, 4, 8, 16}, {1, 0.9, 0.78, 0.72, 0.66}, 0.05), 0.7);
  EXPECT_EQ(answer.k_sure, 4);
  EXPECT_EQ(answer.k_measured, 8);
  EXPECT_EQ(answer.k_maybe, 16);
}

TEST(Knee, SureAsksForAllSmallerKToo) {
  const KneeAnswer answer = find_knee(curve_of({1, 2, 4}, {1, 0.69, 0.75}, 0.02), 0.7);
  EXPECT_EQ(answer.k_sure, 1);
  EXPECT_EQ(answer.place, KneePlace::beyond) << "the isotonic curve pools K=2 and K=4";
}

TEST(Knee, WithoutIntervalsNothingButTheBaselineIsSure) {
  const KneeAnswer answer = find_knee(curve_of({1, 2, 4}, {1, 0.9, 0.5}, -1), 0.7);
  EXPECT_EQ(answer.k_sure, 1);
  EXPECT_EQ(answer.k_maybe, 2);
}

TEST(Knee, OnePointOrNoneIsNoAnswer) {
  EXPECT_EQ(find_knee(curve_of({1}, {1}), 0.7).place, KneePlace::none);
  EXPECT_STREQ(find_knee(curve_of({1}, {1}), 0.7).where(), "no data");
  EXPECT_EQ(find_knee({}, 0.7).place, KneePlace::none);
}

TEST(Knee, RunsWeighWhereTheCurveIsSmoothed) {
  const std::vector<int> ks = {1, 2, 4};
  const std::vector<double> cost = {1, 1.6, 1.2};  // E 0.625, then 0.833
  EXPECT_EQ(find_crossing(ks, cost, {1, 1, 1}, 0.7).first_under, 3U) << "pooled: 1.4";
  EXPECT_EQ(find_crossing(ks, cost, {1, 9, 1}, 0.7).first_under, 1U) << "pooled: 1.56";
}

TEST(Knee, EveryRuleHasItsWord) {
  for (const char* word : {"efficiency", "power", "marginal", "min_time", "usl_peak", "kneedle"}) {
    ASSERT_TRUE(knee_rule_of(word)) << word;
    EXPECT_STREQ(to_string(*knee_rule_of(word)), word);
  }
  EXPECT_FALSE(knee_rule_of("elbow"));
}

TEST(RecommendedK, IsTheLargestThatIsSureAndNamesWhatIsPossible) {
  const RecommendedK answer = by_floor(curve_of({1, 2, 4, 8}, {1, 0.9, 0.78, 0.72}, 0.05));
  EXPECT_EQ(answer.reason, KReason::sure);
  EXPECT_EQ(answer.k, 4);
  EXPECT_EQ(answer.possible, 8);
  EXPECT_TRUE(answer.is_by_floor());
}

TEST(RecommendedK, WithoutAnyIntervalGoesByTheMedians) {
  const RecommendedK answer = by_floor(curve_of({1, 2, 4}, {1, 0.9, 0.5}, -1));
  EXPECT_EQ(answer.reason, KReason::by_medians);
  EXPECT_EQ(answer.k, 2);
  EXPECT_FALSE(answer.possible);
}

TEST(RecommendedK, NeedsTwoKAndSaysWhichAreMissing) {
  EXPECT_EQ(by_floor({}).reason, KReason::no_run);
  EXPECT_EQ(by_floor(curve_of({4}, {1})).reason, KReason::one_k);
  EXPECT_FALSE(by_floor(curve_of({4}, {1})).k);
}

TEST(RecommendedK, IsNoneWhereNoKIsSure) {
  Points points = curve_of({1, 2}, {1, 0.6}, 0.01);
  points.front().exact = false;  // as where the baseline was left out
  EXPECT_EQ(by_floor(points).reason, KReason::none_sure);
  EXPECT_FALSE(by_floor(points).k);
}

TEST(RecommendedK, AnotherRuleGoesByItsOwnKnee) {
  const Points points = curve_of({2, 4, 8, 16}, {1, 0.9, 0.6, 0.3}, 0.01);
  const KneeAnswer floor = find_knee(points, 0.7);
  const auto by = [&](const RuleKnee& knee) {
    return recommend_k(points, floor, KneeRule::power, knee);
  };
  EXPECT_EQ(by({KneePlace::below, 2}).k, 2);
  EXPECT_EQ(by({KneePlace::below, 2}).reason, KReason::below_knee);
  EXPECT_EQ(by({KneePlace::inside, 9.5}).k, 8);
  EXPECT_EQ(by({KneePlace::inside, 8}).k, 8);
  EXPECT_EQ(by({KneePlace::inside, 9.5}).reason, KReason::within_knee);
  EXPECT_EQ(by({KneePlace::beyond, INFINITY}).k, 16);
  EXPECT_EQ(by({KneePlace::beyond, INFINITY}).reason, KReason::all_within);
  EXPECT_FALSE(by({KneePlace::beyond, INFINITY}).is_by_floor());
}

TEST(RecommendedK, ARuleWithoutAKneeLeavesItToTheFloor) {
  const Points points = curve_of({1, 2, 4}, {1, 0.9, 0.6}, 0.01);
  const RecommendedK answer =
      recommend_k(points, find_knee(points, 0.7), KneeRule::usl_peak, std::nullopt);
  EXPECT_EQ(answer.rule, KneeRule::usl_peak);
  EXPECT_FALSE(answer.rule_answers);
  EXPECT_TRUE(answer.is_by_floor());
  EXPECT_EQ(answer.k, 2);
  EXPECT_EQ(answer.reason, KReason::sure);
}

TEST(Isotonic, PoolsWhatFallsByItsWeights) {
  EXPECT_EQ(isotonic_increasing({1, 3, 2, 4}, {1, 1, 1, 1}), (std::vector<double>{1, 2.5, 2.5, 4}));
  EXPECT_EQ(isotonic_increasing({3, 2, 1}, {1, 1, 1}), (std::vector<double>{2, 2, 2}));
  EXPECT_EQ(isotonic_increasing({4, 1}, {1, 3}), (std::vector<double>{1.75, 1.75}));
  EXPECT_TRUE(isotonic_increasing({}, {}).empty());
}

}  // namespace
}  // namespace kneepoint
