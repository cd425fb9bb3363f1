// SPDX-License-Identifier: Apache-2.0
//
// Isoefficiency, training, roofline: how the problem, the batch and the machine limit K.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "orchestrator/analysis/breakdown/roofline.h"
#include "orchestrator/analysis/models/scaling_laws.h"
#include "tests/unit/analysis/reference.h"

namespace kneepoint {
namespace {

constexpr double kNoGrowth = std::numeric_limits<double>::quiet_NaN();

TEST(Isoefficiency, FixedSerialIsTheReferences) {
  int compared = 0;
  for (const auto& row : reference_rows("formulas.json", "isoefficiency_fixed_serial")) {
    const IsoAnswer a =
        isoefficiency_fixed_serial(
            {.serial = row["s0"], .communication = row["c"], .efficiency = row["e"], .k = row["K"]})
            .value();
    const double total = row["W_parallel_total"], each = row["w_per_worker"];
    EXPECT_EQ(a.status, IsoStatus::grows);
    EXPECT_NEAR(a.work, total, within(total));
    EXPECT_NEAR(a.per_worker, each, within(each));
    ++compared;
  }
  EXPECT_GE(compared, 27);
}

TEST(Isoefficiency, ProportionalSerialIsTheReferences) {
  int attainable = 0, unattainable = 0;
  for (const auto& row : reference_rows("formulas.json", "isoefficiency_proportional_serial")) {
    const IsoAnswer a =
        isoefficiency_proportional(
            {.serial = row["s"], .communication = row["c"], .efficiency = row["e"], .k = row["K"]})
            .value();
    if (row["W"].is_null()) {
      EXPECT_EQ(a.status, IsoStatus::unattainable) << row;
      EXPECT_EQ(a.work, 0);
      ++unattainable;
    } else {
      const double want = row["W"];
      EXPECT_EQ(a.status, IsoStatus::grows);
      EXPECT_NEAR(a.work, want, within(want));
      ++attainable;
    }
  }
  EXPECT_EQ(attainable, 10);
  EXPECT_EQ(unattainable, 10);
}

TEST(Isoefficiency, LogarithmicAgainstLinearCommunication) {
  IsoRequest r{.serial = 0.05, .communication = 0.01, .efficiency = 0.8, .k = 512};
  const double slow = isoefficiency_replicated(r).value().per_worker;
  EXPECT_NEAR(slow, 0.8 * 0.01 * 9 / 0.2 - 0.05, 1e-12);
  r.growth = Growth::linear;
  const double fast = isoefficiency_replicated(r).value().per_worker;
  EXPECT_NEAR(fast, 0.8 * 0.01 * 511 / 0.2 - 0.05, 1e-12);
  EXPECT_GT(fast / slow, 50) << "like K instead of log K";
  EXPECT_NEAR((0.05 + fast) / (0.05 + fast + 0.01 * 511), 0.8, 1e-12) << "put back in";
}

TEST(Isoefficiency, AlreadyMet) {
  const IsoRequest small{.serial = 1, .communication = 0.01, .efficiency = 0.8, .k = 2};
  EXPECT_EQ(isoefficiency_replicated(small).value().status, IsoStatus::already_met);
  EXPECT_EQ(isoefficiency_replicated(small).value().work, 0) << "never below 0";
  const IsoRequest one{.serial = 0.05, .communication = 0.01, .efficiency = 0.8, .k = 1};
  EXPECT_EQ(isoefficiency_proportional(one).value().status, IsoStatus::already_met);
  EXPECT_EQ(isoefficiency_fixed_serial(one).value().status, IsoStatus::already_met);
  const IsoRequest edge{.serial = 0.05, .communication = 0, .efficiency = 0.5, .k = 21};
  EXPECT_EQ(isoefficiency_proportional(edge).value().status, IsoStatus::already_met)
      << "without communication E is exactly 0.5 at any size";
}

TEST(Isoefficiency, RefusesWhatHasNoAnswer) {
  const IsoRequest good{.serial = 0.05, .communication = 0.01, .efficiency = 0.8, .k = 4};
  for (const double bad : {kNoGrowth, 0.0, 1.0, -0.5}) {
    IsoRequest r = good;
    r.efficiency = bad;
    EXPECT_FALSE(isoefficiency_replicated(r));
    EXPECT_FALSE(isoefficiency_fixed_serial(r));
    EXPECT_FALSE(isoefficiency_proportional(r));
  }
  for (const double bad : {kNoGrowth, 0.0, 0.5, -4.0}) {
    IsoRequest r = good;
    r.k = bad;
    EXPECT_FALSE(isoefficiency_fixed_serial(r));
  }
  IsoRequest r = good;
  r.serial = 1.5;
  EXPECT_FALSE(isoefficiency_proportional(r)) << "a fraction";
  EXPECT_TRUE(isoefficiency_fixed_serial(r)) << "seconds";
}

TEST(Training, CriticalBatchIsTheReferences) {
  int compared = 0;
  for (const auto& row : reference_rows("formulas.json", "critical_batch")) {
    const BatchCost c = batch_cost(row["B_over_Bcrit"].get<double>() * 512, 512).value();
    EXPECT_NEAR(c.steps, row["steps_over_Smin"].get<double>(), 1e-12);
    EXPECT_NEAR(c.data, row["examples_over_Emin"].get<double>(), 1e-12);
    EXPECT_NEAR(c.efficiency, row["stat_eff"].get<double>(), 1e-12);
    EXPECT_NEAR((c.steps - 1) * (c.data - 1), 1, 1e-12);
    ++compared;
  }
  EXPECT_EQ(compared, 7);
}

TEST(Training, EfficiencyPerResultFallsWithTheBatch) {}

TEST(Training, ReplicasUpToTheCriticalBatchThenTheModelIsSplit) {
  const ReplicaCap cap = replica_cap(4e6, 4, 2, 4096).value();  // tokens
  EXPECT_EQ(cap.replicas, 122);
  EXPECT_EQ(cap.batch_of_one, 32768);
  const ParallelPlan few = plan_parallelism(64, cap, 0.25).value();
  EXPECT_EQ(few.replicas, 64);
  EXPECT_EQ(few.model_ways, 1);
  EXPECT_EQ(few.efficiency, 1);
  const ParallelPlan many = plan_parallelism(1024, cap, 0.25).value();
  EXPECT_EQ(many.model_ways, 9);
  EXPECT_EQ(many.replicas, 113);
  EXPECT_EQ(many.idle, 1024 - 9 * 113);
  EXPECT_LE(many.replicas, cap.replicas);
  EXPECT_NEAR(many.efficiency, 0.8, 1e-12);
  EXPECT_NE(many.sentence.find("the only road"), std::string::npos);
  const ReplicaCap none = replica_cap(100, 4, 2, 4096).value();
  EXPECT_EQ(none.replicas, 0);
  EXPECT_EQ(plan_parallelism(8, none, 1).value().model_ways, 8);
}

TEST(Training, Utilisation) {
  EXPECT_NEAR(training_flops(7e9, 1e6).value(), 4.2e16, 1e4);
  EXPECT_NEAR(model_flops_utilisation(4e17, 10, 256, 312.5e12).value(), 0.5, 1e-12);
  EXPECT_NEAR(utilisation_kept(0.5, 0.3).value(), 0.6, 1e-12);
  EXPECT_FALSE(model_flops_utilisation(1e18, 1, 1, 1e12)) << "above the peak";
}

TEST(Training, RefusesWhatHasNoAnswer) {
  for (const double bad : {kNoGrowth, 0.0, -1.0}) {
    EXPECT_FALSE(batch_cost(bad, 1));
    EXPECT_FALSE(batch_cost(1, bad));
    EXPECT_FALSE(replica_cap(bad, 1, 1, 1));
    EXPECT_FALSE(replica_cap(1, bad, 1, 1));
    EXPECT_FALSE(training_flops(bad, 1));
    EXPECT_FALSE(model_flops_utilisation(1, bad, 1, 1));
    EXPECT_FALSE(utilisation_kept(bad, 0.3));
  }
  EXPECT_FALSE(plan_parallelism(0, {}, 0.1));
  EXPECT_FALSE(plan_parallelism(8, {}, -0.1));
  EXPECT_FALSE(plan_parallelism(8, {}, kNoGrowth));
}

const Machine kMachine{
    .flops_per_core = 50e9, .bandwidth_per_core = 12e9, .bandwidth_of_node = 100e9};

TEST(Roofline, BoundByTheSideOfTheRidge) {
  const RooflinePoint stream = roofline(0.125, 1e12, 100e9).value();
  EXPECT_EQ(stream.ridge, 10);
  EXPECT_EQ(stream.bound, Bound::memory);
  EXPECT_NEAR(stream.attainable, 12.5e9, 1);
  EXPECT_NEAR(stream.share_of_peak, 0.0125, 1e-12);
  const RooflinePoint product = roofline(50, 1e12, 100e9).value();
  EXPECT_EQ(product.bound, Bound::compute);
  EXPECT_EQ(product.share_of_peak, 1);
  EXPECT_EQ(roofline(10, 1e12, 100e9).value().bound, Bound::compute) << "at the ridge both meet";
  EXPECT_EQ(arithmetic_intensity(2e9, 16e9).value(), 0.125);
}

TEST(Roofline, MoreRanksShareTheMemory) {
  EXPECT_EQ(roofline_on_cores(5, kMachine, 1).value().bound, Bound::compute);
  EXPECT_EQ(roofline_on_cores(5, kMachine, 16).value().bound, Bound::memory);
  EXPECT_NEAR(cores_until_memory_bound(5, kMachine).value().value(), 10, 1e-12);
  EXPECT_FALSE(cores_until_memory_bound(0.125, kMachine).value()) << "one core already is";
  const double two = roofline_on_cores(0.125, kMachine, 2).value().attainable;
  EXPECT_NEAR(two, 3e9, 1) << "grows until the node's bandwidth is used";
  EXPECT_NEAR(roofline_on_cores(0.125, kMachine, 64).value().attainable, 12.5e9, 1);
}

TEST(Roofline, WorkAndDepthBoundTheSpeedup) {
  const WorkDepth w = work_depth(1000, 10, 50).value();
  EXPECT_EQ(w.parallelism, 100);
  EXPECT_EQ(w.speedup_high, 50);
  EXPECT_NEAR(w.speedup_low, 1000 / (990.0 / 50 + 10), 1e-12);
  EXPECT_EQ(work_depth(1000, 10, 1e6).value().speedup_high, 100);
  EXPECT_EQ(work_depth(1000, 10, 1).value().speedup_low, 1);
}

TEST(Roofline, RefusesWhatHasNoAnswer) {
  for (const double bad : {kNoGrowth, 0.0, -1.0}) {
    EXPECT_FALSE(arithmetic_intensity(bad, 1));
    EXPECT_FALSE(arithmetic_intensity(1, bad));
    EXPECT_FALSE(roofline(bad, 1, 1));
    EXPECT_FALSE(roofline(1, bad, 1));
    EXPECT_FALSE(roofline(1, 1, bad));
    EXPECT_FALSE(roofline_on_cores(1, kMachine, bad));
    EXPECT_FALSE(cores_until_memory_bound(bad, kMachine));
    EXPECT_FALSE(work_depth(bad, 1, 1));
    EXPECT_FALSE(work_depth(1, bad, 1));
    EXPECT_FALSE(work_depth(1, 1, bad));
  }
  EXPECT_FALSE(roofline_on_cores(1, {}, 1));
  EXPECT_FALSE(work_depth(1, 2, 1));
}

}  // namespace
}  // namespace kneepoint
