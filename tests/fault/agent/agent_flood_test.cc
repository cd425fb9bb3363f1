// SPDX-License-Identifier: Apache-2.0
//
// A gibibyte of output: neither kept nor in the way.
#include "tests/fault/agent/agent_fixture.h"

namespace kneepoint::agent {
namespace {

TEST_F(AgentTest, a_gibibyte_of_output_is_read_and_kept_in_part) {
  const auto r =
      run_one({.argv = misbehave("flood", "1024"), .time_pattern = "time=([0-9.]+) at the"});
  EXPECT_EQ(word(r), "succeeded/none") << end_of(r).detail;
  EXPECT_TRUE(end_of(r).output_truncated);
  EXPECT_EQ(r.metrics.at(0).value, 2.5);
  EXPECT_LT(read(run_dir(1) + "/stdout.txt").size(), 2200000u);
}

}  // namespace
}  // namespace kneepoint::agent
