// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/engine/admission.h"

#include <gtest/gtest.h>

namespace kneepoint {
namespace {

TEST(Admission, StartsInOrderUntilThePlacesAreTaken) {
  const Admission a = admit({{1, 1}, {1, 1}, {1, 1}}, {.runs = 1}, {.concurrent = 3});
  EXPECT_EQ(a.count, 2);
  EXPECT_EQ(a.waiting, "for a free place: 3 of 3 in use");
}

TEST(Admission, NeverOversubscribesTheCores) {
  const Ceilings two_cores{.concurrent = 8, .cpus = 2};
  EXPECT_EQ(admit({{1, 1}, {1, 1}, {1, 1}}, {}, two_cores).count, 2);
  EXPECT_EQ(admit({{1, 2}}, {.runs = 1, .cpus = 1}, two_cores).count, 0);
}

TEST(Admission, ALargeRunIsNotOvertakenBySmallOnes) {
  const Admission a = admit({{1, 2}, {1, 1}}, {.runs = 1, .cpus = 1}, {.concurrent = 8, .cpus = 2});
  EXPECT_EQ(a.count, 0);
  EXPECT_EQ(a.waiting, "for a free core: 1 of 2 in use");
}

TEST(Admission, SleepersTakeNoCore) {
  EXPECT_EQ(admit({{1, 0}, {1, 0}}, {.runs = 1, .cpus = 2}, {.concurrent = 8, .cpus = 2}).count, 2);
}

TEST(Admission, KeepsTheNodeLimitAndStillStartsARunThatNeedsThemAll) {
  const Ceilings four{.concurrent = 8, .nodes = 4};
  EXPECT_EQ(admit({{2, 0}, {2, 0}, {1, 0}}, {}, four).count, 2);
  EXPECT_EQ(admit({{4, 0}}, {}, four).count, 1);
}

// A step of one node that is expected to take 30 s and may take 60.
Need thirty_seconds(std::int64_t micros_a_second = 0) {
  Need need;
  need.claim.steps = {step_times(1, 30 * kSecond, kMinute, 0)};
  if (micros_a_second > 0) {
    need.claim.bill = [=](std::size_t, Nanoseconds held) {
      return held / kSecond * micros_a_second;
    };
  }
  return need;
}

TEST(Admission, HoldsBackTheWholeTimeLimitOfWhatItStarts) {
  const Ceilings budget{.concurrent = 8, .node_seconds = 151};
  const Admission two = admit({thirty_seconds(), thirty_seconds()}, {.node_seconds = 30}, budget);
  EXPECT_EQ(two.count, 2);
  EXPECT_EQ(two.reserves[0].limits, std::vector<Nanoseconds>{kMinute});
  EXPECT_EQ(two.reserves[1].limits, std::vector<Nanoseconds>{kMinute});
  const Admission full =
      admit({thirty_seconds(), thirty_seconds(), thirty_seconds()}, {.node_seconds = 30}, budget);
  EXPECT_EQ(full.count, 2);
  EXPECT_TRUE(full.over_budget);
  EXPECT_EQ(full.waiting,
            "the budget of 0.04194 node-hours: 0.04167 are spent or held back, the next run is "
            "estimated at 0.008333");
}

TEST(Admission, GivesARunTheTimeThatTheBudgetStillPaysFor) {
  const Ceilings budget{.concurrent = 8, .node_seconds = 100};
  const Admission a = admit({thirty_seconds(), thirty_seconds()}, {.node_seconds = 60}, budget);
  ASSERT_EQ(a.count, 1) << "40 s are left, which the first takes";
  EXPECT_NEAR(to_seconds(a.reserves[0].limits[0]), 40, 0.002);
  EXPECT_LE(a.reserves[0].node_seconds, 40);
  EXPECT_TRUE(a.over_budget);
}

TEST(Admission, StopsBeforeTheBudgetOfMoneyIsPassedAndNotBefore) {
  const Ceilings budget{.concurrent = 8, .micros = 10'000'000, .currency = "EUR"};
  const Need need = thirty_seconds(100'000);  // 3 as expected, 6 at its limit
  EXPECT_EQ(admit({need}, {.micros = 4'000'000}, budget).reserves[0].limits[0], kMinute);
  const Admission last = admit({need}, {.micros = 7'000'000}, budget);
  ASSERT_EQ(last.count, 1);  // to the last millionth
  EXPECT_EQ(last.reserves[0].micros, 3'000'000);
  const Admission a = admit({need}, {.micros = 7'000'001}, budget);
  EXPECT_EQ(a.count, 0);
  EXPECT_TRUE(a.over_budget);
  EXPECT_EQ(a.waiting,
            "the budget of 10.00 EUR: 7.000001 is spent, the next run is estimated at 3.00");
}

TEST(Admission, TheSmallerOfPlanAndSiteWins) {
  Limits plan;
  plan.concurrent = 8;
  plan.node_hours = 2;
  SiteLimits site;
  site.concurrent = 4;
  site.node_hours = 1;
  const Capabilities backend{.nodes = 64, .default_concurrent = 1};
  const Ceilings c = ceilings_of(plan, site, backend, 0);
  EXPECT_EQ(c.concurrent, 4);
  EXPECT_EQ(c.nodes, 64);
  EXPECT_EQ(c.cpus, 0);
  EXPECT_DOUBLE_EQ(c.node_seconds, 3600);
  EXPECT_EQ(ceilings_of(plan, site, backend, 2).concurrent, 2);
  EXPECT_EQ(ceilings_of(plan, site, backend, 99).concurrent, 4);
  EXPECT_EQ(ceilings_of(Limits{}, SiteLimits{}, backend, 0).concurrent, 1);
}

TEST(Admission, LessThanACoreForEachRankIsOversubscribedToo) {
  Point p;
  p.shape.nodes = p.shape.ranks = 4;
  EXPECT_TRUE(is_oversubscribed(p, Capabilities{.cores_per_node = 0, .cores_asked = 0.5}));
  EXPECT_FALSE(is_oversubscribed(p, Capabilities{.cores_per_node = 0, .cores_asked = 1}));
  EXPECT_FALSE(is_oversubscribed(p, Capabilities{.cores_per_node = 0}));
  p.emulated = true;
  EXPECT_FALSE(is_oversubscribed(p, Capabilities{.cores_per_node = 0, .cores_asked = 0.5}));
}

TEST(Admission, OnlyRealWorkOnASharedMachineIsOversubscribed) {
  Point p;
  p.shape.ranks = 4;
  const Capabilities laptop{.nodes = 1, .cores_per_node = 2, .shares_cores = true};
  EXPECT_TRUE(is_oversubscribed(p, laptop));
  EXPECT_EQ(need_of(p, laptop).cpus, 2);  // the whole machine, and no more than there is
  p.emulated = true;
  EXPECT_FALSE(is_oversubscribed(p, laptop));
  EXPECT_EQ(need_of(p, laptop).cpus, 0);
}

}  // namespace

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
