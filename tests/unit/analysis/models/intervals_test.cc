// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/analysis/models/prediction.h"

#include <gtest/gtest.h>

#include "tests/unit/analysis/model_data.h"

namespace kneepoint {
namespace {

constexpr TermSet kAmdahlLogTerms = kOne | kInverseK | kLog2K;

TEST(ModelIntervals, HoldTheTruthOfANoisyCurve) {
  Random random(12);
  const Times times = noisy_times(amdahl_log(0.05, 0.01), kPowersTo128, 10, 0.02, random);
  const ModelIntervals intervals = model_intervals(Mode::strong, times, kAmdahlLogTerms).value();
  EXPECT_LT(intervals.serial_fraction->low, 0.05);
  EXPECT_GT(intervals.serial_fraction->high, 0.05);
  EXPECT_LT(intervals.log_share.low, 0.01);
  EXPECT_GT(intervals.log_share.high, 0.01);
  EXPECT_LT(intervals.fastest_k->low, 65.85);
  EXPECT_GT(intervals.fastest_k->high, 65.85);
  EXPECT_LT(intervals.fastest_k->high, 100);
  EXPECT_EQ(intervals.linear_share.high, 0);
}

TEST(ModelIntervals, ATermThatIsNotThereLeavesTheOptimumOpen) {
  const ModelIntervals intervals =
      model_intervals(Mode::strong, reference_curve("B_noise2_pow2_512"), kAmdahlLogTerms).value();
  EXPECT_EQ(intervals.log_share.low, 0);
  EXPECT_TRUE(std::isinf(intervals.fastest_k->high));
}

TEST(ModelIntervals, WeakCurvesHaveNoSerialFractionAndOneRunNoInterval) {
  const Times weak = exact_times({.one = 1, .log2_k = 0.01}, kPowersTo128, 5);
  const ModelIntervals intervals = model_intervals(Mode::weak, weak, kOne | kLog2K).value();
  EXPECT_FALSE(intervals.serial_fraction);
  EXPECT_FALSE(intervals.fastest_k);
  EXPECT_NEAR(intervals.log_share.low, 0.01, 1e-12);
  EXPECT_FALSE(model_intervals(Mode::strong, exact_times(amdahl_log(0.05, 0), kPowersTo128),
                               kAmdahlLogTerms));
}

}  // namespace
}  // namespace kneepoint
