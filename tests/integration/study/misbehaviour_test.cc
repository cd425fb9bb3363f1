// SPDX-License-Identifier: Apache-2.0
//
// Programs that misbehave, through the whole product: each ends as a named outcome, and the study
// goes on to its end.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/fakes/kneepoint_process.h"

namespace kneepoint {
namespace {

using nlohmann::json;
using testing_support::Place;

struct Case {
  const char* name;
  std::vector<const char*> arguments;
  const char* state;
  const char* reason;
};

void PrintTo(const Case& c, std::ostream* out) {
  *out << c.name;
}

class Misbehaviour : public testing::TestWithParam<Case> {};

TEST_P(Misbehaviour, EndsAsANamedOutcomeAndTheStudyGoesOn) {
  const Case& c = GetParam();
  Place place;
  std::string arguments;
  for (const char* a : c.arguments) arguments += std::string(", \"") + a + "\"";
  const std::string plan = R"y(study: misbehaving
worker: rank
scale: [1]
modes: [strong]
workloads:
  - name: bad
    command: [")y" KP_TEST_DIR R"y(/misbehaving_program")y" +
                           arguments + R"y(]
    mpi: false
    metrics: {time: {pattern: "t=([0-9.]+)", unit: s}}
  - name: good
    command: [/bin/echo, "t=0.5"]
    mpi: false
    metrics: {time: {pattern: "t=([0-9.]+)", unit: s}}
repeat: 1
limits: {timeout: 1s, retries: 0}
)y";
  const auto ran = place.kneepoint({"run", place.write("plan.yaml", plan)});
  EXPECT_EQ(ran.exit_code, std::string(c.state) == "succeeded" ? 0 : 4) << ran.errors;
  const auto reported = place.kneepoint({"report", "misbehaving", "--json"});
  const json report = json::parse(reported.output);
  int seen = 0;
  for (const json& entry : report["cases"]) {
    const json& run = entry["modes"]["strong"]["points"][0]["runs"][0];
    if (entry["case"] == "good") {
      EXPECT_EQ(run["state"], "succeeded");
    } else {
      EXPECT_EQ(run["state"], c.state) << run.dump();
      EXPECT_EQ(run["reason"], c.reason) << run.dump();
    }
    ++seen;
  }
  EXPECT_EQ(seen, 2);
}

INSTANTIATE_TEST_SUITE_P(
    EveryKind, Misbehaviour,
    testing::Values(
        Case{"hangs", {"hang"}, "timed_out", "time_limit"},
        Case{"ignores_sigterm", {"hang-ignoring-sigterm"}, "timed_out", "time_limit"},
        Case{"crashes", {"crash"}, "failed", "killed_by_signal"},
        Case{"exits_7", {"exit", "7"}, "failed", "exit_code"},
        Case{"floods", {"flood", "64"}, "failed", "no_time"},
        Case{"writes_garbage", {"garbage"}, "invalid", "bad_record"},
        Case{"hides_records_in_a_fifo", {"replace-records", "fifo"}, "invalid", "bad_record"},
        Case{"hides_records_in_a_folder", {"replace-records", "folder"}, "invalid", "bad_record"},
        Case{"leaves_a_daemon", {"daemon"}, "failed", "no_time"}),
    [](const auto& instance) { return std::string(instance.param.name); });

}  // namespace
}  // namespace kneepoint
