// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/analysis/models/fitting.h"

#include <gtest/gtest.h>

#include "tests/unit/analysis/model_data.h"

namespace kneepoint {
namespace {

constexpr double kRoot = 1e-9;  // the reference's tolerance for roots

TEST(Coefficients, AmdahlIsTheReferenceAtEveryK) {
  for (const auto& [group, f] : {std::pair{"amdahl_f0.01_pow2", 0.01},
                                 {"amdahl_f0.05_pow2", 0.05},
                                 {"amdahl_f0.2_pow2", 0.2}}) {
    for (const auto& row : reference_rows("models.json", group)) {
      const double t = row.at("T");
      EXPECT_NEAR(amdahl_log(f, 0).at(row.at("K").get<double>()), t, within(t));
    }
  }
}

TEST(Coefficients, TheFastestKIsTheReferences) {
  for (const auto& row : reference_rows("models.json", "argmin_T")) {
    const Coefficients c = amdahl_log(row.at("s"), row.at("c"));
    const double expected = row.at("K_continuous"), time = row.at("T_at_K_continuous");
    EXPECT_NEAR(fastest_k(c).value(), expected, within(expected, kRoot));
    EXPECT_NEAR(c.at(*fastest_k(c)), time, within(time));
  }
  for (const auto& row : reference_rows("models.json", "usl")) {
    if (row.at("beta") == 0) continue;
    const double peak = row.at("Nmax");
    EXPECT_NEAR(fastest_k(usl(row.at("alpha"), row.at("beta"))).value(), peak, within(peak));
  }
}

TEST(Coefficients, WithBothKindsOfOverheadTheDerivativeIsZeroThere) {
  const Coefficients c{.one = 0.05, .inverse_k = 0.95, .log2_k = 0.01, .k_minus_1 = 1e-4};
  const double k = fastest_k(c).value();
  EXPECT_NEAR(-c.inverse_k / k / k + c.log2_k / k / std::log(2.0) + c.k_minus_1, 0, 1e-18);
}

TEST(Coefficients, TheMostPowerfulKIsTheReferences) {
  const nlohmann::json group = read_reference("models.json").at("power_max");
  for (const auto& row : group.at("amdahl")) {
    const double k = row.at("K");
    EXPECT_NEAR(most_powerful_k(Mode::strong, amdahl_log(row.at("f"), 0)).value(), k,
                within(k, kRoot));
  }
  for (const auto& row : group.at("amdahl_log2")) {
    const Coefficients c = amdahl_log(row.at("s"), row.at("c"));
    const double expected = row.at("K_continuous"), power = row.at("P_max");
    const double k = most_powerful_k(Mode::strong, c).value();
    EXPECT_NEAR(k, expected, within(expected, kRoot));
    EXPECT_NEAR(1 / (k * c.at(k) * c.at(k)), power, within(power));
  }
}

TEST(Coefficients, TheCrossingOfAFloorIsTheReferences) {
  for (const auto& row : reference_rows("summary.json", "threshold_amdahl")) {
    const double expected = row.at("K_continuous");
    EXPECT_NEAR(crossing_k(Mode::strong, amdahl_log(row.at("f"), 0), 1, row.at("e")).value(),
                expected, within(expected, kRoot));
  }
  for (const auto& row : reference_rows("summary.json", "threshold_amdahl_log2")) {
    const double expected = row.at("K_continuous");
    EXPECT_NEAR(
        crossing_k(Mode::strong, amdahl_log(row.at("s"), row.at("c")), 1, row.at("e")).value(),
        expected, within(expected, kRoot));
  }
}

TEST(Coefficients, CeilingsAreTheReferences) {
  const nlohmann::json limits = read_reference("models.json").at("amdahl_limits");
  ASSERT_FALSE(limits.empty());
  for (const auto& [f, row] : limits.items()) {
    const Coefficients c = amdahl_log(std::stod(f), 0);
    const double ceiling = row.at("Smax"), half = row.at("K_half_max");
    EXPECT_NEAR(c.first() / c.one, ceiling, within(ceiling));
    EXPECT_NEAR(c.first() / c.at(half), ceiling / 2, within(ceiling));
  }
}

TEST(Coefficients, WhatNeverHappensHasNoK) {
  const Coefficients ideal{.inverse_k = 1};
  EXPECT_FALSE(fastest_k(ideal));
  EXPECT_FALSE(most_powerful_k(Mode::strong, ideal));
  EXPECT_FALSE(crossing_k(Mode::strong, ideal, 1, 0.5));
  EXPECT_FALSE(crossing_k(Mode::weak, {.one = 1}, 1, 0.5));
  EXPECT_FALSE(most_powerful_k(Mode::weak, {.one = 1, .log2_k = 0.01}));
  EXPECT_EQ(fastest_k({.one = 3}), 1);
}

TEST(Coefficients, WeakCurvesCrossWhereTHasGrownByOneOverTheFloor) {
  const Coefficients c{.one = 1, .k_minus_1 = 0.01};
  EXPECT_NEAR(crossing_k(Mode::weak, c, 1, 0.5).value(), 101, 1e-9);
  // K/T² with T = 0.99 + 0.01·K is largest at K = 99.
  EXPECT_NEAR(most_powerful_k(Mode::weak, c).value(), 99, 1e-9);
  EXPECT_EQ(most_powerful_k(Mode::weak, {.one = 1, .k_minus_1 = 5}), 1);
}

}  // namespace
}  // namespace kneepoint
