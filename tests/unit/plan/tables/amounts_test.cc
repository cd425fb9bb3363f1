// SPDX-License-Identifier: Apache-2.0
//
// flops, bytes and parallelism: from the catalog or the plan to the points.
#include "tests/unit/plan/plan_test_support.h"

namespace kneepoint {
namespace {

// One workload of the shipped catalog, on as many ranks as the site holds.
Study shipped(const std::string& workload, const std::string& scale) {
  const PlanRead read =
      read_plan("study: demo\nscale: " + scale + "\nworkloads: [" + workload + "]\n", "p.yaml",
                built_in_catalog());
  EXPECT_EQ(to_string(read.problems), "");
  Expanded expanded = expand(read.plan, simulated_site(), {16, 64, 0}, "bin");
  EXPECT_EQ(to_string(expanded.problems), "");
  return std::move(expanded.study);
}

TEST(Amounts, OfTheShippedWorkloadsAreThoseOfTheirKernels) {
  const Point jacobi = shipped("{name: j, use: jacobi3d, size: 10}", "[1]").points.at(0);
  EXPECT_EQ(jacobi.flops, 6 * 1000 * 20);
  EXPECT_EQ(jacobi.bytes, 16 * 1000 * 20);
  EXPECT_EQ(jacobi.parallelism, 1000);

  // 27 unknowns with 27 * 7 - 6 * 9 = 135 entries.
  const Point cg =
      shipped("{name: c, use: conjugate_gradient, size: 3, parameters: {steps: 2}}", "[1]")
          .points.at(0);
  EXPECT_EQ(cg.flops, 2 * (2 * 135 + 10 * 27) + 2 * 27);
  EXPECT_EQ(cg.bytes, 2 * (12 * 135 + 116 * 27) + 48 * 27);
  EXPECT_EQ(cg.parallelism, 27);

  // Two layers: products forward 2, of weights 2, of inputs 1.
  const Point training =
      shipped("{name: d, use: data_parallel, size: 12, parameters: {width: 8, layers: 2}}", "[1]")
          .points.at(0);
  EXPECT_EQ(training.flops, 5 * 2 * 12 * 8 * 8);
  EXPECT_EQ(training.bytes, 4 * (12 * 8 * 22 + 8 * 8 * 11));
  EXPECT_EQ(training.parallelism, 12);

  const Point tensor = shipped("{name: t, use: tensor_parallel, size: 8}", "[1]").points.at(0);
  EXPECT_EQ(tensor.flops, 2 * 2 * (4 * 8 * 8) * 4 * 8);
  EXPECT_EQ(tensor.bytes, 2 * 4 * (4 * 8 * 8) * 4 * 8);
  EXPECT_EQ(tensor.parallelism, 32);

  const Point circle = shipped("{name: m, use: monte_carlo, size: 7}", "[1]").points.at(0);
  EXPECT_EQ(circle.flops, 0);
  EXPECT_EQ(circle.parallelism, 4);

  for (const char* unknown : {"allreduce", "synthetic"}) {
    const Point point = shipped("{name: u, use: " + std::string(unknown) + "}", "[1]").points.at(0);
    EXPECT_EQ(point.flops, 0) << unknown;
    EXPECT_EQ(point.bytes, 0) << unknown;
    EXPECT_EQ(point.parallelism, 0) << unknown;
  }
}

TEST(Amounts, StayTheSameInStrongModeAndGrowWithKInWeakMode) {
  const Study study =
      shipped("{name: j, use: jacobi3d, size: {strong: 96, weak: 96 * K^(1/3)}}", "[1, 8, 27]");
  for (const Point& point : study.points) {
    const double factor = point.mode == Mode::strong ? 1 : point.k;
    EXPECT_DOUBLE_EQ(point.flops, factor * study.points.at(0).flops) << point.key();
    EXPECT_DOUBLE_EQ(point.bytes, factor * study.points.at(0).bytes) << point.key();
  }
}

TEST(Amounts, ParallelismCountsWorkersWhateverTheirRanks) {
  const Point node = study_of(
                         "study: demo\nworker: node\nscale: [2]\nshape: {ranks_per_node: 8}\n"
                         "workloads: [{name: j, use: jacobi3d, size: 64, parallelism: size}]\n")
                         .points.at(0);
  EXPECT_EQ(node.shape.ranks, 16);
  EXPECT_EQ(node.parallelism, 8);
}

TEST(Amounts, OfACommandAreOfTheWholeRun) {
  const std::string text =
      "study: demo\nscale: [1, 2]\nmodes: strong\niterations: {count: 4}\n"
      "workloads:\n"
      "  - name: app\n"
      "    command: [./app, --n, \"{size}\"]\n"
      "    size: 100\n"
      "    metrics: {time: {pattern: \"t=([0-9.]+)\"}}\n"
      "    flops: 2 * size^3\n"
      "    bytes: 24 * size^2 * ranks\n";
  const Study study = study_of(text);
  EXPECT_EQ(study.points.at(0).flops * study.points.at(0).iterations, 2e6);
  EXPECT_EQ(study.points.at(1).bytes * study.points.at(1).iterations, 24 * 1e4 * 2);
  EXPECT_EQ(study.points.at(0).parallelism, 0);
}

TEST(Amounts, MustBeAboveZero) {
  const Expanded expanded = expand(plan_of("study: demo\nscale: [1, 2]\nmodes: strong\n"
                                           "workloads: [{name: j, use: jacobi3d, flops: 1 - K}]\n"),
                                   simulated_site(), {16, 64, 0}, "bin");
  EXPECT_EQ(to_string(expanded.problems),
            "p.yaml: workloads[0].flops: at K=1: the formula gives 0; expected a number above 0\n");
}

TEST(Amounts, DoNotMakeAnotherSeries) {
  const std::string plain = "study: demo\nscale: [1, 2]\nworkloads: [{name: j, use: jacobi3d}]\n";
  const std::string stated =
      "study: demo\nscale: [1, 2]\nworkloads: [{name: j, use: jacobi3d, flops: 7 * size}]\n";
  EXPECT_EQ(study_of(plain).hash8, study_of(stated).hash8);
}

}  // namespace
}  // namespace kneepoint
