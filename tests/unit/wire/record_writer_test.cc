// SPDX-License-Identifier: Apache-2.0
//
// The bytes of each record type: a change here is a change of the wire format.
#include <gtest/gtest.h>

#include <cmath>

#include "agents/wire/record.h"

namespace kneepoint::record {
namespace {

TEST(RecordWriter, writes_every_type_with_its_keys_in_a_fixed_order) {
  EXPECT_EQ(to_line(0, Begin{"r17-a1", 1700000000000000000}),
            "{\"v\":1,\"seq\":0,\"type\":\"begin\",\"attempt\":\"r17-a1\","
            "\"wall_ns\":1700000000000000000}\n");
  EXPECT_EQ(to_line(1, Provenance{"node1", {{"cpu.model", "A \"b\""}, {"kernel", "6.1"}}}),
            "{\"v\":1,\"seq\":1,\"type\":\"provenance\",\"scope\":\"node1\","
            "\"facts\":{\"cpu.model\":\"A \\\"b\\\"\",\"kernel\":\"6.1\"}}\n");
  EXPECT_EQ(to_line(2, Sample{3, true, 30, 20, 10, 12, 5, 3}),
            "{\"v\":1,\"seq\":2,\"type\":\"sample\",\"iteration\":3,\"warmup\":true,\"max_ns\":30,"
            "\"mean_ns\":20,\"min_ns\":10,\"compute_ns\":12,\"communication_ns\":5,"
            "\"other_ns\":3}\n");
  EXPECT_EQ(to_line(3, RankTotal{1, "node1", "0-1", 7, 8, 4096}),
            "{\"v\":1,\"seq\":3,\"type\":\"rank\",\"rank\":1,\"host\":\"node1\",\"cpus\":\"0-1\","
            "\"compute_ns\":7,\"communication_ns\":8,\"work\":4096}\n");
  EXPECT_EQ(to_line(4, Metric{"time", 0.25, "s"}),
            "{\"v\":1,\"seq\":4,\"type\":\"metric\",\"name\":\"time\",\"value\":0.25,"
            "\"unit\":\"s\"}\n");
  EXPECT_EQ(to_line(5, Failure{"no_device", "no CUDA device on n1"}),
            "{\"v\":1,\"seq\":5,\"type\":\"failure\",\"reason\":\"no_device\","
            "\"detail\":\"no CUDA device on n1\"}\n");
  EXPECT_EQ(to_line(5, Check{false, "residual 2"}),
            "{\"v\":1,\"seq\":5,\"type\":\"check\",\"passed\":false,\"detail\":\"residual 2\"}\n");
  EXPECT_EQ(to_line(6, Done{5}), "{\"v\":1,\"seq\":6,\"type\":\"done\",\"iterations\":5}\n");
  EXPECT_EQ(to_line(7, End{"failed", "exit_code", 3, 0, 9, 8, true, "why", 7, "00"}),
            "{\"v\":1,\"seq\":7,\"type\":\"end\",\"outcome\":\"failed\",\"reason\":\"exit_code\","
            "\"exit_code\":3,\"signal\":0,\"wall_ns\":9,\"elapsed_ns\":8,"
            "\"output_truncated\":true,\"detail\":\"why\",\"count\":7,\"checksum\":\"00\"}\n");
}

TEST(RecordWriter, leaves_the_stamp_out_of_what_a_workload_writes) {
  EXPECT_EQ(to_line(-1, Done{5}), "{\"type\":\"done\",\"iterations\":5}\n");
}

TEST(RecordWriter, never_breaks_a_line_whatever_the_text_contains) {
  const std::string line = to_line(0, Check{true, "two\nlines \xff and \x01 bytes"});
  EXPECT_EQ(line.find('\n'), line.size() - 1);
}

TEST(RecordWriter, writes_a_number_that_is_not_finite_as_null_which_the_reader_refuses) {
  const std::string line = to_line(-1, Metric{"x", std::nan(""), "s"});
  EXPECT_NE(line.find("\"value\":null"), std::string::npos);
  EXPECT_FALSE(stamp_line(0, line).has_value());
}

}  // namespace
}  // namespace kneepoint::record
