// SPDX-License-Identifier: Apache-2.0
//
// GPUs as Slurm hands them out. Those of the test cluster are none, but Slurm counts them and tells
// every rank which ones it has.
#include <map>
#include <sstream>

#include "tests/slurm/slurm_place.h"

namespace kneepoint {
namespace {

using testing_support::has;
using testing_support::slurm_keys;
using testing_support::SlurmPlace;

// Every rank leaves its node and its GPUs in a file of its attempt.
std::string plan_of(const SlurmPlace& place, int gpus_per_node) {
  return "study: gpus\nworker: gpu\nscale: [2, 4]\nshape: {gpus_per_node: " +
         std::to_string(gpus_per_node) +
         ", bind: none}\nmodes: [strong]\nworkloads:\n  - name: see\n    command: [sh, -c, "
         "'echo $SLURMD_NODENAME $CUDA_VISIBLE_DEVICES >>\"$1/$KNEEPOINT_ATTEMPT.gpus\"; echo "
         "t=0.5', sh, \"" +
         place.path() +
         "\"]\n    metrics: {time: {pattern: \"t=([0-9.]+)\", unit: s}}\nrepeat: 1\n"
         "limits: {timeout: 5m, retries: 5}\n";
}

// Ranks by node and GPUs of the attempt of a run that succeeded.
std::map<std::string, int> ranks_of(const SlurmPlace& place, int run) {
  std::map<std::string, int> ranks;
  const auto story = place.story(run);
  if (!story.contains("attempts")) return ranks;
  for (const auto& attempt : story.at("attempts")) {
    if (attempt.at("state") != "succeeded") continue;
    std::istringstream lines(place.read("r" + std::to_string(run) + "-a" +
                                        std::to_string(attempt.at("number").get<int>()) + ".gpus"));
    for (std::string line; std::getline(lines, line);) ++ranks[line];
  }
  return ranks;
}

void expect_gpus(const std::string& option) {
  SlurmPlace place("forgetful");
  const std::string site =
      place.site("starter: {kind: srun, mpi: pmix}\n" + slurm_keys("gpu_option: " + option, ""));
  const auto ended =
      place.run({"run", place.write("plan.yaml", plan_of(place, 2)), "--site", site});
  ASSERT_EQ(ended.exit_code, 0) << ended.output << ended.errors;
  int on_one = 0, on_two = 0;
  for (int run = 1; run <= 2; ++run) {
    const auto ranks = ranks_of(place, run);
    (ranks.size() == 1 ? on_one : on_two) += 1;
    for (const auto& [where, count] : ranks) {
      EXPECT_TRUE(where.ends_with(" 0,1")) << where;
      EXPECT_EQ(count, 2) << where;
    }
  }
  EXPECT_EQ(on_one, 1) << "K = 2";
  EXPECT_EQ(on_two, 1) << "K = 4";
}

TEST(SlurmGpu, AreAskedForByTheNode) {
  expect_gpus("gpus-per-node");
}

TEST(SlurmGpu, AreAskedForAsGenericResources) {
  expect_gpus("gres");
}

TEST(SlurmGpu, MoreThanANodeHasAreRefusedBeforeAnythingIsSubmitted) {
  SlurmPlace place("forgetful");
  const auto told =
      place.run({"check", place.write("plan.yaml", plan_of(place, 4)), "--site", place.site("")});
  EXPECT_EQ(told.exit_code, 2) << told.output << told.errors;
  for (const char* words : {"more GPUs than a node has (2)", "lower `scale` or `shape` of the plan",
                            "sbatch: Requested node configuration is not available"}) {
    EXPECT_TRUE(has(told.output, words)) << told.output << told.errors;
  }
}

}  // namespace
}  // namespace kneepoint
