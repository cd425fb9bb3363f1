// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/engine/admission.h"

#include <gtest/gtest.h>

namespace kneepoint {
namespace {

constexpr Nanoseconds kTimeout = 20 * kMinute;

BudgetClaim claim_of(int steps, Nanoseconds expected, int nodes = 2) {
  BudgetClaim claim;
  for (int i = 0; i < steps; ++i) {
    claim.steps.push_back(step_times(nodes, expected, kTimeout, 0));
  }
  claim.overrun = 30 * kSecond;
  return claim;
}

TEST(Reserve, OfARunThatIsNotKnownIsItsWholeLimit) {
  const StepTimes times = step_times(1, 0, kTimeout, 0);
  EXPECT_EQ(times.least, kTimeout);
  EXPECT_EQ(times.tight, kTimeout);
  EXPECT_EQ(step_times(1, kHour, kTimeout, 0).least, kTimeout) << "it is ended there";
}

TEST(Reserve, OfARunThatIsKnownIsThreeTimesThatWhereTheBudgetIsTight) {
  EXPECT_EQ(step_times(1, kMinute, kTimeout, 0).least, kMinute);
  EXPECT_EQ(step_times(1, kMinute, kTimeout, 0).tight, 3 * kMinute);
  EXPECT_EQ(step_times(1, 10 * kMinute, kTimeout, 0).tight, kTimeout);
}

TEST(Reserve, ARunThatWasCutGetsTwiceTheTimeOrItsWholeLimit) {
  EXPECT_EQ(step_times(1, kMinute, kTimeout, 4 * kMinute).least, 8 * kMinute);
  EXPECT_EQ(step_times(1, kMinute, kTimeout, 4 * kMinute).tight, 8 * kMinute);
  EXPECT_EQ(step_times(1, kMinute, kTimeout, 15 * kMinute).least, kTimeout);
}

TEST(Reserve, WithoutABudgetLimitsAreThePlans) {
  const auto held = reserve(claim_of(2, kMinute), {});
  ASSERT_TRUE(held);
  EXPECT_EQ(held->limits, (std::vector<Nanoseconds>{kTimeout, kTimeout}));
}

TEST(Reserve, CountsNodesAndWhatTheBackendMayTakeBeyondTheLimit) {
  const auto held = reserve(claim_of(1, kMinute, 4), {.node_seconds = 1e9});
  ASSERT_TRUE(held);
  EXPECT_DOUBLE_EQ(held->node_seconds, 4 * (20 * 60 + 30));
}

TEST(Reserve, OfAPackedAllocationIsTightBeforeStepsAreLeftOut) {
  BudgetClaim claim = claim_of(10, kMinute);  // 200 minutes of limits, 30 of tight ones
  claim.step_margin = 15 * kSecond;
  const auto tight = reserve(claim, {.node_seconds = 2 * 40 * 60});
  ASSERT_TRUE(tight);
  EXPECT_EQ(tight->limits, std::vector<Nanoseconds>(10, 3 * kMinute));
  const auto fewer = reserve(claim, {.node_seconds = 2 * 10 * 60});
  ASSERT_TRUE(fewer);
  EXPECT_EQ(fewer->limits.size(), 2U);  // 3 x 3:15 and 30 s would be 10:15
  EXPECT_LE(fewer->node_seconds, 2 * 10 * 60);
}

TEST(Reserve, TheLastRunGetsAllThatIsLeft) {
  const auto held = reserve(claim_of(3, kMinute), {.node_seconds = 2 * 130});
  ASSERT_TRUE(held);
  ASSERT_EQ(held->limits.size(), 1U);
  EXPECT_NEAR(to_seconds(held->limits[0]), 100, 0.002);  // the rest is the backend's
  EXPECT_LE(held->node_seconds, 2 * 130);
  EXPECT_FALSE(reserve(claim_of(3, kMinute), {.node_seconds = 2 * 89}))
      << "60 s and 30 s are not there";
}

TEST(Reserve, BilledStepsAreSteppedOverNeverInto) {
  BudgetClaim claim = claim_of(1, kMinute);
  claim.overrun = 0;
  claim.bill = [](std::size_t, Nanoseconds held) {  // whole minutes
    return (held + kMinute - 1) / kMinute * 1'000'000;
  };
  const auto held = reserve(claim, {.micros = 2'999'999});
  ASSERT_TRUE(held);
  EXPECT_EQ(held->micros, 2'000'000);
  EXPECT_LE(held->limits[0], 2 * kMinute);
  EXPECT_GT(held->limits[0], 2 * kMinute - kSecond);
}

TEST(Reserve, BothBudgetsHold) {
  BudgetClaim claim = claim_of(1, kMinute, 1);
  claim.bill = [](std::size_t, Nanoseconds held) { return held / kSecond; };
  EXPECT_FALSE(reserve(claim, {.node_seconds = 1e9, .micros = 89}));
  EXPECT_FALSE(reserve(claim, {.node_seconds = 89, .micros = 1000}));
  const auto held = reserve(claim, {.node_seconds = 120, .micros = 100});
  ASSERT_TRUE(held);
  EXPECT_LE(held->micros, 100);
}

}  // namespace
}  // namespace kneepoint
