// SPDX-License-Identifier: Apache-2.0
//
// Noise from the plan to the report. The limits are such that the outcome does not depend on how
// busy the machine is: the GPUs are stand-ins, and nobody uses a million cores.
#include <gtest/gtest.h>
#include <stdlib.h>

#include <nlohmann/json.hpp>

#include "tests/fakes/kneepoint_process.h"

namespace kneepoint {
namespace {

using nlohmann::json;
using testing_support::Place;

std::string plan_of(const std::string& noise) {
  return "study: noise\nworker: rank\nscale: [1]\nmodes: [strong]\nworkloads:\n  - name: app\n"
         "    command: [/bin/sh, -c, 'sleep 0.6; echo t=1']\n    mpi: false\n"
         "    metrics: {time: {pattern: \"t=([0-9]+)\"}}\nrepeat: 1\nnoise: " +
         noise + "\n";
}

json story_of(const Place& place) {
  const auto told = place.kneepoint({"explain", "noise/r1", "--json"});
  EXPECT_EQ(told.exit_code, 0) << told.errors;
  return json::parse(told.output);
}

std::string fact_of(const json& attempt, const std::string& name) {
  for (const json& fact : attempt["provenance"]) {
    if (fact["name"] == name) return fact["value"];
  }
  return "none";
}

TEST(NoiseStudy, SamplesAreFactsOfTheRunAndCostNextToNothing) {
  const Place place;
  const std::string plan =
      place.write("plan.yaml", plan_of("{sample: 100ms, limit: {others: 1000000}}"));
  const auto ran = place.kneepoint({"run", plan});
  ASSERT_EQ(ran.exit_code, 0) << ran.errors;
  const json attempt = story_of(place)["attempts"][0];
  EXPECT_GE(std::stoi(fact_of(attempt, "noise.samples")), 2);
  EXPECT_NE(fact_of(attempt, "noise.others"), "none");
  EXPECT_LT(std::stod(fact_of(attempt, "noise.sampler_seconds")), 0.5);
  EXPECT_EQ(place.kneepoint({"report", "noise"}).output.find("disturbed"), std::string::npos);
}

TEST(NoiseStudy, WithoutThePlansWordNothingIsSampled) {
  const Place place;
  std::string plan = plan_of("");
  plan.resize(plan.find("noise: "));
  ASSERT_EQ(place.kneepoint({"run", place.write("plan.yaml", plan)}).exit_code, 0);
  EXPECT_EQ(fact_of(story_of(place)["attempts"][0], "noise.samples"), "none");
}

// The stand-in's second GPU is always throttled.
TEST(NoiseStudy, ADisturbedRunIsMarkedOrSetAsideAndRepeatedSoOftenAsThePlanSays) {
  ::setenv("KNEEPOINT_NVML", KP_TEST_DIR "/libfake_nvml.so", 1);
  const Place marked;
  auto ran = marked.kneepoint(
      {"run", marked.write("plan.yaml", plan_of("{sample: 100ms, limit: {throttle: 1%}}"))});
  ASSERT_EQ(ran.exit_code, 0) << ran.errors;
  const json attempt = story_of(marked)["attempts"][0];
  EXPECT_EQ(fact_of(attempt, "noise.gpu0.throttled"), "0");
  EXPECT_EQ(fact_of(attempt, "noise.gpu1.throttled"), "1");
  EXPECT_EQ(fact_of(attempt, "noise.gpu1.throttled_by"), "heat");
  EXPECT_EQ(fact_of(attempt, "leftovers"), "none");
  const json report = json::parse(marked.kneepoint({"report", "noise", "--json"}).output);
  const json run = report["cases"][0]["modes"]["strong"]["points"][0]["runs"][0];
  EXPECT_EQ(run["state"], "succeeded");
  EXPECT_NE(run["disturbed"].get<std::string>().find("a GPU was throttled in 100% of the samples"),
            std::string::npos);
  EXPECT_NE(marked.kneepoint({"report", "noise"}).output.find("disturbed"), std::string::npos);

  const Place repeated;
  ran = repeated.kneepoint(
      {"run", repeated.write("plan.yaml", plan_of("{sample: 100ms, limit: "
                                                  "{throttle: 1%}, repeat: 2}"))});
  EXPECT_EQ(ran.exit_code, 4) << ran.errors;  // the point has no undisturbed run
  const json story = story_of(repeated);
  ASSERT_EQ(story["attempts"].size(), 3u);
  for (const json& one : story["attempts"]) {
    EXPECT_EQ(one["state"], "invalid");
    EXPECT_EQ(one["reason"], "disturbed");
  }
  const std::string told = repeated.kneepoint({"explain", "noise/r1"}).output;
  EXPECT_NE(told.find("its time of 1 s does not count"), std::string::npos) << told;
  EXPECT_NE(told.find("invalid (disturbed): 2 retries are used up"), std::string::npos) << told;
  ::unsetenv("KNEEPOINT_NVML");
}

}  // namespace
}  // namespace kneepoint
