// SPDX-License-Identifier: Apache-2.0
//
// Texts of the system to facts, from machines of different kinds.
#include "agents/agent/provenance/provenance.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/unit/agent/temporary_folder.h"

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

TEST(Provenance, reads_the_sizes_of_the_caches) {
  EXPECT_EQ(
      parse_caches({{"1", "Data", "32K", "0"},
                    {"1", "Instruction", "32K", "0"},
                    {"2", "Unified", "512K", "0"},
                    {"3", "Unified", "32M", "0-7,64-71"}}),
      (Facts{
          {"cache.l2_bytes", "524288"}, {"cache.l3_bytes", "33554432"}, {"cache.l3_cpus", "16"}}));
  EXPECT_TRUE(parse_caches({}).empty());
  EXPECT_TRUE(
      parse_caches({{"2", "Unified", "unknown", "0"}, {"3", "Unified", "0K", "0"}}).empty());
}

class ProgramHash : public testing::Test {
 protected:
  ProgramHash() { setenv("XDG_RUNTIME_DIR", folder_.path().c_str(), 1); }
  ~ProgramHash() override { unsetenv("XDG_RUNTIME_DIR"); }
  std::string program(const std::string& name, const std::string& text) {
    folder_.append(name, text);
    return folder_ / name;
  }
  TemporaryFolder folder_;
};

TEST_F(ProgramHash, is_the_same_for_the_same_bytes_and_another_for_others) {
  const std::string first = program("a", "one build"), copy = program("b", "one build");
  const std::string hash = program_hash(first);
  EXPECT_EQ(hash.size(), 16u);
  EXPECT_EQ(program_hash(first), hash);
  EXPECT_EQ(program_hash(copy), hash);
  EXPECT_NE(program_hash(program("c", "another")), hash);
  folder_.append("a", ", changed in place");
  EXPECT_NE(program_hash(first), hash);
  EXPECT_EQ(program_hash(folder_ / "missing"), "");
  EXPECT_EQ(program_hash(folder_.path()), "");
}

TEST_F(ProgramHash, is_of_the_ranks_program_not_of_their_starter) {
  StepSpec step;
  step.argv = {"mpirun", "-n", "2", "/x/prog"};
  EXPECT_EQ(program_of(step), "");
  step.program = program("prog", "bytes");
  EXPECT_EQ(program_of(step), folder_ / "prog");
  EXPECT_EQ(fact(step_facts(step), "program.hash"), program_hash(folder_ / "prog"));
  step.program.clear();
  step.argv = {folder_ / "prog"};
  EXPECT_EQ(program_of(step), folder_ / "prog");
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

// The cache saves gathering, and believes nobody else's files.

namespace {

class FactCache : public testing::Test {
 protected:
  Facts get() {
    return cached_facts(folder_.path(), "node", [this] {
      ++gathered_;
      return facts_;
    });
  }
  TemporaryFolder folder_;
  Facts facts_ = {{"cpu.model", "X"}, {"kernel", "6.1"}};
  int gathered_ = 0;
};

TEST_F(FactCache, gathers_once_and_then_reads) {
  EXPECT_EQ(get(), facts_);
  EXPECT_EQ(get(), facts_);
  EXPECT_EQ(gathered_, 1);
  struct stat status {};
  ASSERT_EQ(stat((folder_ / "node.json").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600u);
}

TEST_F(FactCache, gathers_again_when_the_kept_file_is_broken) {
  folder_.append("node.json", "half a rec");
  chmod((folder_ / "node.json").c_str(), 0600);
  EXPECT_EQ(get(), facts_);
  EXPECT_EQ(gathered_, 1);
  EXPECT_EQ(get(), facts_);
  EXPECT_EQ(gathered_, 1);  // it was replaced
}

TEST_F(FactCache, does_not_believe_a_file_that_others_can_write) {
  get();
  chmod((folder_ / "node.json").c_str(), 0666);
  get();
  EXPECT_EQ(gathered_, 2);
}

TEST_F(FactCache, does_not_follow_a_link) {
  get();
  ASSERT_EQ(rename((folder_ / "node.json").c_str(), (folder_ / "other").c_str()), 0);
  ASSERT_EQ(symlink((folder_ / "other").c_str(), (folder_ / "node.json").c_str()), 0);
  get();
  EXPECT_EQ(gathered_, 2);
}

TEST_F(FactCache, keeps_nothing_when_nothing_was_found_or_no_folder_is_safe) {
  facts_.clear();
  get();
  get();
  EXPECT_EQ(gathered_, 2);
  facts_ = {{"a", "b"}};
  EXPECT_EQ(cached_facts("", "node", [this] { return facts_; }), facts_);
}

}  // namespace

}  // namespace kneepoint::agent
