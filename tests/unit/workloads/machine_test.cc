// SPDX-License-Identifier: Apache-2.0
//
// The parts of kp-machine_probe. How fast the machine is, no test knows.
#include <gtest/gtest.h>

#include "workloads/machine/rates.h"

namespace kneepoint::workloads {
namespace {

constexpr std::int64_t kMiB = 1024 * 1024;

TEST(MemoryRoom, IsReadFromTheSystem) {
  EXPECT_EQ(parse_available_memory("MemTotal: 9 kB\nMemAvailable:     7 kB\n"), 7 * 1024);
  EXPECT_FALSE(parse_available_memory("MemTotal: 9 kB\n"));
  EXPECT_EQ(memory_cgroup("0::/user.slice/job_1\n"), "/sys/fs/cgroup/user.slice/job_1");
  EXPECT_EQ(memory_cgroup("4:memory:/a\n0::/b\n"), "/sys/fs/cgroup/b");
  EXPECT_EQ(memory_cgroup(""), "");
  EXPECT_GT(memory_room(), 0);
}

TEST(TriadElements, AreMoreThanTheCachesHold) {
  EXPECT_EQ(triad_elements(0, 1 << 30), 96 * kMiB / 24);
  EXPECT_EQ(triad_elements(100 * kMiB, 64LL << 30), 400 * kMiB / 24);
  EXPECT_EQ(triad_elements(400 * kMiB, 64LL << 30), 1024 * kMiB / 24);  // not more than that
}

TEST(TriadElements, AreNoneWhereTheMemoryIsTooSmallForThem) {
  EXPECT_FALSE(triad_elements(0, 64 * kMiB));
  EXPECT_FALSE(triad_elements(300 * kMiB, 1024 * kMiB));  // 256 MiB would fit the cache
  EXPECT_FALSE(triad_elements(1024 * kMiB, 64LL << 30));  // 1 GiB would
  EXPECT_EQ(triad_elements(100 * kMiB, 800 * kMiB), 200 * kMiB / 24);
}

TEST(Rates, ArePositive) {
  EXPECT_GT(gemm_rate(1), 0);
  EXPECT_GT(triad_rate(100'000, 1, 1), 0);
  EXPECT_GT(triad_rate(100'000, 2, 1), 0);
}

TEST(Attention, IsAShareOfTheCpusAskedFor) {
  const Attention attention;
  gemm_rate(1);
  EXPECT_GT(attention.share(1), 0);
  EXPECT_LT(attention.share(64), 0.5);  // two threads at most have worked
}

}  // namespace
}  // namespace kneepoint::workloads
