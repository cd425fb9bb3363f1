// SPDX-License-Identifier: Apache-2.0
#include "agents/agent/supervise/run_counters.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

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
  const auto busy = parse_busy_seconds("cpu  100 20 30 4000 500 6 7 8 9 0\ncpu0 1 2 3\n", 100);
  ASSERT_TRUE(busy.has_value());
  EXPECT_DOUBLE_EQ(*busy, 1.71);
}

TEST(OtherLoad, SaysNothingOfTextItCannotRead) {
  EXPECT_FALSE(parse_busy_seconds("", 100).has_value());
  EXPECT_FALSE(parse_busy_seconds("cpu  1 2 3\n", 100).has_value());
  EXPECT_FALSE(parse_busy_seconds("cpu  a b c d e f g h\n", 100).has_value());
  EXPECT_FALSE(parse_busy_seconds("cpu  1 2 3 4 5 6 7 8\n", 0).has_value());
}

TEST(OtherLoad, AStepThatIsOverAtOnceTellsNothing) {
  EXPECT_FALSE(other_cores(core_use(RunCounters().spent())).has_value());
}

}  // namespace
}  // namespace kneepoint::agent
