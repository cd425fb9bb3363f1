// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/plan/plan/matrix.h"

#include <algorithm>
#include <map>
#include <set>

#include "orchestrator/plan/plan/case_formulas.h"
#include "tests/unit/plan/plan_test_support.h"

namespace kneepoint {
namespace {

std::string with(const std::string& lines) {
  return "study: demo\nworkloads: [{name: j, use: jacobi3d}]\n" + lines;
}

std::vector<int> ks_of(const Study& study, Mode mode = Mode::strong) {
  std::vector<int> ks;
  for (const Point& point : study.points) {
    if (point.mode == mode) ks.push_back(point.k);
  }
  return ks;
}

TEST(Scale, ComesAsAListARangeOrDoublings) {
  EXPECT_EQ(ks_of(study_of(with("scale: [1, 3, 9]\n"))), (std::vector<int>{1, 3, 9}));
  EXPECT_EQ(ks_of(study_of(with("scale: {from: 2, to: 9, step: 3}\n"))),
            (std::vector<int>{2, 5, 8}));
  EXPECT_EQ(ks_of(study_of(with("scale: {from: 1, to: 12, by: doubling}\n"))),
            (std::vector<int>{1, 2, 4, 8}));
  EXPECT_EQ(ks_of(study_of(with("scale: {from: 3, to: 12, by: doubling}\n"))),
            (std::vector<int>{3, 6, 12}));
}

TEST(Scale, GoesUpToWhatTheSiteHolds) {
  const std::string to_site = "scale: {from: 1, to: site, by: doubling}\n";
  EXPECT_EQ(ks_of(study_of(with(to_site), built_in_local_site(), {1, 4, 0})),
            (std::vector<int>{1, 2, 4}));
  EXPECT_EQ(ks_of(study_of(with(to_site + "worker: node\n"), simulated_site(), {8, 64, 0})),
            (std::vector<int>{1, 2, 4, 8}));
  EXPECT_EQ(ks_of(study_of(with(to_site + "shape: {threads_per_rank: 16}\n"), simulated_site(),
                           {2, 64, 0})),
            (std::vector<int>{1, 2, 4, 8}));
  Site limited = built_in_local_site();
  limited.limits.cores = 2;
  EXPECT_EQ(ks_of(study_of(with(to_site), limited, {1, 8, 0})), (std::vector<int>{1, 2}));
}

TEST(Scale, AsksForANumberWhenTheSiteIsSilent) {
  const Expanded expanded = expand(plan_of(with("scale: {from: 1, to: site, by: doubling}\n")),
                                   simulated_site(), {0, 0, 0}, "bin");
  EXPECT_EQ(to_string(expanded.problems),
            "p.yaml: scale.to: the site does not say how many workers it holds; give a number\n");
}

Shape shape_at(const std::string& lines, const Site& site = simulated_site(),
               const SiteCapacity& capacity = {16, 64, 4}) {
  return study_of(with(lines), site, capacity).points.at(0).shape;
}

TEST(Shapes, FollowTheWorkerUnit) {
  Shape shape = shape_at("scale: [4]\nworker: node\nshape: {ranks_per_node: 8}\n");
  EXPECT_EQ(to_string(shape), "4n x 8r x 1t");
  EXPECT_EQ(shape.ranks, 32);
  shape = shape_at("scale: [10]\nshape: {ranks_per_node: 4}\n");
  EXPECT_EQ(to_string(shape), "3n x 4r x 1t");
  EXPECT_EQ(shape.ranks, 10);
  EXPECT_EQ(to_string(shape_at("scale: [3]\nshape: {ranks_per_node: 4}\n")), "1n x 3r x 1t");
  EXPECT_EQ(to_string(shape_at("scale: [128]\nshape: {threads_per_rank: 2}\n")), "4n x 32r x 2t");
  EXPECT_EQ(to_string(shape_at("scale: [6]\nworker: gpu\n")), "2n x 4r x 1t x 4g");
}

TEST(Shapes, StayOnOneNodeWhereNothingElseIsKnown) {
  EXPECT_EQ(to_string(shape_at("scale: [128]\n", simulated_site(), {0, 0, 0})), "1n x 128r x 1t");
  EXPECT_EQ(to_string(shape_at("scale: [8]\nshape: {ranks_per_node: 2}\n", built_in_local_site(),
                               {1, 2, 0})),
            "1n x 8r x 1t");
}

TEST(Shapes, RefuseSeveralNodesOnOneMachine) {
  const Expanded expanded = expand(plan_of(with("scale: [1, 2]\nworker: node\n")),
                                   built_in_local_site(), {1, 2, 0}, "bin");
  EXPECT_EQ(to_string(expanded.problems),
            "p.yaml: worker: K=2 asks for that many nodes, but the site is one machine; use "
            "worker: rank\n");
}

TEST(Shapes, MultiplyAndAppearOnceWhereTheyAreTheSame) {
  const Study study = study_of(
      with("scale: [1, 8]\nmodes: [strong]\nshape: {ranks_per_node: [2, 4], threads_per_rank: [1, "
           "2]}\n"));
  std::set<std::string> keys;
  for (const Point& point : study.points) keys.insert(point.key());
  EXPECT_EQ(keys.size(), study.points.size());
  EXPECT_EQ(keys, (std::set<std::string>{
                      "default/j/strong/K=1/1n x 1r x 1t", "default/j/strong/K=1/1n x 1r x 2t",
                      "default/j/strong/K=8/2n x 4r x 1t", "default/j/strong/K=8/2n x 4r x 2t",
                      "default/j/strong/K=8/4n x 2r x 1t", "default/j/strong/K=8/4n x 2r x 2t"}));
}

TEST(Sizes, AreRoundedAsThePlanSays) {
  EXPECT_EQ(rounded_size(100.5, {"", Rounding::nearest, 1}), 101);
  EXPECT_EQ(rounded_size(100.4, {"", Rounding::nearest, 1}), 100);
  EXPECT_EQ(rounded_size(100.9, {"", Rounding::down, 1}), 100);
  EXPECT_EQ(rounded_size(100.1, {"", Rounding::up, 1}), 101);
  EXPECT_EQ(rounded_size(100.1, {"", Rounding::none, 1}), 100.1);
  EXPECT_EQ(rounded_size(100, {"", Rounding::nearest, 8}), 104);
  EXPECT_EQ(rounded_size(100, {"", Rounding::down, 8}), 96);
  EXPECT_EQ(rounded_size(97, {"", Rounding::up, 8}), 104);
}

TEST(Sizes, AreNotMovedByTheLastBit) {
  EXPECT_EQ(rounded_size(511.9999999999, {"", Rounding::down, 1}), 512);
  EXPECT_EQ(rounded_size(512.0000000001, {"", Rounding::up, 8}), 512);
}

TEST(Sizes, DifferBetweenModes) {
  const Study study = study_of(
      "study: d\nscale: [1, 8]\nworkloads:\n  - {name: j, use: jacobi3d, size: {strong: 512, weak: "
      "\"256 * K^(1/3)\"}}\n");
  ASSERT_EQ(study.points.size(), 4u);
  EXPECT_EQ(study.points[0].size, 512);
  EXPECT_EQ(study.points[1].size, 512);
  EXPECT_EQ(study.points[2].size, 256);
  EXPECT_EQ(study.points[3].size, 512);
  EXPECT_EQ(study.points[1].held_fixed, "a grid of 512^3 cells");
  EXPECT_EQ(study.points[3].held_fixed, "cells per worker (edge 256 * K^(1/3))");
}

TEST(Cases, AreTheProductOfTheListsWithoutTheExcluded) {
  const Study study = study_of(R"yaml(
study: demo
scale: [1]
modes: [strong]
workloads:
  - name: j
    use: jacobi3d
    parameters: {order: [2, 4], layout: [blocked, tiled]}
    exclude: [{order: 4, layout: tiled}]
)yaml");
  std::vector<std::string> names;
  for (const Point& point : study.points) names.push_back(point.case_name);
  EXPECT_EQ(names, (std::vector<std::string>{"j[order=2,layout=blocked]", "j[order=2,layout=tiled]",
                                             "j[order=4,layout=blocked]"}));
}

TEST(Cases, ReachFormulasAsNumbers) {
  const Study study = study_of(R"yaml(
study: demo
scale: [2]
modes: [strong]
workloads:
  - {name: j, use: jacobi3d, size: "order * K * 10", parameters: {order: [2, 4]}}
)yaml");
  EXPECT_EQ(study.points.at(0).size, 40);
  EXPECT_EQ(study.points.at(1).size, 80);
}

TEST(Commands, OfOurOwnWorkloadsFollowTheirCommandLine) {
  const Study study = study_of(with("scale: [4]\nseed: 7\niterations: {warmup: 2, count: 3}\n"));
  EXPECT_EQ(study.points.at(0).command.argv,
            (std::vector<std::string>{"bin/kp-jacobi3d", "--size", "128", "--mode", "strong",
                                      "--workers", "4", "--warmup", "2", "--iterations", "3",
                                      "--seed", "7", "--order", "2", "--layout", "blocked"}));
  EXPECT_TRUE(study.points[0].own_harness);
  EXPECT_EQ(study.points[0].iterations, 3);
  EXPECT_EQ(study.points[0].work_unit, "cells");
}

TEST(Commands, TakeAMinimumTimeInsteadOfACount) {
  const Study study = study_of(with("scale: [1]\niterations: {min_time: 2500ms}\n"));
  const std::vector<std::string>& argv = study.points.at(0).command.argv;
  const auto flag = std::find(argv.begin(), argv.end(), "--min-time");
  ASSERT_NE(flag, argv.end());
  EXPECT_EQ(*(flag + 1), "2.5");
  EXPECT_EQ(std::find(argv.begin(), argv.end(), "--iterations"), argv.end());
  EXPECT_EQ(study.points[0].iterations, 1);
}

TEST(Commands, OfTheUserAreFilledInArgumentByArgument) {
  const Study study = study_of(R"yaml(
study: demo
scale: [4]
seed: 3
shape: {threads_per_rank: 2}
environment: {SHARED: plan, ONLY: plan}
workloads:
  - name: app
    command: [./app, "-n {size}; rm -rf /", "{K}/{ranks}/{nodes}/{threads}", "{mode}", "{tile}", "{{K}}"]
    size: {strong: 100, weak: "100 * K"}
    parameters: {tile: "$(x) `y`"}
    environment: {SHARED: "workload {K}"}
    metrics: {time: {pattern: "t=([0-9.]+)"}}
)yaml");
  ASSERT_EQ(study.points.size(), 2u);
  const Point& weak = study.points[1];
  EXPECT_EQ(weak.command.argv, (std::vector<std::string>{"./app", "-n 400; rm -rf /", "4/4/1/2",
                                                         "weak", "$(x) `y`", "{K}"}));
  std::map<std::string, std::string> environment;
  for (const auto& one : weak.command.environment) environment[one.name] = one.value;
  EXPECT_EQ(environment,
            (std::map<std::string, std::string>{
                {"OMP_NUM_THREADS", "2"}, {"SHARED", "workload 4"}, {"ONLY", "plan"}}));
  EXPECT_FALSE(weak.own_harness);
  EXPECT_EQ(weak.held_fixed, "problem per worker; size = 100 * K");
  EXPECT_EQ(study.points[0].held_fixed, "size = 100 (total problem)");
}

TEST(Commands, CarryTheSitesEnvironmentBelowThePlans) {
  Site site = simulated_site();
  site.environment = {{"A", "site"}, {"B", "site"}};
  const Study study = study_of(with("scale: [1]\nenvironment: {B: plan}\n"), site, {16, 64, 0});
  std::map<std::string, std::string> environment;
  for (const auto& one : study.points.at(0).command.environment) environment[one.name] = one.value;
  EXPECT_EQ(environment.at("A"), "site");
  EXPECT_EQ(environment.at("B"), "plan");
}

TEST(Points, CarryModelsResultsAndWhetherTheySleep) {
  const Study study = study_of(R"yaml(
study: demo
scale: [1, 8]
modes: [strong]
iterations: {count: 3}
workloads:
  - {name: s, use: synthetic, parameters: {work: [busy, sleep]}, result: {name: step, count: "10 * K"}}
)yaml");
  ASSERT_EQ(study.points.size(), 4u);
  EXPECT_DOUBLE_EQ(study.points[0].modelled_seconds, 3);  // of the run: three iterations
  EXPECT_DOUBLE_EQ(study.points[1].modelled_seconds, 3 * (0.05 + 0.95 / 8 + 0.03));
  EXPECT_DOUBLE_EQ(study.points[1].results, 80);
  EXPECT_EQ(study.points[1].result_name, "step");
  EXPECT_FALSE(study.points[0].emulated);
  EXPECT_TRUE(study.points[2].emulated);
  EXPECT_FALSE(study.points[0].has_size);
}

TEST(Points, MayHaveAScalePerWorkload) {
  const Study study = study_of(
      "study: d\nmodes: [strong]\nscale: [1]\nworkloads:\n  - {name: a, use: synthetic}\n"
      "  - {name: b, use: synthetic, scale: [2, 3]}\n");
  EXPECT_EQ(ks_of(study), (std::vector<int>{1, 2, 3}));
}

TEST(Interleave, PutsEveryPointOnceInEveryBlock) {
  std::vector<int> points;
  for (int i = 0; i < 20; ++i) points.push_back(i);
  const std::vector<kneepoint::Run> runs = interleave(points, 0, 5, 1);
  ASSERT_EQ(runs.size(), 100u);
  std::set<std::vector<int>> orders;
  for (int block = 0; block < 5; ++block) {
    std::vector<int> order;
    for (int i = 0; i < 20; ++i) {
      EXPECT_EQ(runs[block * 20 + i].repeat, block);
      order.push_back(runs[block * 20 + i].point);
    }
    orders.insert(order);
    std::sort(order.begin(), order.end());
    EXPECT_EQ(order, points);
  }
  EXPECT_EQ(orders.size(), 5u) << "blocks are shuffled differently";
}

TEST(Interleave, GivesLaterBlocksTheSameOrderWhateverCameBefore) {
  const std::vector<int> points = {0, 1, 2, 3, 4, 5, 6};
  const auto order = [](const std::vector<kneepoint::Run>& runs) {
    std::vector<std::pair<int, int>> pairs;
    for (const kneepoint::Run& run : runs) pairs.emplace_back(run.point, run.repeat);
    return pairs;
  };
  auto joined = order(interleave(points, 0, 3, 9));
  const auto rest = order(interleave(points, 3, 5, 9));
  joined.insert(joined.end(), rest.begin(), rest.end());
  EXPECT_EQ(joined, order(interleave(points, 0, 5, 9)));
  EXPECT_NE(joined, order(interleave(points, 0, 5, 10))) << "the seed matters";
}

TEST(Interleave, IsTheSameOnEveryMachine) {
  std::string text;
  for (const kneepoint::Run& run : interleave({0, 1, 2, 3, 4, 5, 6, 7}, 0, 2, 1)) {
    text += std::to_string(run.point);
  }
  EXPECT_EQ(text, "3216507470635214");
}

TEST(FirstRound, HoldsEveryPointTimesTheLeastRepeats) {
  const Study study =
      study_of(with("scale: [1, 2]\nrepeat: {min: 3, max: 9, until: {efficiency_ci: 1%}}\n"));
  EXPECT_EQ(first_round(study).size(), 4u * 3u);
}

}  // namespace
}  // namespace kneepoint
