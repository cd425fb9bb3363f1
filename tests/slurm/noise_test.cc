// SPDX-License-Identifier: Apache-2.0
//
// Noise on every node of a run on a real cluster. Its "nodes" are one machine, so their figures are
// alike; that each has its own, under its own name, and what is said where a sampler can't start is
// what is tested. The GPUs are stand-ins, the second of which is always throttled.
#include <set>

#include "orchestrator/base/node_list.h"
#include "tests/slurm/slurm_place.h"

namespace kneepoint {
namespace {

using nlohmann::json;
using testing_support::has;
using testing_support::SlurmPlace;
using Names = std::set<std::string>;

std::string plan_of(const std::string& noise) {
  return "study: noisy\nworker: node\nscale: [1, 3]\nshape: {ranks_per_node: 1, bind: none}\n"
         "modes: [strong]\nworkloads:\n  - name: model\n    use: synthetic\n"
         "    parameters: {work: sleep, s: 0.1, c: 0.01, seconds: 0.3}\n"
         "iterations: {warmup: 1, count: 2}\nrepeat: 1\nlimits: {timeout: 3m, retries: 5}\n"
         "noise: " +
         noise + "\n";
}

Names sampled(const json& attempt) {
  Names nodes;
  for (const json& fact : attempt.at("provenance")) {
    if (fact.at("name") == "noise.samples") nodes.insert(fact.at("scope").get<std::string>());
  }
  return nodes;
}

std::string fact_of(const json& attempt, const std::string& name) {
  for (const json& fact : attempt.at("provenance")) {
    if (fact.at("name") == name) return fact.at("value");
  }
  return "";
}

Names nodes_of(const json& attempt) {
  const auto names = expand_node_list(attempt.at("nodes").get<std::string>());
  return {names.begin(), names.end()};
}

// The attempt that succeeded of each run, by its number of nodes.
std::map<std::size_t, json> successes(const SlurmPlace& place) {
  std::map<std::size_t, json> found;
  for (int run = 1; run <= 2; ++run) {
    const json story = place.story(run);
    for (const json& attempt : story.at("attempts")) {
      if (attempt.at("state") == "succeeded") found[nodes_of(attempt).size()] = attempt;
    }
  }
  return found;
}

void every_node_has_its_own(const std::string& starter) {
  SlurmPlace place("plain");
  const std::string site = place.site("starter: " + starter +
                                      "\nslurm: {prologue: [\"export KNEEPOINT_NVML=" KP_TEST_DIR
                                      "/libfake_nvml.so\"]}\npacking: {mode: packed}\n");
  const auto ended = place.run({"run",
                                place.write("plan.yaml", plan_of("{sample: 100ms, limit: "
                                                                 "{throttle: 1%}}")),
                                "--site", site});
  ASSERT_EQ(ended.exit_code, 0) << ended.output << ended.errors;
  const auto runs = successes(place);
  ASSERT_EQ(runs.size(), 2U);
  for (const auto& [size, attempt] : runs) {
    EXPECT_EQ(sampled(attempt), nodes_of(attempt)) << attempt.dump(1);
    EXPECT_EQ(fact_of(attempt, "noise.not_sampled"), "");
  }
  // The message names every node that was disturbed.
  const json report = json::parse(place.kneepoint({"report", "noisy", "--json"}).output);
  for (const json& point : report["cases"][0]["modes"]["strong"]["points"]) {
    const std::string told = point["runs"][0]["disturbed"];
    const auto found = runs.find(point["k"].get<std::size_t>());
    ASSERT_NE(found, runs.end()) << point.dump(1);
    for (const std::string& node : nodes_of(found->second)) {
      EXPECT_TRUE(has(told, "on " + node + " a GPU was throttled in 100% of the samples")) << told;
    }
  }
}

TEST(SlurmNoise, EveryNodeOfARunBySrunHasItsOwnFigures) {
  every_node_has_its_own("{kind: srun, mpi: pmix}");
}

TEST(SlurmNoise, EveryNodeOfARunByMpirunHasItsOwnFigures) {
  every_node_has_its_own("{kind: mpirun}");
}

// A srun in front of the real one that knows no --overlap, as old versions do.
TEST(SlurmNoise, ANodeWhoseSamplerCannotStartIsSaidAndTheRunCounts) {
  SlurmPlace place("plain");
  const std::string folder = place.path() + "/bin";
  ASSERT_EQ(testing_support::run_program({"mkdir", folder}, 60).exit_code, 0);
  const std::string srun = place.write(
      "bin/srun",
      "#!/bin/sh\nfor word; do [ \"$word\" != --overlap ] || { echo \"srun: error: unrecognized "
      "option '--overlap'\" >&2; exit 1; }; done\nexec /usr/bin/srun \"$@\"\n");
  ASSERT_EQ(testing_support::run_program({"chmod", "+x", srun}, 60).exit_code, 0);
  const std::string site =
      place.site("starter: {kind: srun, mpi: pmix}\nslurm: {prologue: [\"export PATH=" + folder +
                 ":$PATH\"]}\n");
  const auto ended =
      place.run({"run", place.write("plan.yaml", plan_of("{sample: 100ms, limit: {steal: 99%}}")),
                 "--site", site});
  ASSERT_EQ(ended.exit_code, 0) << ended.output << ended.errors;
  const auto runs = successes(place);
  ASSERT_EQ(runs.size(), 2U);
  EXPECT_EQ(fact_of(runs.at(1), "noise.not_sampled"), "");
  EXPECT_EQ(sampled(runs.at(3)).size(), 1U);
  const std::string missing = fact_of(runs.at(3), "noise.not_sampled");
  for (const std::string& node : nodes_of(runs.at(3))) {
    EXPECT_EQ(has(missing, node), sampled(runs.at(3)).count(node) == 0) << missing;
  }
  EXPECT_TRUE(has(missing, ": srun: error: unrecognized option '--overlap'")) << missing;
  EXPECT_TRUE(has(place.events(1) + place.events(2), "noise: not sampled: " + missing));
}

}  // namespace
}  // namespace kneepoint
