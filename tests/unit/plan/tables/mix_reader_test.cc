// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/plan/readers.h"

#include <gtest/gtest.h>

#include "tests/unit/plan/plan_test_support.h"

namespace kneepoint {
namespace {

std::string mix_problems_of(const std::string& text) {
  return to_string(read_mix(text, "m.yaml").problems);
}

const std::string kHead = "mix: m\nworker: node\nworkers: 8\nworkloads:\n";

TEST(MixReader, TheShippedMixIsRead) {
  const std::string path = "plans/mixes/vendor.yaml";
  const MixRead read = read_mix(read_whole(KP_SOURCE_DIR "/" + path), path);
  EXPECT_EQ(to_string(read.problems), "");
  const Mix& mix = read.mix;
  EXPECT_EQ(mix.workers, 256);
  EXPECT_EQ(mix.workers_per_node, 8);
  ASSERT_EQ(mix.workloads.size(), 2u);
  EXPECT_EQ(mix.workloads[0].mode, Mode::strong);
  EXPECT_EQ(mix.workloads[1].mode, Mode::weak);
  EXPECT_EQ(mix.workloads[1].result_workers, 256);
  EXPECT_NEAR(mix.workloads[0].per_hour, 3.0 / 24, 1e-12);
  EXPECT_EQ(mix.workloads[0].in_time, 0.9);
  EXPECT_EQ(mix.workloads[1].in_time, 0.9);
  EXPECT_TRUE(mix.workloads[1].periodic);
  EXPECT_EQ(mix.workloads[0].deadline_seconds, 3 * 3600);
  EXPECT_EQ(mix.workloads[0].times.front().k, 8);
  EXPECT_EQ(mix.what_if.size(), 3u);
  EXPECT_FALSE(mix.held);
}

TEST(MixReader, EveryProblemIsSaidAtOnceWithItsPlace) {
  EXPECT_EQ(
      mix_problems_of("mix: a b\n"
                      "worker: gpus\n"
                      "workers: 10\n"
                      "workers_per_node: 4\n"
                      "sead: 1\n"
                      "workloads:\n"
                      "  - {name: a, mode: strong, times: {x: 1h}, per_day: 1}\n"
                      "  - {name: a, mode: strong, times: {1: 1h}, per_day: 1, per_hour: 1}\n"
                      "  - {name: c, times: {1: 1h}, per_day: 0}\n"
                      "  - {name: d, mode: strong, per_day: 1, dedline: 1h}\n"
                      "  - {name: e, mode: strong, times: {1: 1h}, k: [1, 2], result_workers: 4,"
                      " per_day: 1}\n"),
      "m.yaml:1:6: mix: expected a name of letters, digits, '_' and '-', at most 64\n"
      "m.yaml:2:9: worker: expected node, rank or gpu, found 'gpus'; did you mean 'gpu'?\n"
      "m.yaml:3:10: workers: expected whole nodes: a multiple of workers_per_node, 4\n"
      "m.yaml:4:1: workers_per_node: is for worker: gpu or rank\n"
      "m.yaml:5:1: sead: unknown key; did you mean 'seed'?\n"
      "m.yaml:7:37: workloads[0].times.x: expected a number of workers, found 'x'\n"
      "m.yaml:8:5: workloads[1]: has both per_hour and per_day; give one\n"
      "m.yaml:8:12: workloads[1].name: another workload is called 'a' already\n"
      "m.yaml:9:5: workloads[2].mode: missing; expected strong or weak: K means another thing in "
      "each\n"
      "m.yaml:9:40: workloads[2].per_day: expected a number from 1e-06 to 1000000, found '0'\n"
      "m.yaml:10:5: workloads[3]: has no curve; expected one of study (a name), times (by K) or "
      "model (t1, s, c)\n"
      "m.yaml:10:41: workloads[3].dedline: unknown key; did you mean 'deadline'?\n"
      "m.yaml:11:48: workloads[4].k: K=2 is not in `times`\n"
      "m.yaml:11:56: workloads[4].result_workers: is for mode: weak\n");
}

TEST(MixReader, TheShareInTimeIsTheMixsUnlessAWorkloadHasItsOwn) {
  const std::string jobs =
      "workloads:\n"
      "  - {name: a, mode: strong, times: {1: 1h}, per_day: 1, deadline: 2h}\n"
      "  - {name: b, mode: strong, times: {1: 1h}, per_day: 1, deadline: 2h, in_time: 0.8}\n";
  const std::string head = "mix: m\nworker: node\nworkers: 8\n";
  MixRead read = read_mix(head + jobs, "m.yaml");
  EXPECT_EQ(to_string(read.problems), "");
  EXPECT_EQ(read.mix.workloads[0].in_time, 0.95);
  EXPECT_EQ(read.mix.workloads[1].in_time, 0.8);
  read = read_mix(head + "in_time: 90%\n" + jobs, "m.yaml");
  EXPECT_EQ(to_string(read.problems), "");
  EXPECT_EQ(read.mix.workloads[0].in_time, 0.9);
  EXPECT_EQ(read.mix.workloads[1].in_time, 0.8);
  EXPECT_EQ(mix_problems_of(head + "in_time: 0.4\n" + jobs),
            "m.yaml:4:10: in_time: expected a share of the jobs from 50% to 99%\n");
  EXPECT_EQ(mix_problems_of(head + "in_time: 1\n" + jobs),
            "m.yaml:4:10: in_time: expected a share between 0 and 1 such as 2% or 0.02, found "
            "'1'\n");
  EXPECT_EQ(mix_problems_of(
                kHead + "  - {name: a, mode: strong, times: {1: 1h}, per_day: 1, in_time: 99%}\n"),
            "m.yaml:5:57: workloads[0].in_time: is for workloads with a deadline\n");
}

TEST(MixReader, TotalAndBudgetExcludeEachOther) {
  const std::string jobs =
      "workloads: [{name: a, mode: strong, model: {t1: 1h, s: 0.1}, per_hour: 1}]\n";
  const std::string none = mix_problems_of("mix: m\nworker: node\n" + jobs);
  EXPECT_NE(none.find("does not say how much there is; expected workers or budget"),
            std::string::npos)
      << none;
  const std::string both =
      mix_problems_of("mix: m\nworker: node\nworkers: 8\nbudget: {amount: 5}\n" + jobs);
  EXPECT_NE(both.find("has both workers and budget"), std::string::npos) << both;
  EXPECT_NE(both.find("budget: needs `prices` beside it"), std::string::npos) << both;
  const MixRead read = read_mix(
      "mix: m\nworker: node\nbudget: {amount: 48, per: day}\nprices: {book: p.yaml}\n" + jobs,
      "m.yaml");
  EXPECT_EQ(to_string(read.problems), "");
  EXPECT_EQ(read.mix.budget_micros, 48'000'000);
  EXPECT_EQ(read.mix.budget_hours, 24);
  EXPECT_TRUE(read.mix.held);
  const std::string used = mix_problems_of(
      "mix: m\nworker: node\nbudget: {amount: -1}\npay: used\nprices: {book: p.yaml}\n" + jobs);
  EXPECT_NE(used.find("expected an amount above 0 such as 500, found '-1'"), std::string::npos)
      << used;
  EXPECT_NE(used.find("a budget is for nodes that are held"), std::string::npos) << used;
}

TEST(MixReader, ACurveComesFromOnePlace) {
  const std::string two =
      mix_problems_of(kHead + "  - {name: a, mode: weak, study: s, times: {1: 1h}, per_hour: 1}\n");
  EXPECT_NE(two.find("workloads[0]: has more than one curve"), std::string::npos) << two;
  const std::string apart = mix_problems_of(
      kHead + "  - {name: a, mode: weak, times: {1: 1h}, baseline: 1h, per_hour: 1}\n");
  EXPECT_NE(apart.find("baseline: is for `study`"), std::string::npos) << apart;
  const std::string law =
      mix_problems_of(kHead + "  - {name: a, mode: strong, model: {s: 2}, per_hour: 1}\n");
  EXPECT_NE(law.find("model.t1: missing; expected the time at K=1"), std::string::npos) << law;
  EXPECT_NE(law.find("model.s: expected a number from 0 to 1, found '2'"), std::string::npos)
      << law;
  EXPECT_NE(mix_problems_of("").find("m.yaml"), std::string::npos);
}

}  // namespace
}  // namespace kneepoint
