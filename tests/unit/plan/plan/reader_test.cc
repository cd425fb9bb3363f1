// SPDX-License-Identifier: Apache-2.0
//
// What good plans and sites come to. Broken ones: golden_test.cc.
#include "tests/unit/plan/plan_test_support.h"

namespace kneepoint {
namespace {

const char kSmallest[] = "study: demo\nscale: [1, 2]\nworkloads: [{name: j, use: jacobi3d}]\n";

TEST(PlanReader, FillsInTheDefaults) {
  const Plan plan = plan_of(kSmallest);
  const Plan defaults;
  EXPECT_EQ(plan.study, "demo");
  EXPECT_EQ(plan.worker, WorkerUnit::rank);
  EXPECT_EQ(plan.modes, defaults.modes);
  EXPECT_EQ(plan.repeat.min, 5);
  EXPECT_EQ(plan.repeat.max, 5);
  EXPECT_EQ(plan.iterations.warmup, 1);
  EXPECT_EQ(plan.iterations.count, 5);
  EXPECT_EQ(plan.limits.timeout, 20 * kMinute);
  EXPECT_EQ(plan.limits.retries, 1);
  EXPECT_EQ(plan.knee.floor, 0.7);
  EXPECT_EQ(plan.seed, 1u);
  EXPECT_EQ(plan.text, kSmallest);
  EXPECT_EQ(plan.path, "p.yaml");
  const WorkloadSpec& workload = plan.workloads.at(0);
  EXPECT_TRUE(workload.mpi);
  EXPECT_EQ(workload.size_strong.formula, "128");
  EXPECT_EQ(workload.size_weak.formula, "64 * K^(1/3)");
  EXPECT_EQ(workload.model_strong, "size^3 * 1e-6 / ranks");
  EXPECT_EQ(workload.build, "default");
}

TEST(PlanReader, ReadsEveryKeyOfTheLanguage) {
  const Plan plan = plan_of(R"yaml(
study: jacobi-nightly
worker: node
scale: {from: 2, to: 64, by: doubling}
shape: {ranks_per_node: [8, 16], threads_per_rank: 2, gpus_per_node: 4, bind: socket}
modes: [weak]
environment: {OMP_PLACES: cores}
workloads:
  - name: app
    build: candidate
    command: [./my_app, --n, "{size}", "--order={order}"]
    mpi: false
    size: {strong: 512, weak: "order * K^(1/3)", round: down, multiple_of: 8}
    parameters: {order: [2, 4], layout: tiled}
    exclude: [{order: 4, layout: tiled}]
    environment: {RANKS: "{ranks}"}
    metrics:
      time: {pattern: "t=([0-9.]+)", unit: ms, from: stderr}
      rate: {pattern: "r=([0-9.]+)", unit: cells/s}
    result: {name: solve, count: "2 * K"}
    scale: {from: 1, to: site, step: 3}
    model: {weak: "size * 1e-3 / K"}
iterations: {warmup: 2, min_time: 2s}
repeat: {min: 5, max: 20, until: {efficiency_ci: 2%}}
search: grid
seed: 42
limits: {concurrent: 8, nodes: 32, budget: {node_hours: 40, amount: 200, currency: USD},
         timeout: 20m, queue_wait: 6h, retries: 2, oversubscribe: true}
knee: {rule: power, floor: 80%}
gate: {min_effect: 4%, alpha: 0.02, confirm_effect: 1%, max_regression: 6%,
       curve_alpha: 1%, curve_effect: 1.5%, drift: 8%, knee_shift: 0.5}
)yaml");
  EXPECT_EQ(plan.gate.min_effect, 0.04);
  EXPECT_EQ(plan.gate.alpha, 0.02);
  EXPECT_EQ(plan.gate.confirm_effect, 0.01);
  EXPECT_EQ(plan.gate.max_regression, 0.06);
  EXPECT_EQ(plan.gate.curve_alpha, 0.01);
  EXPECT_EQ(plan.gate.curve_effect, 0.015);
  EXPECT_EQ(plan.gate.drift, 0.08);
  EXPECT_EQ(plan.gate.knee_shift, 0.5);
  EXPECT_EQ(plan.gate.knee_floor, 0.8) << "the knee's own";
  EXPECT_EQ(plan.worker, WorkerUnit::node);
  EXPECT_EQ(plan.scale.by, Scale::By::doubling);
  EXPECT_EQ(plan.scale.from, 2);
  EXPECT_EQ(plan.shape.ranks_per_node, (std::vector<int>{8, 16}));
  EXPECT_EQ(plan.shape.threads_per_rank, std::vector<int>{2});
  EXPECT_EQ(plan.shape.bind, Bind::socket);
  EXPECT_EQ(plan.modes, std::vector<Mode>{Mode::weak});
  EXPECT_EQ(plan.environment.at(0).value, "cores");
  const WorkloadSpec& app = plan.workloads.at(0);
  EXPECT_EQ(app.command,
            (std::vector<std::string>{"./my_app", "--n", "{size}", "--order={order}"}));
  EXPECT_FALSE(app.mpi);
  EXPECT_EQ(app.size_weak.rounding, Rounding::down);
  EXPECT_EQ(app.size_weak.multiple_of, 8);
  EXPECT_EQ(app.parameters.at(0).values, (std::vector<std::string>{"2", "4"}));
  EXPECT_EQ(app.exclude.at(0).size(), 2u);
  EXPECT_EQ(app.metrics.at(0).unit, "ms");
  EXPECT_EQ(app.metrics.at(0).from, "stderr");
  EXPECT_EQ(app.metrics.at(1).unit, "cells/s");
  EXPECT_EQ(app.result.count, "2 * K");
  EXPECT_TRUE(app.scale->to_site);
  EXPECT_EQ(app.scale->step, 3);
  EXPECT_EQ(app.build, "candidate");
  EXPECT_EQ(plan.iterations.min_time, 2 * kSecond);
  EXPECT_EQ(plan.repeat.max, 20);
  EXPECT_DOUBLE_EQ(plan.repeat.until_efficiency_ci, 0.02);
  EXPECT_EQ(plan.seed, 42u);
  EXPECT_EQ(plan.limits.concurrent, 8);
  EXPECT_EQ(plan.limits.nodes, 32);
  EXPECT_EQ(plan.limits.node_hours, 40);
  EXPECT_EQ(plan.limits.amount_micros, 200'000'000);
  EXPECT_EQ(plan.limits.currency, "USD");
  EXPECT_FALSE(plan.search.adaptive);
  EXPECT_EQ(plan.limits.queue_wait, 6 * kHour);
  EXPECT_TRUE(plan.limits.oversubscribe);
  EXPECT_EQ(plan.knee.rule, "power");
  EXPECT_DOUBLE_EQ(plan.knee.floor, 0.8);
}

TEST(PlanReader, TakesANumberForRepeatAndForSize) {
  const Plan plan =
      plan_of("study: d\nscale: [1]\nrepeat: 3\nworkloads: [{name: j, use: jacobi3d, size: 32}]\n");
  EXPECT_EQ(plan.repeat.min, 3);
  EXPECT_EQ(plan.repeat.max, 3);
  EXPECT_EQ(plan.workloads[0].size_strong.formula, "32");
  EXPECT_EQ(plan.workloads[0].size_weak.formula, "32");
}

TEST(PlanReader, TakesByAsANumber) {
  const Plan plan =
      plan_of("study: d\nscale: {from: 4, to: 16, by: 4}\nworkloads: [{name: j, use: jacobi3d}]\n");
  EXPECT_EQ(plan.scale.by, Scale::By::step);
  EXPECT_EQ(plan.scale.step, 4);
}

TEST(PlanReader, LetsRepeatUntilChooseItsEnds) {
  const auto repeat_of = [](const std::string& text) {
    return plan_of("repeat: " + text + "\n" + kSmallest).repeat;
  };
  EXPECT_EQ(repeat_of("{until: {efficiency_ci: 1%}}").max, 20);
  EXPECT_EQ(repeat_of("{until: {efficiency_ci: 1%}}").min, 5);
  EXPECT_EQ(repeat_of("{max: 3, until: {efficiency_ci: 1%}}").min, 3);
  EXPECT_EQ(repeat_of("{min: 7}").max, 7);
}

TEST(PlanReader, RefusesABudgetOfNothingRatherThanReadItAsNone) {
  EXPECT_NE(problems_of("limits: {budget: {node_hours: 0}}\n" + std::string(kSmallest))
                .find("1:31: limits.budget.node_hours: expected a number from"),
            std::string::npos);
}

TEST(PlanReader, ReadsMoneyToTheMillionthAndRefusesNone) {
  const Plan plan =
      plan_of("limits: {budget: {amount: 0.100001, currency: SU}}\n" + std::string(kSmallest));
  EXPECT_EQ(plan.limits.amount_micros, 100'001);
  for (const std::string bad : {"0", "-5", "much", "0.0000001", "2000000"}) {
    EXPECT_NE(problems_of("limits: {budget: {amount: " + bad + ", currency: USD}}\n" + kSmallest)
                  .find("limits.budget.amount: expected an amount above 0 such as 200 or 12.50"),
              std::string::npos)
        << bad;
  }
  EXPECT_NE(problems_of("limits: {budget: {amount: 5, currency: usd}}\n" + std::string(kSmallest))
                .find("limits.budget.currency: expected a code of capitals"),
            std::string::npos);
}

TEST(PlanReader, ReadsAnAdaptiveSearch) {
  const Plan plan = plan_of("repeat: 8\nsearch: {knee: adaptive, within: 5%, first: 3}\n" +
                            std::string(kSmallest));
  EXPECT_TRUE(plan.search.adaptive);
  EXPECT_DOUBLE_EQ(plan.search.within, 0.05);
  EXPECT_EQ(plan.search.first, 3);
  EXPECT_EQ(plan.repeat.max, 8);
}

TEST(PlanReader, ASearchForTheRecommendationHasAnObjectiveAndAMarginOfItsOwn) {
  const Plan plan = plan_of(
      "repeat: 8\nsearch: {recommendation: adaptive, objective: time}\nknee: {rule: "
      "kneedle}\n" +
      std::string(kSmallest));
  EXPECT_TRUE(plan.search.adaptive);
  EXPECT_EQ(plan.search.target, SearchSpec::Target::recommendation);
  EXPECT_EQ(plan.search.objective, SearchSpec::Objective::time);
  EXPECT_DOUBLE_EQ(plan.search.within, 0.05);
}

TEST(PlanReader, RefusesWhatAnAdaptiveSearchCanNotDo) {
  const auto said = [](const std::string& text) { return problems_of(text + "\n" + kSmallest); };
  const auto says = [&](const std::string& text, const std::string& what) {
    EXPECT_NE(said(text).find(what), std::string::npos) << said(text);
  };
  says("search: {within: 5%}", "search.knee: missing; expected knee: adaptive or ");
  says("search: {knee: adaptive, recommendation: adaptive}",
       "search.recommendation: a search is for the knee or for the recommendation");
  says("search: {knee: adaptive, objective: cost}",
       "search.objective: goes with recommendation: adaptive");
  says("search: {recommendation: adaptive, objective: profit}", "search.objective: expected");
  says("search: {knee: adaptive, first: 1}", "search.first: expected");
  says("search: {knee: adaptive}\nrepeat: 1",
       "repeat: an adaptive search begins with 2 runs at a K, and repeat allows 1");
  says("search: {knee: adaptive}\nrepeat: {until: {efficiency_ci: 2%}}",
       "repeat.until: an adaptive search decides itself how often");
  says("search: {knee: adaptive}\nknee: {rule: power}",
       "knee.rule: an adaptive search looks for the knee by efficiency, found 'power'");
  says("search: adaptive", "search: expected");
}

TEST(PlanReader, AllowsOneNamePerBuild) {
  EXPECT_EQ(problems_of("study: d\nscale: [1]\nworkloads:\n"
                        "  - {name: j, use: jacobi3d, build: old}\n"
                        "  - {name: j, use: jacobi3d, build: new}\n"),
            "");
}

TEST(PlanReader, KeepsTheExactTextOfParameters) {
  const Plan plan = plan_of(
      "study: d\nscale: [1]\nworkloads: [{name: s, use: synthetic, parameters: {s: 0.050, work: "
      "\"yes\"}}]\n");
  EXPECT_EQ(plan.workloads[0].parameters[0].values[0], "0.050");
  EXPECT_EQ(plan.workloads[0].parameters[1].values[0], "yes");
}

TEST(PlanReader, RemembersWhereValuesCameFrom) {
  const PlanRead read = read_plan(kSmallest, "p.yaml", test_catalog());
  std::vector<std::string> keys;
  for (const Origin& one : read.origins) keys.push_back(one.key);
  EXPECT_EQ(keys,
            (std::vector<std::string>{"study", "scale", "scale[0]", "scale[1]", "workloads",
                                      "workloads[0]", "workloads[0].name", "workloads[0].use"}));
}

TEST(PlanReader, AcceptsAnchorsForWholeValues) {
  const Plan plan =
      plan_of("study: d\nscale: &ks [1, 2]\nworkloads: [{name: j, use: jacobi3d, scale: *ks}]\n");
  EXPECT_EQ(plan.workloads[0].scale->list, (std::vector<int>{1, 2}));
}

TEST(SiteReader, ReadsEveryKey) {
  const SiteRead read = read_site(R"yaml(
name: big
backend: simulated
work_dir: /shared/runs
programs: /opt/kneepoint/bin
agent: /opt/kneepoint/bin/kneepoint-agent
starter: {kind: mpirun, options: [--mca, btl, self]}
environment: {UCX_TLS: all}
simulated: {nodes: 128, cores_per_node: 32, gpus_per_node: 4, noise: 2%, failure_rate: 0.01,
            queue_wait: 5m, seed: 9, default_time: 500ms}
limits: {nodes: 64, concurrent: 4, cores: 16, node_hours: 100}
)yaml",
                                  "s.yaml");
  EXPECT_EQ(to_string(read.problems), "");
  EXPECT_EQ(read.site.name, "big");
  EXPECT_EQ(read.site.backend, BackendKind::simulated);
  EXPECT_EQ(read.site.work_dir, "/shared/runs");
  EXPECT_EQ(read.site.starter_options.size(), 3u);
  EXPECT_EQ(read.site.environment.at(0).first, "UCX_TLS");
  EXPECT_EQ(read.site.simulated.nodes, 128);
  EXPECT_DOUBLE_EQ(read.site.simulated.noise, 0.02);
  EXPECT_DOUBLE_EQ(read.site.simulated.queue_wait_seconds, 300);
  EXPECT_DOUBLE_EQ(read.site.simulated.default_seconds, 0.5);
  EXPECT_EQ(read.site.simulated.seed, 9u);
  EXPECT_EQ(read.site.limits.cores, 16);
  EXPECT_FALSE(read.origins.empty());
}

TEST(SiteReader, TakesNodesAtTheTopLevelAndItsNameFromTheFile) {
  const SiteRead read = read_site("backend: simulated\nnodes: 4096\n", "plans/sites/lab.yaml");
  EXPECT_EQ(to_string(read.problems), "");
  EXPECT_EQ(read.site.simulated.nodes, 4096);
  EXPECT_EQ(read.site.name, "lab");
}

TEST(SiteReader, HasALocalSiteWhenNoneIsGiven) {
  const Site site = built_in_local_site();
  EXPECT_EQ(site.name, "local");
  EXPECT_EQ(site.backend, BackendKind::local);
  EXPECT_EQ(site.starter, StarterKind::mpirun);
}

TEST(Catalog, BuiltInOneIsWellFormedAndNamesItsPrograms) {
  ASSERT_FALSE(built_in_catalog().empty());
  for (const CatalogEntry& entry : built_in_catalog()) {
    EXPECT_EQ(entry.program, "kp-" + entry.name);
    EXPECT_FALSE(entry.summary.empty()) << entry.name;
    EXPECT_FALSE(entry.held_fixed_strong.empty()) << entry.name;
    EXPECT_FALSE(entry.held_fixed_weak.empty()) << entry.name;
  }
}

TEST(Catalog, TakesEmptySizesForAWorkloadWithoutOne) {
  const CatalogRead read = read_catalog(
      "workloads:\n  - {name: a, program: kp-a, summary: x, size: {meaning: none, strong: \"\", "
      "weak: \"\"}}\n",
      "c.yaml");
  EXPECT_EQ(to_string(read.problems), "");
  const PlanRead plan =
      read_plan("study: d\nscale: [1]\nworkloads: [{name: w, use: a}]\n", "p.yaml", read.entries);
  EXPECT_EQ(to_string(plan.problems), "");
}

TEST(Catalog, ReportsItsProblemsLikeAnyFile) {
  const CatalogRead read = read_catalog(
      "workloads:\n  - name: a\n    program: kp-a\n    sumary: x\n    emulated_when: [work]\n",
      "c.yaml");
  EXPECT_EQ(to_string(read.problems),
            "c.yaml:2:5: workloads[0].summary: missing\n"
            "c.yaml:4:5: workloads[0].sumary: unknown key; did you mean 'summary'?\n"
            "c.yaml:5:21: workloads[0].emulated_when[0]: expected PARAMETER=VALUE, found 'work'\n");
}

TEST(Knee, EveryRuleIsTaken) {
  const std::string base = "study: demo\nscale: [1, 2]\nworkloads: [{name: j, use: jacobi3d}]\n";
  for (const char* rule : {"efficiency", "power", "marginal", "min_time", "usl_peak", "kneedle"}) {
    EXPECT_EQ(plan_of(base + "knee: {rule: " + rule + "}\n").knee.rule, rule);
  }
  EXPECT_NE(problems_of(base + "knee: {rule: elbow}\n"), "");
}

}  // namespace
}  // namespace kneepoint
