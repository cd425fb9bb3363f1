// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/model/provenance.h"

#include <gtest/gtest.h>

namespace kneepoint {
namespace {

std::vector<Fact> usual(const std::string& host) {
  return {{host, "boot_id", "b-" + host},
          {host, "cpu.clock_mhz", "3500"},
          {host, "cpu.cores", "64"},
          {host, "cpu.model", "Xeon"},
          {host, "cpu.sockets", "2"},
          {host, "cpu.threads_per_core", "2"},
          {host, "gpu", "none"},
          {host, "kernel", "Linux 6.1.0"},
          {host, "memory.bytes", "270000000000"},
          {host, "mpi.version", "mpirun (Open MPI) 4.1.4"},
          {"run", "load.before", "0.7"},
          {"run", "program.hash", "00ff"},
          {"workload", "device", "none"},
          {"workload", "kernels", "avx2"},
          {"workload", "mpi.library", "Open MPI v4.1.4"}};
}

void change(std::vector<Fact>& facts, const std::string& name, const std::string& value) {
  for (Fact& fact : facts) {
    if (fact.name == name) fact.value = value;
  }
}

TEST(Provenance, SaysWhatDecidesWhetherRunsCompareInAFixedOrder) {
  EXPECT_EQ(comparable_provenance(usual("n1")),
            "cpu.model=Xeon; cpu.sockets=2; cpu.cores=64; cpu.threads_per_core=2; memory=256 GiB; "
            "program=00ff; kernels=avx2; mpi=Open MPI v4.1.4");
  EXPECT_EQ(comparable_provenance({}), "");
}

TEST(Provenance, WhatChangesByItselfDoesNotTellRunsApart) {
  auto other = usual("n2");
  change(other, "boot_id", "another");
  change(other, "cpu.clock_mhz", "1200");
  change(other, "kernel", "Linux 6.1.1");
  change(other, "load.before", "9");
  EXPECT_EQ(comparable_provenance(other), comparable_provenance(usual("n1")));
}

TEST(Provenance, EveryComparedFactTellsRunsApart) {
  for (const ComparedFact& compared : compared_facts()) {
    auto other = usual("n1");
    change(other, std::string(compared.name), "1");
    EXPECT_NE(comparable_provenance(other), comparable_provenance(usual("n1"))) << compared.name;
  }
}

TEST(Provenance, ARunOnAStandInForAGpuIsKnownAndNeverMixedWithOthers) {
  auto gpu = usual("n1"), fake = usual("n1"), both = usual("n1");
  change(gpu, "device", "NVIDIA A100");
  change(fake, "device", "CPU stand-in (no GPU)");
  change(both, "device", "CPU stand-in (no GPU) + NVIDIA A100");
  EXPECT_NE(comparable_provenance(gpu), comparable_provenance(fake));
  EXPECT_FALSE(is_stand_in(comparable_provenance(usual("n1"))));
  EXPECT_FALSE(is_stand_in(comparable_provenance(gpu)));
  EXPECT_TRUE(is_stand_in(comparable_provenance(fake)));
  EXPECT_TRUE(is_stand_in(comparable_provenance(both)));
}

TEST(Provenance, TheStartersVersionStandsInWhereTheProgramDoesNotNameItsMpi) {
  EXPECT_EQ(comparable_provenance(std::vector<Fact>{{"n1", "mpi.version", "srun 23"}}),
            "mpi=srun 23");
}

TEST(Provenance, WhatIsUnknownIsLeftOut) {
  EXPECT_EQ(
      comparable_provenance(std::vector<Fact>{
          {"n1", "cpu.model", "unknown"}, {"n1", "gpu", "none"}, {"run", "program.hash", ""}}),
      "");
}

TEST(Provenance, NodesThatDifferWithinARunAreListedOnce) {
  const std::vector<Fact> facts = {{"n1", "cpu.model", "B"},
                                   {"n2", "cpu.model", "A"},
                                   {"n3", "cpu.model", "B"},
                                   {"n1", "cpu.cores", "8"},
                                   {"n2", "cpu.cores", "8"}};
  EXPECT_EQ(comparable_provenance(facts), "cpu.model=A + B; cpu.cores=8");
}

TEST(Provenance, MemoryIsComparedByItsClass) {
  EXPECT_EQ(memory_class("25274793984"), "24 GiB");
  EXPECT_EQ(memory_class("25769803776"), "24 GiB");  // exactly
  EXPECT_EQ(memory_class("25769803777"), "28 GiB");
  EXPECT_EQ(memory_class("134000000000"), "128 GiB");
  EXPECT_EQ(memory_class("135000000000"), "128 GiB");
  EXPECT_EQ(memory_class("404000000000"), "384 GiB");
  EXPECT_EQ(memory_class("1000000000"), "1 GiB");
  EXPECT_EQ(memory_class("500000000"), "0.5 GiB");
  EXPECT_EQ(memory_class("0"), "0");
  EXPECT_EQ(memory_class("much"), "much");
  EXPECT_EQ(memory_class("12 GB"), "12 GB");
}

}  // namespace
}  // namespace kneepoint
