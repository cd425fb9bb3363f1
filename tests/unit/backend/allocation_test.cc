// SPDX-License-Identifier: Apache-2.0
//
// What a launcher tells the agent, to the byte.
#include "orchestrator/backend/allocation.h"

#include <gtest/gtest.h>

namespace kneepoint {
namespace {

std::string text_of(const Step& step) {
  AllocationFile file;
  file.steps = {step_spec(step, {"mpirun"}, {}, 1000)};
  return allocation_text(file);
}

// What it says of a program's output and files.
std::string program_text_of(const Step& step) {
  const std::string text = text_of(step);
  const std::size_t begin = text.find("\"metrics\"");
  return "{" + text.substr(begin, text.rfind("]}\n") - begin);
}

TEST(AllocationText, HoldsAllThatTheAgentNeeds) {
  Step step;
  step.attempt = "r17-a1";
  step.run_dir = "/w/s/r17-a1";
  step.shape.ranks = 4;
  step.limit = 20 * kMinute;
  step.own_harness = true;
  step.metrics = {{"time", "t=([0-9.]+)", "s", "stdout"}};
  AllocationFile file;
  file.name = "kp-1";
  file.cpus = {0, 1};
  file.steps = {
      step_spec(step, {"mpirun", "-n", "4", "/p \"x\""}, {{"B", "2"}, {"A", "1"}, {"B", "3"}})};
  EXPECT_EQ(allocation_text(file),
            "{\"v\":1,\"name\":\"kp-1\",\"cpus\":[0,1],\"steps\":[{\"attempt\":\"r17-a1\","
            "\"run_dir\":\"/w/s/r17-a1\",\"argv\":[\"mpirun\",\"-n\",\"4\",\"/p \\\"x\\\"\"],"
            "\"env\":{\"A\":\"1\",\"B\":\"3\"},\"limit_ns\":1200000000000,\"own_harness\":true,"
            "\"ranks\":4,\"threads_per_rank\":1,\"bind\":\"core\",\"emulated\":false,"
            "\"oversubscribed\":false,\"metrics\":[{\"name\":\"time\",\"pattern\":\"t=([0-9.]+)\","
            "\"unit\":\"s\",\"from\":\"stdout\"}]}]}\n");
}

TEST(AllocationText, NamesTheProgramAndAsksForTheMachine) {
  Step step;
  step.command.argv = {"/p/kp-jacobi3d", "--size", "8"};
  EXPECT_NE(text_of(step).find("\"program\":\"/p/kp-jacobi3d\""), std::string::npos);
  EXPECT_EQ(text_of(step).find("measure_machine"), std::string::npos);
  step.measure_machine = true;
  EXPECT_NE(text_of(step).find("\"measure_machine\":true"), std::string::npos);
}

TEST(AllocationText, SaysWhereToPushOnlyWhereSomebodyListens) {
  const auto text = [](const PushTarget& push) {
    AllocationRequest request;
    request.push = push;
    return allocation_text(allocation_of(request));
  };
  EXPECT_EQ(text({}).find("push"), std::string::npos);
  EXPECT_NE(text({"https://h:1", "t", "c"})
                .find("\"push\":{\"url\":\"https://h:1\",\"token\":\"t\",\"ca\":\"c\"}"),
            std::string::npos);
}

TEST(ProgramText, SaysNothingThatIsNotAsked) {
  EXPECT_EQ(program_text_of(Step{}), "{\"metrics\":[]}");
}

TEST(ProgramText, HasEveryKindOfRuleAndLinksInputs) {
  Step step;
  step.metrics = {{"time", "t=(.*)", "s", "stdout", "", "", "lower"},
                  {"e", "", "", "file", "out.json", "$.e", ""}};
  SanityRule text, codes, value;
  text.kind = SanityRule::Kind::must_not_match;
  text.pattern = "NaN";
  codes.kind = SanityRule::Kind::exit_codes;
  codes.exit_codes = {0, 3};
  value.kind = SanityRule::Kind::metric;
  value.metric = "e";
  value.equals = -1.5;
  value.tolerance = 0.01;
  value.relative = true;
  step.program.sanity = {text, codes, value};
  step.program.own_folder = true;
  step.program.keep = {"*.log"};
  step.program.staged = {{"mesh", "/w/inputs/ab", "ab", 2, false, nullptr}};
  step.noise_sample = kSecond;
  const std::string metrics =
      R"j("metrics":[{"name":"time","pattern":"t=(.*)","unit":"s","from":"stdout",)j"
      R"j("better":"lower"},{"name":"e","pattern":"","unit":"","from":"file","file":"out.json",)j"
      R"j("json":"$.e"}])j";
  const std::string rules =
      R"j("sanity":[{"must_not_match":"NaN","from":"stdout"},{"exit_codes":[0,3]},)j"
      R"j({"metric":"e","equals":-1.5,"tolerance":0.01,"relative":true}])j";
  const std::string files =
      R"j("own_folder":true,"inputs":[{"name":"mesh","from":"/w/inputs/ab"}],"keep":["*.log"],)j"
      R"j("keep_bytes":1000)j";
  EXPECT_EQ(program_text_of(step),
            "{" + metrics + "," + rules + "," + files + ",\"noise_sample_ns\":1000000000}");
}

}  // namespace
}  // namespace kneepoint
