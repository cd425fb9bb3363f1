// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/backend/local/request.h"

#include <gtest/gtest.h>

#include "orchestrator/backend/allocation_files.h"

namespace kneepoint {
namespace {

AllocationRequest request_of(int ranks, StarterKind starter) {
  Step step;
  step.attempt = "r1-a1";
  step.run_dir = "/w/s/r1-a1";
  step.shape.ranks = step.shape.ranks_per_node = ranks;
  step.starter.kind = starter;
  step.command.argv = {"/opt/prog", "it's"};
  AllocationRequest request;
  request.name = "kp-1";
  request.directory = "/w/s";
  request.steps = {step};
  return request;
}

const std::vector<Core> kCores = {{0, {0, 2}}, {0, {1, 3}}};

TEST(LocalRequest, AsksForAsManyCoresAsItsWidestBoundStep) {
  AllocationRequest request = request_of(2, StarterKind::mpirun);
  EXPECT_EQ(cores_wanted(request), 2);
  request.steps.push_back(request.steps[0]);
  request.steps[1].shape.threads_per_rank = 3;
  EXPECT_EQ(cores_wanted(request), 6);
  request.steps[1].emulated = true;
  EXPECT_EQ(cores_wanted(request), 2);
  request.steps[0].shape.bind = Bind::none;
  EXPECT_EQ(cores_wanted(request), 0);
}

TEST(LocalRequest, BindsMpiRanksByAFileNamedAfterItsContent) {
  const LocalRequest one = local_request(request_of(2, StarterKind::mpirun), kCores, {});
  ASSERT_EQ(one.rankfiles.size(), 1u);
  EXPECT_EQ(one.rankfiles[0].second, "rank 0=localhost slot=0\nrank 1=localhost slot=1\n");
  EXPECT_EQ(one.rankfiles[0].first.find("/w/s/ranks-"), 0u);
  EXPECT_NE(one.allocation.find("\"--rankfile\",\"" + one.rankfiles[0].first + "\""),
            std::string::npos);
  EXPECT_TRUE(one.confine_to.empty()) << "mpirun itself may run anywhere";
  AllocationRequest other = request_of(2, StarterKind::mpirun);
  other.name = "kp-2";
  EXPECT_EQ(local_request(other, kCores, {}).rankfiles, one.rankfiles);
  EXPECT_EQ(read_back_allocation(one.allocation)->cpus, (std::vector<int>{0, 1}));
}

TEST(LocalRequest, ConfinesPlainProgramsToTheirCoresWithAllHardwareThreads) {
  const LocalRequest plain = local_request(request_of(2, StarterKind::none), kCores, {});
  EXPECT_EQ(plain.confine_to, (std::vector<int>{0, 2, 1, 3}));
  EXPECT_TRUE(plain.rankfiles.empty());
  EXPECT_EQ(plain.allocation.find("mpirun"), std::string::npos);
  EXPECT_EQ(plain.allocation.find("OMPI_"), std::string::npos);
}

TEST(LocalRequest, RunsUnboundWhenNoCoresWereFree) {
  const LocalRequest unbound = local_request(request_of(2, StarterKind::mpirun), {}, {});
  EXPECT_TRUE(unbound.rankfiles.empty());
  EXPECT_NE(unbound.allocation.find("\"--bind-to\",\"none\""), std::string::npos);
}

TEST(LocalRequest, TheStepsEnvironmentWinsOverOurs) {
  AllocationRequest request = request_of(1, StarterKind::mpirun);
  request.steps[0].command.environment = {
      {"OMPI_MCA_pml", "ucx"}, {"A", "site"}, {"OMP_NUM_THREADS", "7"}, {"A", "plan"}};
  const std::string text = local_request(request, kCores, {}).allocation;
  EXPECT_NE(text.find("\"OMPI_MCA_pml\":\"ucx\""), std::string::npos);
  EXPECT_NE(text.find("\"A\":\"plan\""), std::string::npos);
  EXPECT_NE(text.find("\"OMP_NUM_THREADS\":\"7\""), std::string::npos);
}

TEST(LocalRequest, ShowsCommandsThatCanBePasted) {
  EXPECT_EQ(command_text(request_of(2, StarterKind::none), kCores),
            "# r1-a1: 1n x 2r x 1t\n/opt/prog 'it'\\''s'\n");
}

}  // namespace
}  // namespace kneepoint
