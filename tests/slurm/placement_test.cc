// SPDX-License-Identifier: Apache-2.0
//
// Jobs of their own land where Slurm puts them: what the report makes of their placement on a real
// cluster. The workload says that it takes a third longer on one of the nodes.
#include <map>
#include <nlohmann/json.hpp>

#include "tests/slurm/slurm_place.h"

namespace kneepoint {
namespace {

using nlohmann::json;
using testing_support::has;
using testing_support::SlurmPlace;

constexpr const char* kPlan = R"y(study: placed
worker: node
scale: [1, 2]
modes: [strong]
workloads:
  - name: where
    command: [sh, -c, 'case ",$KP_NODES," in *,n2,*) t=1.3;; *) t=1.0;; esac; echo t=$t$(($$ % 10))']
    mpi: false
    metrics: {time: {pattern: "t=([0-9.]+)", unit: s}}
repeat: 20
limits: {timeout: 10m, retries: 5}
)y";

TEST(SlurmPlacement, ANodeThatSlowsTheRunsThatHoldItIsNamedInTheReport) {
  SlurmPlace place("plain");
  const std::string site = place.site(
      "slurm: {prologue: [\"export KP_NODES=$(scontrol show hostnames | tr '\\\\n' ,)\"]}\n"
      "limits: {concurrent: 8}\n");
  const auto ended = place.run({"run", place.write("plan.yaml", kPlan), "--site", site});
  ASSERT_EQ(ended.exit_code, 0) << ended.output << ended.errors;
  const auto runs = place.reported();
  ASSERT_EQ(runs.size(), 40U);
  std::map<std::string, int> placed;
  for (const auto& [run, shown] : runs) ++placed[shown.nodes];
  ASSERT_GT(placed.size(), 3U) << "Slurm gave all runs the same nodes";
  const json report = json::parse(place.kneepoint({"report", "placed", "--json"}).output);
  const json& verdict = report.at("volatile").at("bad_nodes");
  EXPECT_TRUE(verdict.at("tested")) << verdict.dump(1);
  ASSERT_GE(verdict.at("bad").size(), 1U) << verdict.dump(1);  // worst first
  EXPECT_EQ(verdict.at("bad").at(0).at("node"), "n2") << verdict.dump(1);
  EXPECT_NEAR(verdict.at("bad").at(0).at("slowdown").get<double>(), 0.3, 0.1) << verdict.dump(1);
  const std::string text = place.kneepoint({"report", "placed"}).output;
  EXPECT_TRUE(has(text, "n2 slows the runs that hold it by ")) << text;
}

}  // namespace
}  // namespace kneepoint
