// SPDX-License-Identifier: Apache-2.0
//
// A gibibyte of output: neither kept nor in the way.
#include "orchestrator/base/clock.h"
#include "tests/fault/agent/agent_fixture.h"

namespace kneepoint::agent {
namespace {

TEST_F(AgentTest, a_gibibyte_of_output_is_read_in_seconds_and_kept_in_part) {
  const auto r =
      run_one({.argv = misbehave("flood", "1024"), .time_pattern = "time=([0-9.]+) at the"});
  EXPECT_EQ(word(r), "succeeded/none") << r.end->detail;
  EXPECT_TRUE(r.end->output_truncated);
  EXPECT_EQ(r.metrics.at(0).value, 2.5);
  EXPECT_LT(read(run_dir(1) + "/stdout.txt").size(), 2200000u);
  EXPECT_LT(r.end->elapsed_ns, 60 * kSecond);
}

}  // namespace
}  // namespace kneepoint::agent
