// SPDX-License-Identifier: Apache-2.0
//
// What a launcher may write and the agent reads, and what the agent says about what it may not.
#include "agents/wire/allocation.h"

#include <gtest/gtest.h>

#include "orchestrator/base/json_put.h"

namespace kneepoint {
namespace {

// Every field of the lists, one by one.
template <typename T>
void expect_same(const T& one, const T& other) {
  if constexpr (std::is_arithmetic_v<T> || JsonText<T> || std::is_same_v<T, wire::Pairs>) {
    EXPECT_EQ(one, other);
  } else if constexpr (JsonList<T>) {
    ASSERT_EQ(one.size(), other.size());
    for (std::size_t i = 0; i < one.size(); ++i) expect_same(one[i], other[i]);
  } else if constexpr (is_optional<T>) {
    ASSERT_EQ(one.has_value(), other.has_value());
    if (one) expect_same(*one, *other);
  } else {
    wire::each_field(other, [&](const auto& field) {
      SCOPED_TRACE(field.name);
      expect_same(one.*field.get, other.*field.get);
    });
  }
}

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

TEST(AllocationFile, is_read_as_it_was_written_and_written_alike_again) {
  AllocationFile file;
  file.name = "kp-1";
  file.cpus = {0, 2};
  file.push = {"https://h:1", "t", "c"};
  StepSpec step;
  step.attempt = "r17-a1";
  step.run_dir = "/w/r17-a1";
  step.argv = {"p", "\"x\""};
  step.env = {{"A", "1"}, {"B", ""}};
  step.limit_ns = 5;
  step.own_harness = step.emulated = step.oversubscribed = step.measure_machine = true;
  step.ranks = 4;
  step.threads_per_rank = 2;
  step.nodes = 3;
  step.place = "srun";
  step.bind = "core";
  step.program = "p";
  step.profile = "mpi";
  step.metrics = {{"time", "t=(.*)", "s", "file", "f", "$.t", "lower"}, {"e"}};
  SanityRule text, codes, value;
  text.kind = SanityRule::Kind::must_not_match;
  text.pattern = "NaN";
  text.from = "file";
  text.file = "log";
  codes.kind = SanityRule::Kind::exit_codes;
  codes.exit_codes = {0, 3};
  value.kind = SanityRule::Kind::metric;
  value.metric = "e";
  value.at_least = 0;
  value.at_most = 2;
  value.equals = -1.5;
  value.tolerance = 0.01;
  value.relative = true;
  step.sanity = {SanityRule{}, text, codes, value};
  step.own_folder = true;
  step.inputs = {{"a", "/s/a"}, {"b", "", std::string("\0\xff", 2), true}, {"empty", "", ""}};
  step.keep = {"*.log"};
  step.keep_bytes = 9;
  step.noise_sample_ns = 7;
  file.steps = {step, StepSpec{"r2-a1", "/w/r2-a1", {"q"}}};
  const std::string written = allocation_text(file);
  const auto read = parse_allocation(written);
  ASSERT_TRUE(read.has_value()) << read.error().message;
  expect_same(*read, file);
  EXPECT_EQ(allocation_text(*read), written);
  ASSERT_EQ(read->steps.size(), 2u);
  EXPECT_EQ(read->steps[0].inputs[1].content, std::string("\0\xff", 2));
}

TEST(AllocationFile, is_read_back_by_a_later_controller_whatever_it_asks_for) {
  const auto file = read_back_allocation(
      R"({"v":2,"name":"n","cpus":[3],"steps":[{"attempt":"a","run_dir":"/d","argv":[]}]})");
  ASSERT_TRUE(file);
  EXPECT_EQ(file->cpus, std::vector<int>{3});
  EXPECT_EQ(file->steps.at(0).run_dir, "/d");
  EXPECT_FALSE(read_back_allocation(R"({"v":1,"name":"n"})"));
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
  EXPECT_EQ(
      step(R"({"attempt":"a","run_dir":"/d","argv":["p"],"inputs":[{"name":"i","content":"?"}]})"),
      "step 1: an entry of 'inputs' has no name, or its content is not base64");
  EXPECT_EQ(step(R"({"attempt":"a","run_dir":"/d","argv":["p"]},{"run_dir":"/d"})"),
            "step 2 or before: [json.exception.out_of_range.403] key 'attempt' not found");
  EXPECT_NE(step(R"({"attempt":"a","run_dir":"/d"})").find("argv"), std::string::npos);
  EXPECT_NE(step(R"({"attempt":"a","run_dir":"/d","argv":["p"],"ranks":"4"})").find("type"),
            std::string::npos);
}

}  // namespace
}  // namespace kneepoint
