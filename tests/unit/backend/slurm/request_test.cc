// SPDX-License-Identifier: Apache-2.0
//
// How steps are started inside a job, and what the agent is told of their nodes.
#include "orchestrator/backend/slurm/text.h"

#include <gtest/gtest.h>

namespace kneepoint {
namespace {

Step step_of(StarterKind kind, int nodes, int ranks_per_node = 2) {
  Step step;
  step.attempt = "r1-a1";
  step.run_dir = "/w/r1-a1";
  step.shape.nodes = nodes;
  step.shape.ranks_per_node = ranks_per_node;
  step.shape.ranks = nodes * ranks_per_node;
  step.shape.bind = Bind::none;
  step.starter.kind = kind;
  step.command.argv = {"prog"};
  return step;
}

Site site_of(PackingMode mode) {
  Site site;
  site.packing.mode = mode;
  return site;
}

std::string text_of(const Step& step, const Site& site, int tasks_per_node = 2) {
  AllocationRequest request;
  request.name = "kp-1";
  request.shape.nodes = 8;
  request.shape.ranks_per_node = tasks_per_node;
  request.steps = {step};
  return slurm_allocation_text(request, site, false);
}

std::string spaced(const std::vector<std::string>& argv) {
  std::string text;
  for (const std::string& word : argv) text += (text.empty() ? "" : " ") + word;
  return text;
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(SlurmRequest, EveryNumberIsSaidToSrun) {
  Site site = site_of(PackingMode::one_per_run);
  site.starter_mpi = "pmix";
  EXPECT_EQ(spaced(slurm_step_argv(step_of(StarterKind::srun, 4), site)),
            "srun --nodes=4 --ntasks=8 --ntasks-per-node=2 --cpus-per-task=1 --kill-on-bad-exit=1 "
            "--mpi=pmix --cpu-bind=none prog");
}

TEST(SlurmRequest, MpirunMapsRanksByNode) {
  const Site site = site_of(PackingMode::one_per_run);
  EXPECT_EQ(spaced(slurm_step_argv(step_of(StarterKind::mpirun, 4), site)),
            "mpirun -n 8 --map-by ppr:2:node --bind-to none prog");
}

TEST(SlurmRequest, TheStarterOfAPackedStepIsToldItsNodesByTheAgent) {
  const Site packed = site_of(PackingMode::packed);
  const std::string by_srun = text_of(step_of(StarterKind::srun, 4), packed);
  EXPECT_TRUE(has(by_srun, R"("nodes":4,"place":"srun")")) << by_srun;
  EXPECT_FALSE(has(by_srun, "--relative")) << by_srun;
  const std::string by_mpirun = text_of(step_of(StarterKind::mpirun, 2), packed);
  EXPECT_TRUE(has(by_mpirun, R"("nodes":2,"place":"mpirun")")) << by_mpirun;
  const std::string plain = text_of(step_of(StarterKind::none, 1), packed);
  EXPECT_TRUE(has(plain, R"("nodes":1)")) << plain;
  EXPECT_FALSE(has(plain, "place")) << plain;
}

TEST(SlurmRequest, AJobOfItsOwnHasAllItsNodes) {
  const std::string text =
      text_of(step_of(StarterKind::srun, 4), site_of(PackingMode::one_per_run));
  EXPECT_TRUE(has(text, R"("nodes":4)")) << text;
  EXPECT_FALSE(has(text, "place")) << text;
}

TEST(SlurmRequest, ASiteWhoseOptionsChooseNodesIsLeftToIt) {
  for (const char* option : {"--nodelist=n1", "-w", "--relative=2", "--host", "--hostfile"}) {
    Step step = step_of(StarterKind::srun, 4);
    step.starter.options = {option};
    EXPECT_FALSE(has(text_of(step, site_of(PackingMode::packed)), "place")) << option;
  }
  Step step = step_of(StarterKind::srun, 4);
  step.starter.options = {"--cpu-bind=none"};
  EXPECT_TRUE(has(text_of(step, site_of(PackingMode::packed)), "place"));
}

TEST(SlurmRequest, MpirunTakesMoreRanksOnANodeThanTheAllocationHasTasks) {
  const Site packed = site_of(PackingMode::packed);
  const std::string wide = text_of(step_of(StarterKind::mpirun, 2, 16), packed, 4);
  EXPECT_TRUE(has(wide, R"("mpirun","--oversubscribe","--mca","mpi_yield_when_idle","0")")) << wide;
  const std::string fitting = text_of(step_of(StarterKind::mpirun, 2, 4), packed, 4);
  EXPECT_FALSE(has(fitting, "--oversubscribe")) << fitting;
}

}  // namespace
}  // namespace kneepoint
