// SPDX-License-Identifier: Apache-2.0
//
// What a launcher may write, and what the agent says about what it may not.
#include "agents/agent/allocation_file.h"

#include <gtest/gtest.h>

namespace kneepoint::agent {
namespace {

std::string message_of(const std::string& text) {
  const auto result = parse_allocation(text);
  return result ? "no problem" : result.error().message;
}

TEST(AllocationFile, reads_every_field) {
  const auto file = parse_allocation(
      R"json({"v":1,"name":"kp-1","steps":[{"attempt":"r17-a1","run_dir":"/w/r17-a1",
          "argv":["mpirun","-n","4","prog"],"env":{"A":"b"},"limit_ns":1200000000000,
          "own_harness":true,"ranks":4,"threads_per_rank":2,"nodes":2,"place":"mpirun",
          "bind":"core","emulated":true,
          "oversubscribed":true,"program":"prog","measure_machine":true,
          "metrics":[{"name":"time","pattern":"t=(.*)","unit":"s","from":"stderr"},
            {"name":"e","from":"file","file":"t.json","json":"$.e","better":"lower"}],
          "sanity":[{"must_not_match":"NaN","from":"stderr"},{"exit_codes":[0,3]},
            {"metric":"e","equals":-1.5,"tolerance":0.1,"relative":true}],
          "own_folder":true,"keep":["*.log"],"keep_bytes":9,"noise_sample_ns":5,
          "inputs":[{"name":"a","from":"/s/a"},{"name":"b","content":"aGk=","executable":true}]
          }]})json");
  ASSERT_TRUE(file.has_value()) << file.error().message;
  EXPECT_EQ(file->name, "kp-1");
  ASSERT_EQ(file->steps.size(), 1u);
  const StepSpec& step = file->steps[0];
  EXPECT_EQ(step.attempt, "r17-a1");
  EXPECT_EQ(step.run_dir, "/w/r17-a1");
  EXPECT_EQ(step.argv.size(), 4u);
  EXPECT_EQ(step.env[0].second, "b");
  EXPECT_EQ(step.limit_ns, 1200000000000);
  EXPECT_TRUE(step.own_harness && step.emulated && step.oversubscribed);
  EXPECT_EQ(step.ranks, 4);
  EXPECT_EQ(step.threads_per_rank, 2);
  EXPECT_EQ(step.nodes, 2);
  EXPECT_EQ(step.place, "mpirun");
  EXPECT_EQ(step.bind, "core");
  EXPECT_EQ(step.program, "prog");
  EXPECT_TRUE(step.measure_machine);
  EXPECT_EQ(step.metrics[0].from, "stderr");
  EXPECT_EQ(step.metrics[1].json + step.metrics[1].file + step.metrics[1].better, "$.et.jsonlower");
  ASSERT_EQ(step.sanity.size(), 3u);
  EXPECT_EQ(step.sanity[0].kind, SanityRule::Kind::must_not_match);
  EXPECT_EQ(step.sanity[1].exit_codes, std::vector<int>({0, 3}));
  EXPECT_EQ(*step.sanity[2].equals, -1.5);
  EXPECT_TRUE(step.sanity[2].relative && step.own_folder);
  EXPECT_EQ(step.keep, std::vector<std::string>({"*.log"}));
  EXPECT_EQ(step.keep_bytes + step.noise_sample_ns, 14);
  EXPECT_EQ(step.inputs[0].from, "/s/a");
  EXPECT_EQ(step.inputs[1].content, "hi");
  EXPECT_TRUE(step.inputs[1].executable);
}

TEST(AllocationFile, reads_where_to_push) {
  const auto file = parse_allocation(
      R"({"v":1,"name":"n","push":{"url":"https://h:1","token":"t","ca":"c"},"steps":[]})");
  ASSERT_TRUE(file.has_value()) << file.error().message;
  ASSERT_TRUE(file->push);
  EXPECT_EQ(file->push->url + file->push->token + file->push->ca, "https://h:1tc");
  EXPECT_FALSE(parse_allocation(R"({"v":1,"name":"n","steps":[]})")->push);
  EXPECT_NE(message_of(R"({"v":1,"name":"n","push":{"url":"u"},"steps":[]})").find("token"),
            std::string::npos);
}

TEST(AllocationFile, has_defaults_and_leaves_unknown_fields_alone) {
  const auto file = parse_allocation(
      R"({"v":1,"name":"n","new":1,"steps":[{"attempt":"a","run_dir":"/d","argv":["p"],"x":2}]})");
  ASSERT_TRUE(file.has_value()) << file.error().message;
  EXPECT_EQ(file->steps[0].bind, "none");
  EXPECT_EQ(file->steps[0].limit_ns, 0);
  EXPECT_EQ(file->steps[0].program, "");
  EXPECT_FALSE(file->steps[0].measure_machine);
}

TEST(AllocationFile, says_what_is_wrong_and_in_which_step) {
  EXPECT_NE(message_of("").find("parse error"), std::string::npos);
  EXPECT_NE(message_of("[]").find("type"), std::string::npos);
  EXPECT_NE(message_of(R"({"v":2,"name":"n","steps":[]})").find("version 2"), std::string::npos);
  EXPECT_NE(message_of(R"({"v":1,"name":"n"})").find("steps"), std::string::npos);
  const auto step = [](const std::string& fields) {
    return message_of(R"({"v":1,"name":"n","steps":[)" + fields + "]}");
  };
  EXPECT_EQ(step(R"({"attempt":"","run_dir":"/d","argv":["p"]})"), "step 1: 'attempt' is empty");
  EXPECT_EQ(step(R"({"attempt":"a","run_dir":"d","argv":["p"]})"),
            "step 1: 'run_dir' is 'd'; it must be an absolute path");
  EXPECT_EQ(step(R"({"attempt":"a","run_dir":"/d","argv":[]})"), "step 1: 'argv' names no program");
  EXPECT_EQ(step(R"({"attempt":"a","run_dir":"/d","argv":["p"],"env":{"A=B":"c"}})"),
            "step 1: 'A=B' in 'env' can't be an environment variable");
  EXPECT_EQ(step(R"({"attempt":"a","run_dir":"/d","argv":["p\u0000q"]})"),
            "step 1: an argument in 'argv' contains a NUL byte");
  EXPECT_NE(step(R"({"attempt":"a","run_dir":"/d"})").find("argv"), std::string::npos);
  EXPECT_NE(step(R"({"attempt":"a","run_dir":"/d","argv":["p"],"ranks":"4"})").find("type"),
            std::string::npos);
}

}  // namespace
}  // namespace kneepoint::agent
