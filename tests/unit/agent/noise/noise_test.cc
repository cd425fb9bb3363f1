// SPDX-License-Identifier: Apache-2.0
//
// Samples to facts, as a table; and the sampler itself on files of its own.
#include "agents/agent/noise/noise.h"

#include <gtest/gtest.h>

#include "tests/unit/agent/temporary_folder.h"

namespace kneepoint::agent {
namespace {

std::string fact_of(const Facts& facts, const std::string& name) {
  for (const auto& [known, value] : facts) {
    if (known == name) return value;
  }
  return "none";
}

NoiseSample at(double seconds, std::uint64_t busy, std::uint64_t steal) {
  NoiseSample sample;
  sample.at = from_seconds(seconds);
  sample.cpu = CpuTicks{busy, steal};
  return sample;
}

TEST(Noise, ReadsTheFirstLineOfProcStat) {
  const auto ticks = parse_cpu_ticks("cpu  100 1 20 5000 30 2 3 7 9 0\ncpu0 1 1 1 1\n");
  ASSERT_TRUE(ticks.has_value());
  EXPECT_EQ(ticks->busy, 133u);
  EXPECT_EQ(ticks->steal, 7u);
  EXPECT_FALSE(parse_cpu_ticks("").has_value());
  EXPECT_FALSE(parse_cpu_ticks("cpu  1 2 3\n").has_value());
  EXPECT_FALSE(parse_cpu_ticks("cpu0 1 2 3 4 5 6 7 8\n").has_value());
}

TEST(Noise, StealIsAShareOfTheTimeThatCpusWantedToRun) {
  Noise noise;
  noise.add(at(0, 1000, 50));
  EXPECT_TRUE(noise.facts().empty());  // one sample says nothing
  noise.add(at(1, 1100, 50));
  noise.add(at(2, 1200, 60));
  const Facts facts = noise.facts();
  EXPECT_EQ(fact_of(facts, "noise.samples"), "3");
  EXPECT_EQ(fact_of(facts, "noise.steal"), "0.05");
  EXPECT_EQ(fact_of(facts, "noise.steal_worst"), "0.1");
  EXPECT_EQ(fact_of(facts, "noise.clock_mhz"), "none");
  EXPECT_EQ(fact_of(facts, "noise.memory_gb_per_s"), "none");
  EXPECT_EQ(fact_of(facts, "noise.gpu_throttled"), "none");
}

TEST(Noise, TheClocksDropIsFromItsHighest) {
  Noise noise;
  for (const double mhz : {3000.0, 2400.0, 2700.0}) {
    NoiseSample sample = at(0, 0, 0);
    sample.clock_mhz = mhz;
    noise.add(sample);
  }
  const Facts facts = noise.facts();
  EXPECT_EQ(fact_of(facts, "noise.clock_mhz"), "2700");
  EXPECT_EQ(fact_of(facts, "noise.clock_mhz_low"), "2400");
  EXPECT_EQ(fact_of(facts, "noise.clock_drop"), "0.2");
}

TEST(Noise, MemoryIsBytesOverTheWholeTime) {
  Noise noise;
  NoiseSample first = at(1, 0, 0);
  first.memory_bytes = 1'000'000'000;
  NoiseSample last = at(3, 0, 0);
  last.memory_bytes = 21'000'000'000;
  noise.add(first);
  noise.add(last);
  EXPECT_EQ(fact_of(noise.facts(), "noise.memory_gb_per_s"), "10");
}

TEST(Noise, AGpuIsThrottledByHeatAndPowerNotByIdling) {
  EXPECT_FALSE(is_throttled(0x01 | 0x02 | 0x100));
  for (const int bit : {0x04, 0x08, 0x20, 0x40, 0x80}) EXPECT_TRUE(is_throttled(bit)) << bit;
  EXPECT_EQ(throttle_words(0x24), "power cap, heat");
  const auto sample = parse_gpu_line("gpu 1 1200 1980 24");
  ASSERT_TRUE(sample.has_value());
  EXPECT_EQ(sample->index, 1);
  EXPECT_EQ(sample->clock_mhz, 1200);
  EXPECT_EQ(sample->reasons, 0x24u);
  for (const char* bad : {"", "gpu", "gpu 1 2 3", "gpu 1 2 3 4 5", "gpu x 2 3 4", "cpu 1 2 3 4"}) {
    EXPECT_FALSE(parse_gpu_line(bad).has_value()) << bad;
  }
  Noise noise;
  NoiseSample one = at(0, 0, 0), two = at(1, 0, 0);
  one.gpus = {{0, 1980, 1980, 0}, {1, 1200, 1980, 0x20}};
  two.gpus = {{0, 1960, 1980, 1}, {1, 1900, 1980, 0}};
  noise.add(one);
  noise.add(two);
  const Facts facts = noise.facts();
  EXPECT_EQ(fact_of(facts, "noise.gpu0.throttled"), "0");
  EXPECT_EQ(fact_of(facts, "noise.gpu1.throttled"), "0.5");
  EXPECT_EQ(fact_of(facts, "noise.gpu1.throttled_by"), "heat");
  EXPECT_EQ(fact_of(facts, "noise.gpu1.clock_mhz_low"), "1200");
  EXPECT_EQ(fact_of(facts, "noise.gpu_throttled"), "0.5");
}

TEST(NoiseSampler, IsOffWithoutAnInterval) {
  NoiseSampler sampler(0, 1);
  sampler.stop();
  EXPECT_TRUE(sampler.facts().empty());
}

TEST(NoiseSampler, TakesItsFirstAndLastSampleHoweverShortTheRun) {
  const TemporaryFolder folder;
  folder.append("stat", "cpu  100 0 0 0 0 0 0 10 0 0\n");
  std::filesystem::create_directories(folder / "mon/mon_L3_00");
  folder.append("mon/mon_L3_00/mbm_total_bytes", "4096\n");
  NoiseSampler sampler(kMinute, 1, {folder / "stat", folder / "cpus", folder / "mon"});
  sampler.stop();
  const Facts facts = sampler.facts();
  EXPECT_EQ(fact_of(facts, "noise.samples"), "2");
  EXPECT_EQ(fact_of(facts, "noise.steal"), "0");
  EXPECT_EQ(fact_of(facts, "noise.memory_gb_per_s"), "0");
  EXPECT_EQ(fact_of(facts, "noise.others"), "none");
  EXPECT_NE(fact_of(facts, "noise.sampler_seconds"), "none");
  EXPECT_EQ(memory_bytes_now(folder / "mon"), 4096u);
  EXPECT_EQ(memory_bytes_now(folder / "none"), std::nullopt);
}

}  // namespace
}  // namespace kneepoint::agent
