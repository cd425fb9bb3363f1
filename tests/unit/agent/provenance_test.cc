// SPDX-License-Identifier: Apache-2.0
//
// Texts of the system to facts, from machines of different kinds.
#include "agents/agent/provenance.h"

#include <gtest/gtest.h>

namespace kneepoint::agent {
namespace {

constexpr const char* kTwoSockets =
    "processor\t: 0\nmodel name\t: Xeon 8358\nphysical id\t: 0\ncore id\t\t: 0\n\n"
    "processor\t: 1\nmodel name\t: Xeon 8358\nphysical id\t: 0\ncore id\t\t: 0\n\n"
    "processor\t: 2\nmodel name\t: Xeon 8358\nphysical id\t: 1\ncore id\t\t: 0\n\n"
    "processor\t: 3\nmodel name\t: Xeon 8358\nphysical id\t: 1\ncore id\t\t: 0\n";

TEST(Provenance, counts_threads_cores_and_sockets) {
  const CpuCounts counts = parse_cpu_counts(kTwoSockets);
  EXPECT_EQ(counts.logical, 4);
  EXPECT_EQ(counts.cores, 2);
  EXPECT_EQ(counts.sockets, 2);
  EXPECT_EQ(parse_cpu_model(kTwoSockets), "Xeon 8358");
}

TEST(Provenance, counts_each_processor_as_a_core_where_the_kernel_names_no_cores) {
  const char* arm = "processor\t: 0\nCPU implementer\t: 0x41\n\nprocessor\t: 1\n";
  EXPECT_EQ(parse_cpu_counts(arm).cores, 2);
  EXPECT_EQ(parse_cpu_counts(arm).sockets, 1);
  EXPECT_EQ(parse_cpu_model(arm), "0x41");
  EXPECT_EQ(parse_cpu_model(""), "unknown");
}

TEST(Provenance, reads_memory_and_the_name_of_the_system) {
  EXPECT_EQ(parse_memory_bytes("MemTotal:       16 kB\nMemFree: 1 kB\n"), "16384");
  EXPECT_EQ(parse_memory_bytes("nonsense"), "unknown");
  EXPECT_EQ(parse_os_name("NAME=x\nPRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\n"),
            "Debian GNU/Linux 12 (bookworm)");
  EXPECT_EQ(parse_os_name(""), "unknown");
  EXPECT_EQ(parse_first_line("mpirun (Open MPI) 4.1.4\n\nReport bugs\n"),
            "mpirun (Open MPI) 4.1.4");
}

TEST(Provenance, counts_graphics_cards_by_model) {
  EXPECT_EQ(parse_gpu_models({}), "none");
  EXPECT_EQ(parse_gpu_models({"Model: \t NVIDIA A100\nIRQ: 5\n", "Model: NVIDIA A100\n"}),
            "2 x NVIDIA A100");
  EXPECT_EQ(parse_gpu_models({"Model: A\n", "Model: B\n", "IRQ: 1\n"}),
            "1 x A, 1 x B, 1 x unknown");
}

TEST(Provenance, recognises_containers) {
  EXPECT_EQ(parse_container("", false, false, "0::/init.scope\n"), "none");
  EXPECT_EQ(parse_container("", true, false, ""), "docker");
  EXPECT_EQ(parse_container("", false, true, ""), "podman");
  EXPECT_EQ(parse_container(std::string("A=b\0container=systemd-nspawn\0", 29), false, false, ""),
            "systemd-nspawn");
  EXPECT_EQ(parse_container("", true, false, "0::/kubepods/burstable/pod1\n"), "kubernetes");
  EXPECT_EQ(parse_container("", false, false, "0::/docker/abc\n"), "docker");
}

TEST(Provenance, writes_a_command_so_that_its_arguments_can_be_told_apart) {
  EXPECT_EQ(quote_command({"prog", "--size", "8", "a b", "it's", ""}, 100),
            "prog --size 8 'a b' 'it'\\''s' ''");
  EXPECT_EQ(quote_command({"prog", "12345"}, 6), "prog 1...");
}

TEST(Provenance, facts_of_a_step_name_variables_and_never_tell_their_values) {
  StepSpec step;
  step.argv = {"prog", "--size", "8"};
  step.env = {{"TOKEN", "hunter2"}, {"OMP_NUM_THREADS", "4"}};
  step.bind = "core";
  step.ranks = 2;
  const Facts facts = step_facts(step);
  EXPECT_EQ(fact(facts, "environment"), "TOKEN,OMP_NUM_THREADS");
  EXPECT_EQ(fact(facts, "command"), "prog --size 8");
  EXPECT_EQ(fact(facts, "ranks"), "2");
  EXPECT_EQ(fact(facts, "bind"), "core");
  EXPECT_EQ(fact(facts, "oversubscribed"), "no");
  EXPECT_FALSE(fact(facts, "load.before").empty());
  for (const auto& [name, value] : facts) EXPECT_EQ(value.find("hunter2"), std::string::npos);
}

TEST(Provenance, facts_of_this_node_are_all_there) {
  const Facts facts = node_facts();
  for (const char* name : {"boot_id", "container", "cpu.clock_mhz", "cpu.cores", "cpu.logical",
                           "cpu.model", "cpu.numa_nodes", "cpu.sockets", "cpu.threads_per_core",
                           "gpu", "kernel", "machine", "memory.bytes", "os"}) {
    EXPECT_FALSE(fact(facts, name).empty()) << name;
  }
  EXPECT_GE(std::stoi(fact(facts, "cpu.logical")), std::stoi(fact(facts, "cpu.cores")));
}

}  // namespace
}  // namespace kneepoint::agent
