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
  RunCounters counters(1, folder_.path());
  EXPECT_EQ(fact(counters.facts(), "cpu.clock_mhz_during"), "");  // never looked
  const Nanoseconds start = system_clock().steady();
  counters.look(start);  // too early: clocks rise first
  EXPECT_EQ(fact(counters.facts(), "cpu.clock_mhz_during"), "");
  counters.look(start + kMinute);
  EXPECT_EQ(fact(counters.facts(), "cpu.clock_mhz_during"), "2500");
  folder_.append("cpu0/cpufreq/scaling_cur_freq", "9");
  counters.look(start + kMinute + kMillisecond);
  EXPECT_EQ(fact(counters.facts(), "cpu.clock_mhz_during"), "2500");
}

TEST_F(RunCountersOfFiles, leave_out_a_clock_that_nobody_tells) {
  RunCounters counters(1, folder_.path());
  counters.look(system_clock().steady() + kMinute);
  EXPECT_EQ(fact(counters.facts(), "cpu.clock_mhz_during"), "");
  EXPECT_EQ(fact(counters.facts(), "memory.major_faults"), "0");
}

}  // namespace
}  // namespace kneepoint::agent
