// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/engine/requests.h"

#include <gtest/gtest.h>

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
  site.environment = {{"OMP_NUM_THREADS", "9"}, {"LANG", "C"}};
  const AllocationRequest r =
      request_for(point, plan, site, {"0a1b2c3d", 1, "/w/s", 17, 3, 1, 1}, true);
  ASSERT_EQ(r.steps.size(), 1U);
  EXPECT_EQ(r.directory, "/w/s");
  const Step& s = r.steps[0];
  EXPECT_EQ(s.run_dir, "/w/s/r17-a1");
  EXPECT_EQ(s.limit, 3 * kMinute);
  EXPECT_TRUE(s.oversubscribed);
  EXPECT_EQ(s.starter.kind, StarterKind::mpirun);
  // The plan's variables come after the site's, so that they win.
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
}  // namespace kneepoint
