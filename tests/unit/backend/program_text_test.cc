// SPDX-License-Identifier: Apache-2.0
//
// What a launcher tells the agent of a program's output and files.
#include "orchestrator/backend/program_text.h"

#include <gtest/gtest.h>

namespace kneepoint {
namespace {

std::string text_of(const Step& step) {
  JsonWriter w;
  w.begin_object();
  write_program(w, step, 1000);
  return w.end_object().text();
}

TEST(ProgramText, SaysNothingThatIsNotAsked) {
  EXPECT_EQ(text_of(Step{}), "{\"metrics\":[]}");
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
  EXPECT_EQ(
      text_of(step),
      R"({"metrics":[{"name":"time","pattern":"t=(.*)","unit":"s","from":"stdout","better":"lower"
},)"
      R"({"name":"e","pattern":"","unit":"","from":"file","file":"out.json","json":"$.e"}],)"
      R"("sanity":[{"must_not_match":"NaN","from":"stdout"},{"exit_codes":[0,3]},)"
      R"({"metric":"e","equals":-1.5,"tolerance":0.01,"relative":true}],"own_folder":true,)"
      R"("inputs":[{"name":"mesh","from":"/w/inputs/ab"}],"keep":["*.log"],"keep_bytes":1000,)"
      R"("noise_sample_ns":1000000000})");
}

}  // namespace
}  // namespace kneepoint
