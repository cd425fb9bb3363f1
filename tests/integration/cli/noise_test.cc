// SPDX-License-Identifier: Apache-2.0
//
// `doctor --noise` through the real program on a simulated machine of known noise.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/fakes/kneepoint_process.h"

namespace kneepoint {
namespace {

using nlohmann::json;
using testing_support::Place;

class Noise : public testing::Test {
 protected:
  std::string plan(const std::string& repeat = "8") const {
    return place_.write(
        "plan.yaml",
        "study: app\nmodes: [strong, weak]\nscale: [1, 2, 4]\nrepeat: " + repeat +
            "\nworkloads: [{name: app, command: [app], metrics: {time: {pattern: \"t=(.*)\"}}}]\n");
  }
  std::string site() const {
    return place_.write("site.yaml",
                        "backend: simulated\nsimulated: {nodes: 8, noise: 3%, default_time: 9s}\n");
  }
  const Place place_;
};

TEST_F(Noise, IsMeasuredKeptAndShownByTheGate) {
  const auto measured =
      place_.kneepoint({"doctor", site(), "--noise", plan(), "--studies", "3", "--json"});
  ASSERT_EQ(measured.exit_code, 0) << measured.errors;
  const json answer = json::parse(measured.output);
  EXPECT_EQ(answer["studies"].size(), 3u);
  EXPECT_EQ(answer["runs"], 3 * 6 * 8);
  EXPECT_NEAR(answer["repeat_sd"].get<double>(), 0.03, 0.015) << answer;
  EXPECT_EQ(answer["simulated"]["nights"], 1000);
  EXPECT_LE(answer["simulated"]["regressed"], 0.01);
  EXPECT_GT(answer["simulated"]["smallest_detectable"], 0.01);
  EXPECT_GE(answer["recommended"]["repeats"], 3);
  EXPECT_NE(answer["untold"].dump().find("nights may differ by more"), std::string::npos);

  // Its studies are nobody's nights.
  ASSERT_EQ(place_.kneepoint({"run", plan(), "--site", site()}).exit_code, 0);
  const auto gate = place_.kneepoint({"gate", "app", "--json"});
  const json verdict = json::parse(gate.output);
  EXPECT_EQ(verdict["nights"], 0);
  EXPECT_EQ(verdict["series"], answer["series"]);
  EXPECT_EQ(verdict["calibration"]["repeat_sd"], answer["repeat_sd"]);
  EXPECT_NE(place_.kneepoint({"gate", "app"}).output.find("Calibrated on 2"), std::string::npos);

  // Again: one study more, and the night of the series counts, which had the same build.
  const json again = json::parse(
      place_.kneepoint({"doctor", site(), "--noise", plan(), "--studies", "3", "--json"}).output);
  EXPECT_EQ(again["studies"].size(), 5u) << again;
  EXPECT_EQ(again["nights_of_series"], 1);
}

TEST_F(Noise, NeedsRepeats) {
  const auto once = place_.kneepoint({"doctor", site(), "--noise", plan("1"), "--studies", "2"});
  EXPECT_EQ(once.exit_code, 2) << once.output;
  EXPECT_NE(once.errors.find("noise needs `repeat: 2` or more"), std::string::npos) << once.errors;
  EXPECT_EQ(place_.kneepoint({"doctor", "--studies", "2"}).exit_code, 2);
  EXPECT_EQ(place_.kneepoint({"doctor", site(), "--noise", "missing.yaml"}).exit_code, 2);
}

}  // namespace
}  // namespace kneepoint
