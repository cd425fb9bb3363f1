// SPDX-License-Identifier: Apache-2.0
//
// What a workload may send through the agent, and what it may not.
#include <gtest/gtest.h>

#include "agents/wire/record.h"

namespace kneepoint::record {
namespace {

TEST(Stamp, a_workloads_line_comes_out_as_if_the_agent_had_written_it) {
  const Sample sample{3, false, 30, 20, 10, 12, 5, 3};
  EXPECT_EQ(stamp_line(9, to_line(-1, sample)), to_line(9, sample));
  const RankTotal rank{1, "node1", "0-1", 7, 8, 0.5};
  EXPECT_EQ(stamp_line(9, to_line(-1, rank)), to_line(9, rank));
  const Metric metric{"bandwidth", 1e9, "B/s"};
  EXPECT_EQ(stamp_line(9, to_line(-1, metric)), to_line(9, metric));
  const Check check{true, ""};
  EXPECT_EQ(stamp_line(9, to_line(-1, check)), to_line(9, check));
  const Done done{4};
  EXPECT_EQ(stamp_line(9, to_line(-1, done)), to_line(9, done));
  const Provenance provenance{"workload", {{"compiler", "g++ 12"}}};
  EXPECT_EQ(stamp_line(9, to_line(-1, provenance)), to_line(9, provenance));
}

TEST(Stamp, a_workload_may_not_begin_or_end_a_step_or_speak_for_a_node) {
  EXPECT_FALSE(stamp_line(0, to_line(-1, Begin{"r1-a1", 1})));
  EXPECT_FALSE(stamp_line(0, to_line(-1, End{"succeeded", "none", 0, 0, 1, 1, false, "", 0, ""})));
  EXPECT_FALSE(stamp_line(0, to_line(-1, Provenance{"node1", {{"cpu.model", "fast"}}})));
}

TEST(Stamp, a_stamp_of_the_workloads_own_is_replaced) {
  EXPECT_EQ(stamp_line(5, "{\"v\":9,\"seq\":77,\"type\":\"done\",\"iterations\":1}"),
            to_line(5, Done{1}));
}

TEST(Stamp, what_is_no_record_is_refused) {
  for (const char* line : {
           "",
           "garbage",
           "[1,2]",
           "{}",
           "{\"type\":\"unheard_of\"}",
           "{\"type\":\"done\"}",
           "{\"type\":\"done\",\"iterations\":\"3\"}",
           "{\"type\":\"done\",\"iterations\":-1}",
           "{\"type\":\"done\",\"iterations\":1.5}",
           "{\"type\":\"done\",\"iterations\":99999999999}",
           "{\"type\":\"metric\",\"name\":\"x\",\"value\":1e999,\"unit\":\"\"}",
           "{\"type\":\"metric\",\"name\":\"\",\"value\":1,\"unit\":\"\"}",
           "{\"type\":\"metric\",\"name\":\"time\",\"value\":1,\"unit\":\"furlong\"}",
           "{\"type\":\"metric\",\"name\":\"time\",\"value\":0,\"unit\":\"s\"}",
           "{\"type\":\"check\",\"passed\":1,\"detail\":\"\"}",
           "{\"type\":\"done\",\"iterations\":1}x",
       }) {
    EXPECT_FALSE(stamp_line(0, line)) << line;
  }
}

TEST(Stamp, a_sample_must_be_ordered_and_never_negative) {
  EXPECT_TRUE(stamp_line(0, to_line(-1, Sample{0, false, 3, 2, 1, 1, 1, 0})));
  EXPECT_FALSE(stamp_line(0, to_line(-1, Sample{0, false, 1, 2, 3, 1, 1, 0})));
  EXPECT_FALSE(stamp_line(0, to_line(-1, Sample{0, false, 3, 2, 1, 1, 2, -1})));
}

TEST(Stamp, a_line_longer_than_the_limit_is_refused) {
  EXPECT_FALSE(stamp_line(0, to_line(-1, Check{true, std::string(kMaxLine, 'x')})));
  EXPECT_TRUE(stamp_line(0, to_line(-1, Check{true, std::string(kMaxLine / 2, 'x')})));
}

}  // namespace
}  // namespace kneepoint::record
