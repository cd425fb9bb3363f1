// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "orchestrator/report/document.h"
#include "tests/unit/report/sample_study.h"

namespace kneepoint {
namespace {

using Json = nlohmann::ordered_json;

void drop_volatile(Json& value) {
  if (value.is_object()) value.erase("volatile");
  for (auto& child : value) {
    if (child.is_structured()) drop_volatile(child);
  }
}

std::string without_volatile(const StudyEvidence& study) {
  Json value = Json::parse(to_json(make_document(study)));
  drop_volatile(value);
  return value.dump();
}

TEST(JsonReport, SameResultsGiveSameBytesWithoutTheVolatileKeys) {
  const StudyEvidence undisturbed = sample_study();
  StudyEvidence disturbed = undisturbed;
  disturbed.created_ns += kHour;
  disturbed.node_seconds *= 3;
  for (PointEvidence& point : disturbed.points) {
    for (RunEvidence& run : point.runs) {
      run.attempts += 2;
      run.hosts = "node7";
    }
  }
  EXPECT_NE(to_json(make_document(disturbed)), to_json(make_document(undisturbed)));
  EXPECT_EQ(without_volatile(disturbed), without_volatile(undisturbed));
}

TEST(JsonReport, ADifferentTimeIsADifferentReport) {
  StudyEvidence other = sample_study();
  other.points[0].runs[0].seconds += 1e-9;
  EXPECT_NE(without_volatile(other), without_volatile(sample_study()));
}

TEST(JsonReport, HoldsEveryRunWithItsStateAndTime) {
  const StudyEvidence study = sample_study();
  const Json value = Json::parse(to_json(make_document(study)));
  EXPECT_EQ(value["schema"], "kneepoint.report/1");
  std::size_t runs = 0, expected = 0;
  for (const auto& entry : value["cases"]) {
    for (const auto& curve : entry["modes"]) {
      for (const auto& point : curve["points"]) runs += point["runs"].size();
    }
  }
  for (const PointEvidence& point : study.points) expected += point.runs.size();
  EXPECT_EQ(runs, expected);
  const Json failed = value["cases"][0]["modes"]["strong"]["points"][2]["runs"][4];
  EXPECT_EQ(failed["state"], "failed");
  EXPECT_EQ(failed["reason"], "wrong_answer");
  EXPECT_TRUE(failed["seconds"].is_null());
}

TEST(JsonReport, NumbersThatDoNotExistAreNull) {
  const Json value = Json::parse(to_json(make_document(study_without_baseline())));
  EXPECT_EQ(value["red"], true);
  const Json curve = value["cases"][0]["modes"]["strong"];
  EXPECT_EQ(curve["k0"], 2);
  EXPECT_EQ(curve["k0_seconds"], 0.5);
  for (const char* key : {"low", "high", "level", "method"}) {
    EXPECT_TRUE(curve["points"][0]["time"][key].is_null()) << key;
    EXPECT_TRUE(curve["points"][0]["efficiency"][key].is_null()) << key;
    EXPECT_TRUE(curve["points"][1]["efficiency"][key].is_null()) << key << " of the baseline";
  }
  EXPECT_TRUE(curve["points"][0]["time"]["median"].is_null());
  EXPECT_TRUE(curve["points"][0]["speedup"]["value"].is_null());
  EXPECT_EQ(curve["points"][1]["efficiency"]["value"], 1);
}

TEST(JsonReport, OfAnEmptyStudyIsStillAReport) {
  const Json value = Json::parse(to_json(make_document(StudyEvidence{})));
  EXPECT_EQ(value["red"], true);
  EXPECT_TRUE(value["cases"].empty());
}

}  // namespace
}  // namespace kneepoint
