// SPDX-License-Identifier: Apache-2.0
//
// The cgroup's count of OOM kills, in both versions of cgroups.
#include "agents/agent/supervise/memory_events.h"

#include <gtest/gtest.h>

namespace kneepoint::agent {
namespace {

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
