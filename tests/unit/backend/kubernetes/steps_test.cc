// SPDX-License-Identifier: Apache-2.0
//
// How ranks are started in pods: what is fixed, and what a site may say otherwise.
#include "orchestrator/backend/kubernetes/manifest.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace kneepoint {
namespace {

using nlohmann::json;

AllocationRequest two_pods(std::vector<std::string> options) {
  AllocationRequest request;
  request.name = "kp-0123abcd-1-7-a1";
  request.directory = "/work";
  request.shape.nodes = 2;
  request.shape.ranks = 2;
  request.shape.ranks_per_node = 1;
  Step step;
  step.attempt = "r7-a1";
  step.shape = request.shape;
  step.command.argv = {"kp-synthetic"};
  step.starter.kind = StarterKind::mpirun;
  step.starter.options = std::move(options);
  request.steps.push_back(step);
  return request;
}

json step_of(const AllocationRequest& request, const Site& site) {
  return json::parse(
      kube_allocation_text(request, site, kube_name(request.name, request.directory)))["steps"][0];
}

TEST(KubeSteps, AParameterOfTheSiteIsSaidOnceOnTheCommandLine) {
  const json step = step_of(two_pods({"--mca", "pml", "ucx"}), Site{});
  const json& argv = step["argv"];
  EXPECT_EQ(std::count(argv.begin(), argv.end(), "pml"), 1) << argv;
  EXPECT_EQ(std::count(argv.begin(), argv.end(), "ucx"), 1) << argv;
  EXPECT_EQ(step["env"]["OMPI_MCA_pml"], "ob1") << "mpirun's own options go over it";
}

TEST(KubeSteps, TcpBetweenPodsUnlessTheStepsVariablesSayOtherwise) {
  AllocationRequest request = two_pods({});
  EXPECT_EQ(step_of(request, Site{})["env"]["OMPI_MCA_btl"], "self,vader,tcp");
  request.steps[0].command.environment = {{"OMPI_MCA_btl", "self,vader,uct"}};
  EXPECT_EQ(step_of(request, Site{})["env"]["OMPI_MCA_btl"], "self,vader,uct");
}

TEST(KubeSteps, ThePodThatStartsNeedsNoNameServiceForItself) {
  AllocationRequest request = two_pods({});
  const std::string job = kube_name(request.name, request.directory);
  EXPECT_EQ(step_of(request, Site{})["argv"][4], job + "-0:1," + job + "-1." + job + ":1");
  request.steps[0].shape.nodes = 1;
  EXPECT_EQ(step_of(request, Site{})["argv"][4], job + "-0:1");
}

TEST(KubeSteps, RemoteRanksAreStartedThroughTheAgents) {
  const std::string argv = step_of(two_pods({}), Site{})["argv"].dump();
  for (const char* needed : {"plm_rsh_agent", "/kneepoint-agent exec", "plm_rsh_no_tree_spawn"}) {
    EXPECT_NE(argv.find(needed), std::string::npos) << needed << " in " << argv;
  }
}

TEST(KubeSteps, InputsTravelInTheAllocationAndFewFilesComeBack) {
  AllocationRequest request = two_pods({});
  ProgramSpec& program = request.steps[0].program;
  program.own_folder = true;
  program.keep = {"*.log"};
  program.staged = {
      {"mesh", "/work/inputs/ab", "ab", 2, true, std::make_shared<const std::string>("hi")}};
  const json step = step_of(request, Site{});
  EXPECT_EQ(step["inputs"][0]["name"], "mesh");
  EXPECT_EQ(step["inputs"][0]["content"], "aGk=");
  EXPECT_EQ(step["inputs"][0]["executable"], true);
  EXPECT_FALSE(step["inputs"][0].contains("from"));
  EXPECT_EQ(step["keep_bytes"], 1 << 20);
  EXPECT_EQ(step["own_folder"], true);
}

}  // namespace
}  // namespace kneepoint
