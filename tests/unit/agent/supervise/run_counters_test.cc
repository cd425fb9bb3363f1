// SPDX-License-Identifier: Apache-2.0
#include "agents/agent/supervise/run_counters.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>

#include "agents/agent/file.h"
#include "agents/agent/text.h"
#include "tests/unit/agent/temporary_folder.h"

namespace kneepoint::agent {
namespace {

TEST(RunCounters, read_swapped_pages_in_and_out) {
  EXPECT_EQ(parse_swapped_pages("nr_free 5\npswpin 3\npswpout 4\nxpswpin 9\n"), 7);
  EXPECT_EQ(parse_swapped_pages("pswpin 3\npswpout 0\n"), 3);
  EXPECT_FALSE(parse_swapped_pages("pswpin 3\n"));
  EXPECT_FALSE(parse_swapped_pages("pswpin\npswpout x\n"));
  EXPECT_FALSE(parse_swapped_pages(""));
}

TEST(RunCounters, the_clock_is_that_of_the_busy_cpus) {
  EXPECT_FALSE(busy_clock_mhz({}, 2));
  EXPECT_EQ(busy_clock_mhz({1'200'000, 3'000'000, 1'200'000, 3'400'000}, 2), 3200);
  EXPECT_EQ(busy_clock_mhz({2'000'000}, 64), 2000);
  EXPECT_EQ(busy_clock_mhz({2'000'000, 1'000'000}, 0), 2000);
}

class RunCountersOfFiles : public testing::Test {
 protected:
  void set_clock(int cpu, const std::string& khz) {
    const std::string name = "cpu" + std::to_string(cpu);
    mkdir((folder_ / name).c_str(), 0700);
    mkdir((folder_ / (name + "/cpufreq")).c_str(), 0700);
    folder_.append(name + "/cpufreq/scaling_cur_freq", khz);
  }
  TemporaryFolder folder_;
};

TEST_F(RunCountersOfFiles, look_only_now_and_then) {
  set_clock(0, "2500000\n");
  set_clock(1, "1000000\n");
  ClockLooks clocks(1, folder_.path());
  EXPECT_EQ(fact(clocks.facts(), "cpu.clock_mhz_during"), "");  // never looked
  const Nanoseconds start = system_clock().steady();
  clocks.look(start);  // too early: clocks rise first
  EXPECT_EQ(fact(clocks.facts(), "cpu.clock_mhz_during"), "");
  clocks.look(start + kMinute);
  EXPECT_EQ(fact(clocks.facts(), "cpu.clock_mhz_during"), "2500");
  folder_.append("cpu0/cpufreq/scaling_cur_freq", "9");
  clocks.look(start + kMinute + kMillisecond);
  EXPECT_EQ(fact(clocks.facts(), "cpu.clock_mhz_during"), "2500");
}

TEST_F(RunCountersOfFiles, leave_out_a_clock_that_nobody_tells) {
  ClockLooks clocks(1, folder_.path());
  clocks.look(system_clock().steady() + kMinute);
  EXPECT_EQ(fact(clocks.facts(), "cpu.clock_mhz_during"), "");
  EXPECT_EQ(fact(memory_facts(RunCounters().spent()), "memory.major_faults"), "0");
}

TEST(OtherLoad, CountsEverythingButIdleAndWaitingForDisks) {
  //                   user nice system idle iowait irq softirq steal guest
  const auto ticks = parse_cpu_ticks("cpu  100 20 30 4000 500 6 7 8 9 0\ncpu0 1 2 3\n");
  ASSERT_TRUE(ticks.has_value());
  EXPECT_EQ(ticks->busy, 171U);
}

TEST(OtherLoad, SaysNothingOfTextItCannotRead) {
  EXPECT_FALSE(parse_cpu_ticks("").has_value());
  EXPECT_FALSE(parse_cpu_ticks("cpu  1 2 3\n").has_value());
  EXPECT_FALSE(parse_cpu_ticks("cpu  a b c d e f g h\n").has_value());
}

TEST(OtherLoad, AStepThatIsOverAtOnceTellsNothing) {
  EXPECT_FALSE(other_cores(core_use(RunCounters().spent())).has_value());
}

}  // namespace

// Whose CPU time is ours, by the texts of the kernel: that of the whole batch job or of the
// container, and never that of the whole machine. And its count of OOM kills. In both versions of
// control groups.

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
  const auto account = [&](bool in_pod) {
    return read_small(find_account(in_pod, {folder / "self", folder / "cg"}));
  };
  EXPECT_FALSE(parse_account(account(true)).has_value());
  folder.append("cg/cgroup.events", "populated 1\n");  // a container's own
  EXPECT_DOUBLE_EQ(parse_account(account(true)).value_or(0), 9);
  EXPECT_FALSE(parse_account(account(false)).has_value());
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
  EXPECT_EQ(named_counter("low 0\noom 3\noom_kill 2\noom_group_kill 1\n", "oom_kill"), 2);
  EXPECT_EQ(named_counter("oom_kill_disable 0\nunder_oom 0\noom_kill 5\n", "oom_kill"), 5);
  EXPECT_EQ(named_counter("oom_kill_disable 0\n", "oom_kill"), std::nullopt);
  EXPECT_EQ(named_counter("my_oom_kill 4\n", "oom_kill"), std::nullopt);
  EXPECT_EQ(named_counter("", "oom_kill"), std::nullopt);
}

}  // namespace

}  // namespace kneepoint::agent
