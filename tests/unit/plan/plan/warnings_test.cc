// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/plan/plan_test_support.h"

namespace kneepoint {
namespace {

// All warnings of a plan on a cluster of 16 nodes with 64 cores, one a line.
std::string warnings_of(const std::string& text, const SiteCapacity& capacity = {16, 64, 0},
                        const Site& site = simulated_site()) {
  std::string lines;
  for (const std::string& one : plan_warnings(study_of(text, site, capacity), capacity)) {
    lines += one + "\n";
  }
  return lines;
}

const std::string kSixK = "study: d\nscale: {from: 1, to: 32, by: doubling}\n";

TEST(Warnings, AreSilentOverASoundPlan) {
  EXPECT_EQ(warnings_of(kSixK + "workloads: [{name: s, use: synthetic}]\n"), "");
}

TEST(Warnings, NameTheNearestSizesThatSplitEvenly) {
  EXPECT_EQ(warnings_of("study: d\nscale: [1, 2, 3, 4, 5, 6]\nmodes: [strong]\n"
                        "workloads: [{name: j, use: jacobi3d, size: 512}]\n"),
            "j, strong: the ranks can't split the problem evenly at K=3 (3 ranks): size 512, "
            "nearest that can: 510 or 513; K=5 (5 ranks): size 512, nearest that can: 510 or 515; "
            "K=6 (6 ranks): size 512, nearest that can: 510 or 516\n");
}

TEST(Warnings, LookOnlyAtSizesThatTheRoundingCanReach) {
  EXPECT_EQ(warnings_of("study: d\nscale: [1, 2, 3, 4, 8, 16]\nmodes: [strong]\nworkloads: [{name: "
                        "j, use: jacobi3d, size: {strong: 512, multiple_of: 64}}]\n"),
            "j, strong: the ranks can't split the problem evenly at K=3 (3 ranks): size 512, "
            "nearest that can: 384 or 576\n");
}

TEST(Warnings, SayWhenMachinesAreNotFilled) {
  EXPECT_EQ(warnings_of("study: d\nworker: node\nscale: [1, 2, 3, 4, 8, 16]\n"
                        "shape: {ranks_per_node: 16, threads_per_rank: 2}\n"
                        "workloads: [{name: s, use: synthetic}]\n"),
            "machines are not filled: the shape uses 32 of the 64 cores of each node (16 ranks x 2 "
            "threads)\n");
}

TEST(Warnings, SayWhenKExceedsTheSite) {
  const std::string plan =
      "study: d\nscale: [1, 2, 4, 8, 16, 32]\nmodes: [strong]\n"
      "workloads: [{name: s, use: synthetic}]\n";
  EXPECT_EQ(warnings_of("worker: node\nshape: {ranks_per_node: 64}\n" + plan),
            "more nodes than the site has (16): K=32 needs 32\n");
  EXPECT_EQ(warnings_of(plan, {1, 8, 0}, built_in_local_site()),
            "more cores than a node has (8), and limits.oversubscribe is not true: K=16 needs 16; "
            "K=32 needs 32\n");
  EXPECT_EQ(
      warnings_of("limits: {oversubscribe: true}\n" + plan, {1, 16, 0}, built_in_local_site()),
      "more cores than a node has (16), so these points are oversubscribed: K=32 needs 32\n");
}

TEST(Warnings, LeaveRanksThatSleepAlone) {
  EXPECT_EQ(warnings_of("study: d\nscale: [1, 2, 4, 8, 16, 32]\n"
                        "workloads: [{name: s, use: synthetic, parameters: {work: sleep}}]\n",
                        {1, 2, 0}, built_in_local_site()),
            "");
}

TEST(Warnings, SayWhichModelsAShortListCantCarry) {
  EXPECT_EQ(
      warnings_of("study: d\nscale: [1, 2, 4, 8]\nworkloads: [{name: s, use: synthetic}]\n"),
      "s, strong: 4 different K; fitting Amdahl's law takes 4, with one term of overhead 5, "
      "the full model 6\n"
      "s, weak: 4 different K; fitting a constant with one term of overhead takes 4, the full "
      "model 5\n");
}

TEST(Warnings, SayWhenSizesDoNotSuitTheirMode) {
  EXPECT_EQ(warnings_of(kSixK + "workloads: [{name: j, use: jacobi3d, size: {strong: \"64 * "
                                "ranks\", weak: 64}}]\n"),
            "j, weak: the size '64' does not grow with K; sizes are of the whole problem\n"
            "j, strong: the size '64 * ranks' changes with K; strong scaling holds the whole "
            "problem fixed\n");
}

TEST(Warnings, SayWhenBothModesRunTheSameCommand) {
  const std::string workload = "metrics: {time: {pattern: \"t=([0-9.]+)\"}}}]\n";
  EXPECT_EQ(warnings_of(kSixK + "workloads: [{name: a, command: [./app, \"{K}\"], " + workload),
            "a: strong and weak run the same command; use {size} or {mode} in it, or give one "
            "mode\n");
  EXPECT_EQ(warnings_of(kSixK + "workloads: [{name: a, command: [./app, \"{mode}\"], " + workload),
            "");
}

}  // namespace
}  // namespace kneepoint
