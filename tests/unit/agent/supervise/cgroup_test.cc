// SPDX-License-Identifier: Apache-2.0
//
// Whose CPU time is ours, by the texts of the kernel: that of the whole batch job or of the
// container, and never that of the whole machine. And its count of OOM kills. In both versions of
// control groups.
#include "agents/agent/supervise/run_counters.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "tests/unit/agent/temporary_folder.h"

namespace kneepoint::agent {
namespace {

bool has(const std::vector<std::string>& all, const std::string& one) {
  return std::find(all.begin(), all.end(), one) != all.end();
}

TEST(CpuAccount, OfASlurmJobIsTheWholeJobsInBothVersionsOfControlGroups) {
  EXPECT_TRUE(has(account_folders("0::/system.slice/slurmstepd.scope/job_12/step_3/user/task_0\n",
                                  "/cg", false),
                  "/cg/system.slice/slurmstepd.scope/job_12"));
  const auto first = account_folders(
      "5:memory:/slurm/uid_0/job_7/step_0\n4:cpu,cpuacct:/slurm/uid_0/job_7/step_0/task_1\n", "/cg",
      false);
  EXPECT_TRUE(has(first, "/cg/cpu,cpuacct/slurm/uid_0/job_7"));
  EXPECT_TRUE(has(first, "/cg/cpuacct/slurm/uid_0/job_7"));
}

TEST(CpuAccount, WithoutAJobNothingIsOurs) {
  for (const char* text : {"", "0::/\n", "0::/user.slice/job_x/job_\n", "0::/my_job_12\n",
                           "3:cpuset:/slurm/uid_0/job_7\n", "nonsense\n", "0:\n"}) {
    EXPECT_TRUE(account_folders(text, "/cg", false).empty()) << text;
  }
}

TEST(CpuAccount, OfAPodIsTheContainersWhateverItSeesOfItsPath) {
  EXPECT_TRUE(has(account_folders("0::/\n", "/cg", true), "/cg"));
  const auto folders = account_folders("4:cpu,cpuacct:/kubepods/pod1/c2\n", "/cg", true);
  EXPECT_TRUE(has(folders, "/cg/cpu,cpuacct/kubepods/pod1/c2"));
  EXPECT_TRUE(has(folders, "/cg/cpu,cpuacct"));
}

TEST(CpuAccount, IsSecondsFromEitherFile) {
  EXPECT_DOUBLE_EQ(*parse_account("usage_usec 2500000\nuser_usec 1\n"), 2.5);
  EXPECT_DOUBLE_EQ(*parse_account("1500000000\n"), 1.5);
  EXPECT_FALSE(parse_account("").has_value());
  EXPECT_FALSE(parse_account("user_usec 5\n").has_value());
}

TEST(CpuAccount, TheRootOfTheWholeMachineIsNobodys) {
  const TemporaryFolder folder;
  folder.append("self", "0::/\n2:cpuacct:/\n");
  std::filesystem::create_directories(folder / "cg/cpuacct");
  folder.append("cg/cpu.stat", "usage_usec 9000000\n");
  folder.append("cg/cpuacct/cpuacct.usage", "9000000000\n");
  folder.append("cg/cpuacct/release_agent", "");
  const CgroupPlaces places{folder / "self", folder / "cg"};
  EXPECT_FALSE(CpuAccount(true, places).seconds().has_value());
  folder.append("cg/cgroup.events", "populated 1\n");  // a container's own
  EXPECT_DOUBLE_EQ(CpuAccount(true, places).seconds().value_or(0), 9);
  EXPECT_FALSE(CpuAccount(false, places).seconds().has_value());
}

TEST(MemoryEvents, finds_the_file_of_either_version) {
  EXPECT_EQ(memory_events_path("0::/user.slice/job_7\n"),
            "/sys/fs/cgroup/user.slice/job_7/memory.events");
  EXPECT_EQ(memory_events_path("5:cpu:/x\n4:memory:/job_7\n0::/\n"),
            "/sys/fs/cgroup/memory/job_7/memory.oom_control");
  EXPECT_EQ(memory_events_path("4:cpuset,memory:/job_7\n"),
            "/sys/fs/cgroup/memory/job_7/memory.oom_control");
  EXPECT_EQ(memory_events_path("nonsense"), "");
  EXPECT_EQ(memory_events_path(""), "");
}

TEST(MemoryEvents, reads_the_count_and_not_a_name_that_ends_alike) {
  EXPECT_EQ(memory_events_path_in_container("/sys/fs/cgroup/memory/kubepods/x/memory.oom_control"),
            "/sys/fs/cgroup/memory/memory.oom_control");
  EXPECT_EQ(memory_events_path_in_container("/sys/fs/cgroup/kubepods/x/memory.events"),
            "/sys/fs/cgroup/memory.events");
  EXPECT_EQ(parse_oom_kills("low 0\noom 3\noom_kill 2\noom_group_kill 1\n"), 2);
  EXPECT_EQ(parse_oom_kills("oom_kill_disable 0\nunder_oom 0\noom_kill 5\n"), 5);
  EXPECT_EQ(parse_oom_kills("oom_kill_disable 0\n"), std::nullopt);
  EXPECT_EQ(parse_oom_kills("my_oom_kill 4\n"), std::nullopt);
  EXPECT_EQ(parse_oom_kills(""), std::nullopt);
}

}  // namespace
}  // namespace kneepoint::agent
