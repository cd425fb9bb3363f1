// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/engine/requests.h"

#include <gtest/gtest.h>

#include <numeric>

namespace kneepoint {
namespace {

TEST(Requests, NamesAreUniqueAndShort) {
  EXPECT_EQ(attempt_name(17, 2), "r17-a2");
  EXPECT_EQ(allocation_name("0a1b2c3d", 4, 17, 2, 1), "kp-0a1b2c3d-4-17-a2");
  EXPECT_EQ(allocation_name("0a1b2c3d", 4, 17, 2, 2), "kp-0a1b2c3d-4-17-a2-s2");
  EXPECT_LE(allocation_name("0a1b2c3d", 99999, 1'000'000, 10, 3).size(), 40U);
}

TEST(Requests, ARunBecomesOneAllocationWithOneStep) {
  Point point;
  point.build = "default";
  point.case_name = "jacobi";
  point.shape.ranks = 4;
  point.command.argv = {"kp-jacobi3d", "--size", "8"};
  point.command.environment = {{"OMP_NUM_THREADS", "1"}};
  point.modelled_seconds = 0.5;
  Plan plan;
  plan.limits.timeout = 3 * kMinute;
  Site site;
  site.environment = {{"OMP_NUM_THREADS", "9"}, {"LANG", "C"}};  // the matrix has seen to it
  const AllocationRequest r =
      request_for(point, plan, site, {"0a1b2c3d", 1, "/w/s", 17, 3, 1, 1}, true);
  ASSERT_EQ(r.steps.size(), 1U);
  EXPECT_EQ(r.directory, "/w/s");
  const Step& s = r.steps[0];
  EXPECT_EQ(s.run_dir, "/w/s/r17-a1");
  EXPECT_EQ(s.limit, 3 * kMinute);
  EXPECT_TRUE(s.oversubscribed);
  EXPECT_EQ(s.starter.kind, StarterKind::mpirun);
  ASSERT_EQ(s.command.environment.size(), 1U);
  EXPECT_EQ(s.command.environment.back().value, "1");
  // Attempts of one run share their identity: a retry sees the same simulated machine.
  EXPECT_EQ(
      s.identity,
      request_for(point, plan, site, {"0a1b2c3d", 1, "/w/s", 17, 3, 2, 1}, true).steps[0].identity);
}

TEST(Requests, TheMachineIsMeasuredForAWorkloadThatStatesItsFlops) {
  const auto measures = [](double flops, bool emulated) {
    Point point;
    point.flops = flops;
    point.emulated = emulated;
    return request_for(point, {}, {}, {"0a1b2c3d", 1, "/w", 1, 0, 1, 1}, false)
        .steps[0]
        .measure_machine;
  };
  EXPECT_TRUE(measures(1e9, false));
  EXPECT_FALSE(measures(0, false));
  EXPECT_FALSE(measures(1e9, true));
}

TEST(Requests, APlainProgramGetsNoStarter) {
  Point point;
  point.mpi = false;
  const AllocationRequest r = request_for(point, {}, {}, {"0a1b2c3d", 1, "/w", 1, 0, 1, 1}, false);
  EXPECT_EQ(r.steps[0].starter.kind, StarterKind::none);
}

}  // namespace

namespace {

using Batches = std::vector<std::vector<int>>;

Packing packed(int allocations = 1, int steps = 0, Nanoseconds limit = 4 * kHour) {
  return {PackingMode::packed, allocations, steps, limit};
}

std::vector<PackItem> items(int count, Nanoseconds limit = kMinute, int nodes = 1) {
  return std::vector<PackItem>(static_cast<std::size_t>(count), PackItem{nodes, limit});
}

TEST(Packing, OneJobPerRunIsOneStepEach) {
  EXPECT_EQ(pack(items(3), {}, 8, 0), (Batches{{0}, {1}, {2}}));
  EXPECT_TRUE(pack({}, {}, 8, 0).empty());
}

TEST(Packing, AllRunsShareOneAllocationInTheirOrder) {
  EXPECT_EQ(pack(items(4), packed(), 1, 0), (Batches{{0, 1, 2, 3}}));
  EXPECT_TRUE(pack({}, packed(), 1, 0).empty());
}

TEST(Packing, EveryStepHasTheTimeOfItsOwnLimit) {
  // An hour holds two runs of 20 minutes and their margins, not three.
  EXPECT_EQ(pack(items(5, 20 * kMinute), packed(1, 0, kHour), 1, 0),
            (Batches{{0, 1}, {2, 3}, {4}}));
  for (const auto& batch : pack(items(100, 7 * kMinute), packed(1, 0, 2 * kHour), 1, 0)) {
    EXPECT_LE(static_cast<Nanoseconds>(batch.size()) * (7 * kMinute + kStepMargin), 2 * kHour);
  }
}

TEST(Packing, NoAllocationEndsBetweenTheTwoOfAPair) {
  std::vector<PackItem> pairs = items(6);
  for (std::size_t i = 0; i < pairs.size(); i += 2) pairs[i].with_next = true;
  EXPECT_EQ(pack(pairs, packed(1, 3), 1, 0), (Batches{{0, 1}, {2, 3}, {4, 5}}));
  EXPECT_EQ(pack(pairs, packed(1, 1), 1, 0), (Batches{{0, 1}, {2, 3}, {4, 5}}));
  EXPECT_EQ(pack(pairs, packed(1, 0, 3 * (kMinute + kStepMargin)), 1, 0),
            (Batches{{0, 1}, {2, 3}, {4, 5}}));
  EXPECT_EQ(pack(pairs, packed(1, 5), 1, 0), (Batches{{0, 1, 2, 3}, {4, 5}}));
  EXPECT_EQ(pack(pairs, packed(), 1, 0).size(), 1U);
}

TEST(Packing, ARunLongerThanTheLimitStillGoesAlone) {
  EXPECT_EQ(pack(items(2, 8 * kHour), packed(), 1, 0), (Batches{{0}, {1}}));
}

TEST(Packing, TheRunsAreSpreadEvenlyOverTheAllocationsThatMayStart) {
  EXPECT_EQ(pack(items(6), packed(2), 2, 0), (Batches{{0, 1, 2}, {3, 4, 5}}));
  EXPECT_EQ(pack(items(5), packed(2), 2, 0), (Batches{{0, 1, 2}, {3, 4}}));
  EXPECT_EQ(pack(items(1), packed(4), 4, 0), (Batches{{0}})) << "no more allocations than runs";
  EXPECT_EQ(pack(items(6), packed(2), 1, 0).size(), 1U) << "one place is free: one allocation";
}

TEST(Packing, AnAllocationHasNoMoreStepsThanTheSiteAllows) {
  EXPECT_EQ(pack(items(5), packed(1, 2), 1, 0), (Batches{{0, 1}, {2, 3}, {4}}));
}

TEST(Packing, ARunThatNoAllocationCouldHoldDoesNotSpoilTheOthers) {
  std::vector<PackItem> all = items(3);
  all[1].nodes = 64;
  EXPECT_EQ(pack(all, packed(), 1, 16), (Batches{{0, 2}, {1}}));
  EXPECT_EQ(pack(all, packed(), 1, 0), (Batches{{0, 1, 2}})) << "nobody knows how many there are";
}

TEST(Packing, EveryRunIsInExactlyOneBatch) {
  for (int count = 0; count < 40; ++count) {
    for (const int places : {0, 1, 3, 50}) {
      std::vector<int> seen(static_cast<std::size_t>(count), 0);
      for (const auto& batch : pack(items(count), packed(3, 7), places, 0)) {
        EXPECT_FALSE(batch.empty());
        EXPECT_LE(batch.size(), 7U);
        for (const int index : batch) ++seen[static_cast<std::size_t>(index)];
      }
      EXPECT_EQ(std::accumulate(seen.begin(), seen.end(), 0), count);
      for (const int times : seen) EXPECT_EQ(times, 1);
    }
  }
}

TEST(Packing, TheSmallestWishOfFlagPlanAndSiteIsTheNumberOfAllocations) {
  Limits plan;
  EXPECT_EQ(wished_concurrent({}, plan, 5), 5) << "one job per run: the flag decides";
  EXPECT_EQ(wished_concurrent(packed(3), plan, 0), 3);
  EXPECT_EQ(wished_concurrent(packed(3), plan, 2), 2);
  plan.concurrent = 1;
  EXPECT_EQ(wished_concurrent(packed(3), plan, 0), 1);
  plan.concurrent = 100;
  EXPECT_EQ(wished_concurrent(packed(3), plan, 0), 3);
}

TEST(Packing, AnAllocationIsAsLargeAsItsLargestStepAndAsLongAsAllTogether) {
  Step small, large;
  small.attempt = "r1-a1";
  small.limit = kMinute;
  small.shape = {1, 16, 16, 2, 0, Bind::core};
  large.attempt = "r2-a1";
  large.limit = 2 * kMinute;
  large.shape = {8, 64, 8, 1, 4, Bind::core};
  const AllocationRequest request = allocation_for("kp-x", "/w/s", {small, large});
  EXPECT_EQ(request.shape.nodes, 8);
  EXPECT_EQ(request.shape.ranks_per_node, 16);
  EXPECT_EQ(request.shape.threads_per_rank, 2);
  EXPECT_EQ(request.shape.ranks, 128) << "every node has the width of the widest step";
  EXPECT_EQ(request.shape.gpus_per_node, 4);
  EXPECT_EQ(request.limit, 3 * kMinute + 2 * kStepMargin);
  EXPECT_EQ(request.steps.size(), 2U);
  EXPECT_EQ(request.steps[0].shape.nodes, 1) << "a step keeps its own shape";
  EXPECT_EQ(allocation_for("kp-x", "/w/s", {small}).limit, kMinute);
}

}  // namespace

}  // namespace kneepoint
