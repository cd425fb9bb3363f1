// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/backend/local/request.h"

#include <gtest/gtest.h>

#include "orchestrator/backend/allocation.h"

namespace kneepoint {
namespace {

Step step_of(int ranks, int threads, Bind bind) {
  Step step;
  step.shape.ranks = step.shape.ranks_per_node = ranks;
  step.shape.threads_per_rank = threads;
  step.shape.bind = bind;
  step.starter.kind = StarterKind::mpirun;
  step.command.argv = {"/opt/prog", "--size", "8"};
  return step;
}

std::string joined(const std::vector<std::string>& argv) {
  std::string text;
  for (const std::string& word : argv) text += (text.empty() ? "" : " ") + word;
  return text;
}

const std::vector<Core> kTwoSockets = {{0, {0, 8}}, {0, {1, 9}}, {1, {2, 10}}, {1, {3, 11}}};

TEST(MpirunCommand, APlainProgramIsStartedAsItIs) {
  Step step = step_of(4, 1, Bind::core);
  step.starter.kind = StarterKind::none;
  step.starter.options = {"--ignored"};
  EXPECT_EQ(joined(step_argv(step, "")), "/opt/prog --size 8");
}

TEST(MpirunCommand, BoundRanksTakeTheirPlacesFromARankfile) {
  EXPECT_EQ(joined(step_argv(step_of(4, 1, Bind::core), "/w/ranks-1.txt")),
            "mpirun -n 4 --rankfile /w/ranks-1.txt --mca rmaps_rank_file_physical 1 "
            "/opt/prog --size 8");
}

TEST(MpirunCommand, UnboundRanksAreSaidToBeUnbound) {
  EXPECT_EQ(joined(step_argv(step_of(2, 1, Bind::none), "")),
            "mpirun -n 2 --bind-to none /opt/prog --size 8");
}

TEST(MpirunCommand, EmulatedAndOversubscribedRanksShareAndYield) {
  for (const bool emulated : {true, false}) {
    Step step = step_of(16, 1, Bind::core);
    step.emulated = emulated;
    step.oversubscribed = !emulated;
    EXPECT_FALSE(wants_binding(step));
    EXPECT_EQ(joined(step_argv(step, "")),
              "mpirun -n 16 --bind-to none --oversubscribe --mca mpi_yield_when_idle 1 "
              "/opt/prog --size 8");
  }
}

TEST(MpirunCommand, TheSitesOptionsComeAfterOursAndBeforeTheProgram) {
  Step step = step_of(2, 1, Bind::none);
  step.starter.options = {"--mca", "pml", "ucx"};
  EXPECT_EQ(joined(step_argv(step, "")),
            "mpirun -n 2 --bind-to none --mca pml ucx /opt/prog --size 8");
}

TEST(MpirunCommand, ASiteThatPlacesRanksItselfIsLeftToIt) {
  for (const char* option : {"--bind-to", "--map-by", "-rf", "--cpu-set"}) {
    Step step = step_of(2, 1, Bind::core);
    step.starter.options = {option, "x"};
    EXPECT_FALSE(wants_binding(step)) << option;
    EXPECT_EQ(joined(step_argv(step, "")),
              std::string("mpirun -n 2 ") + option + " x /opt/prog --size 8");
  }
  Step step = step_of(2, 1, Bind::core);
  step.starter.options = {"-x", "bind-to"};
  EXPECT_TRUE(wants_binding(step)) << "a value is no option";
}

TEST(MpirunCommand, EachRankGetsItsOwnCores) {
  EXPECT_EQ(rankfile_text(step_of(4, 1, Bind::core).shape, kTwoSockets),
            "rank 0=localhost slot=0\nrank 1=localhost slot=1\n"
            "rank 2=localhost slot=2\nrank 3=localhost slot=3\n");
  EXPECT_EQ(rankfile_text(step_of(2, 2, Bind::core).shape, kTwoSockets),
            "rank 0=localhost slot=0,1\nrank 1=localhost slot=2,3\n");
}

TEST(MpirunCommand, SocketBindingStaysWithinTheCoresGiven) {
  EXPECT_EQ(rankfile_text(step_of(3, 1, Bind::socket).shape,
                          {kTwoSockets[0], kTwoSockets[1], kTwoSockets[2]}),
            "rank 0=localhost slot=0,1\nrank 1=localhost slot=0,1\nrank 2=localhost slot=2\n");
}

TEST(MpirunCommand, TheEnvironmentFollowsTheHost) {
  using Variables = std::vector<std::pair<std::string, std::string>>;
  const Variables common = {{"OMPI_MCA_btl", "self,vader"},
                            {"OMPI_MCA_plm", "isolated"},
                            {"OMPI_MCA_pml", "ob1"},
                            {"OMPI_MCA_ras", "^slurm,tm,lsf,gridengine,alps"}};
  EXPECT_EQ(mpirun_environment({false, true}), common);
  Variables root = common;
  root.emplace_back("OMPI_MCA_btl_vader_single_copy_mechanism", "none");
  root.emplace_back("OMPI_ALLOW_RUN_AS_ROOT", "1");
  root.emplace_back("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
  EXPECT_EQ(mpirun_environment({true, false}), root);
}

}  // namespace
}  // namespace kneepoint
