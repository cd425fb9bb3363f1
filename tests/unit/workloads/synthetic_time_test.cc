// SPDX-License-Identifier: Apache-2.0
//
// The formula of `synthetic` against reference values computed with 50 digits.
#include "workloads/numerics/time_models.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

namespace kneepoint::workloads {
namespace {

double total(const SyntheticTime& time) {
  return time.compute + time.communication;
}

TEST(SyntheticTime, FollowsTheReferenceInBothModesForEveryKTo128) {
  std::ifstream file(KP_SOURCE_DIR "/tests/golden/reference/strong_weak_s0.05_c0.01.json");
  const auto reference = nlohmann::json::parse(file);
  ASSERT_EQ(reference["rows"].size(), 128U);
  for (const auto& row : reference["rows"]) {
    const int k = row["K"];
    const SyntheticTime strong = synthetic_time(1, 0.05, 0.01, k, false);
    const SyntheticTime weak = synthetic_time(1, 0.05, 0.01, k, true);
    const auto close = [](double value, double expected) {
      return std::abs(value - expected) <= 1e-12 * std::abs(expected);
    };
    EXPECT_TRUE(close(total(strong), row["T"])) << "K = " << k;
    EXPECT_TRUE(close(total(weak), row["T_weak"])) << "K = " << k;
    EXPECT_TRUE(close(strong.communication, row["comm"])) << "K = " << k;
    EXPECT_TRUE(close(strong.compute, row["serial"].get<double>() + row["compute"].get<double>()))
        << "K = " << k;
  }
}

TEST(SyntheticTime, IsProportionalToItsSeconds) {
  EXPECT_DOUBLE_EQ(total(synthetic_time(3, 0.1, 0.02, 8, false)),
                   3 * total(synthetic_time(1, 0.1, 0.02, 8, false)));
}

TEST(SyntheticNoise, IsAbsentByDefaultAndAFunctionOfSeedAndIteration) {
  EXPECT_EQ(synthetic_noise(0, 1, 5), 1);
  EXPECT_EQ(synthetic_noise(0.05, 1, 5), synthetic_noise(0.05, 1, 5));
  EXPECT_NE(synthetic_noise(0.05, 1, 5), synthetic_noise(0.05, 1, 6));
  EXPECT_NE(synthetic_noise(0.05, 1, 5), synthetic_noise(0.05, 2, 5));
}

TEST(SyntheticNoise, HasTheDeviationItWasGivenAndKeepsTimesPositive) {
  double sum = 0, squares = 0;
  constexpr int kCount = 4000;
  for (int i = 0; i < kCount; ++i) {
    const double d = synthetic_noise(0.05, 1, i) - 1;
    sum += d;
    squares += d * d;
    EXPECT_GE(synthetic_noise(1, 1, i), 0.1);
  }
  EXPECT_NEAR(sum / kCount, 0, 0.003);
  EXPECT_NEAR(std::sqrt(squares / kCount), 0.05, 0.002);
}

}  // namespace
}  // namespace kneepoint::workloads
