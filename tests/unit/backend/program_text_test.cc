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
  EXPECT_EQ(text_of(step),
            "{" + metrics + "," + rules + "," + files + ",\"noise_sample_ns\":1000000000}");
}

}  // namespace
}  // namespace kneepoint
