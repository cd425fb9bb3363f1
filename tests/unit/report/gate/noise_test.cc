// SPDX-License-Identifier: Apache-2.0
//
// What is known of a site's noise, and what is not, in words.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "orchestrator/base/json_put.h"
#include "orchestrator/report/gate/gate.h"

namespace kneepoint {
namespace {

NoiseReport report() {
  NoiseReport out;
  out.series = "app-0123abcd";
  out.studies = {"app-noise-0123abcd-1", "app-noise-0123abcd-2"};
  out.noise.repeat_sd = 0.021;
  out.noise.common_night_sd = 0.0;
  out.noise.point_night_sd = 0.004;
  out.noise.runs = 30;
  out.noise.points = 3;
  out.noise.nights = 2;
  out.noise.untold = {"All runs were on the same nodes."};
  out.shape = {{3}, 5, 20};
  out.quiet = {1000, 0.012, 0, 0.001, 0.987};
  out.detectable = 0.034;
  out.advice = {7, 12, 0.048, true};
  return out;
}

bool has(const std::string& text, const std::string& words) {
  return text.find(words) != std::string::npos;
}

TEST(NoiseText, SaysWhatIsKnownAndWhatIsNot) {
  const std::string text = noise_text(report(), 400);
  EXPECT_TRUE(has(text, "2 studies of one build, 3 points, 30 runs")) << text;
  EXPECT_TRUE(has(text, "repeats                  2.1%")) << text;
  EXPECT_TRUE(has(text, "none seen  slower or faster together")) << text;
  EXPECT_TRUE(has(text, "not known  another set of nodes")) << text;
  EXPECT_TRUE(has(text, "- All runs were on the same nodes.")) << text;
  EXPECT_TRUE(has(text,
                  "REGRESSED by mistake on 0 of 1000 nights (at most 0.30%), SUSPECT on 12 of "
                  "1000 nights, INCONCLUSIVE on 1 of 1000 nights."))
      << text;
  EXPECT_TRUE(has(text, "in four of five cases: 3.4%.")) << text;
  EXPECT_TRUE(has(text, "Recommended: 7 repeats and a history of 12 nights")) << text;
}

TEST(NoiseText, SaysWhereNothingHelps) {
  NoiseReport out = report();
  out.detectable.reset();
  out.advice = {20, 30, 0.12, false};
  const std::string text = noise_text(out, 400);
  EXPECT_TRUE(has(text, "Not even twice the time would be seen")) << text;
  EXPECT_TRUE(has(text, "No number of repeats helps: even 20 repeats and 30 nights")) << text;
  EXPECT_TRUE(has(text, "slower by 12%, not by 5.0%")) << text;
}

TEST(NoiseText, IsKeptAndShownAsOneSentence) {
  const Calibration kept = calibration_of(report(), 1'800'000'000 * kSecond);
  EXPECT_EQ(kept.series, "app-0123abcd");
  EXPECT_NEAR(kept.night_sd.value(), 0.004, 1e-12);
  EXPECT_EQ(kept.recommended_repeats, 7);
  EXPECT_EQ(calibration_words(kept),
            "Calibrated on 2027-01-15 with 2 studies: T differs between repeats by 2.1%, between "
            "nights: 0.40%, between nodes: not known; a slowdown of 3.4% is seen at once, with 5 "
            "repeats (recommended 7, history 12).");
  const auto json = nlohmann::json::parse(json_text(kept));
  EXPECT_TRUE(json["node_sd"].is_null());
  EXPECT_EQ(json["studies"], 2);
  const auto whole = nlohmann::json::parse(noise_json(report()));
  EXPECT_EQ(whole["schema"], "kneepoint.noise/1");
  EXPECT_EQ(whole["simulated"]["suspect"], 0.012);
  EXPECT_EQ(whole["recommended"]["reachable"], true);
}

}  // namespace
}  // namespace kneepoint
