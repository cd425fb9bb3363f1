// SPDX-License-Identifier: Apache-2.0
//
// Where a rank says it runs.
#include "workloads/harness/reporter.h"

#include <gtest/gtest.h>
#include <stdlib.h>

namespace kneepoint::workloads {
namespace {

TEST(Placement, ACpuListJoinsNeighbours) {
  EXPECT_EQ(cpu_list_text({}), "");
  EXPECT_EQ(cpu_list_text({5}), "5");
  EXPECT_EQ(cpu_list_text({0, 1, 2, 3, 8}), "0-3,8");
  EXPECT_EQ(cpu_list_text({0, 2, 4, 5}), "0,2,4-5");
}

TEST(Placement, ThisProcessMayUseAtLeastOneCpu) {
  EXPECT_FALSE(allowed_cpus().empty());
}

TEST(Placement, OurOwnNodeNameComesBeforeSlurmsAndThatBeforeMPIs) {
  ::unsetenv("KNEEPOINT_NODE");
  ::unsetenv("SLURMD_NODENAME");
  EXPECT_EQ(node_name("mpi"), "mpi");
  ::setenv("SLURMD_NODENAME", "slurm3", 1);
  EXPECT_EQ(node_name("mpi"), "slurm3");
  ::setenv("KNEEPOINT_NODE", "pod7", 1);
  EXPECT_EQ(node_name("mpi"), "pod7");
  ::setenv("KNEEPOINT_NODE", "", 1);
  EXPECT_EQ(node_name("mpi"), "slurm3");
  ::unsetenv("KNEEPOINT_NODE");
  ::unsetenv("SLURMD_NODENAME");
}

}  // namespace
}  // namespace kneepoint::workloads
