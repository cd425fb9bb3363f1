// SPDX-License-Identifier: Apache-2.0
//
// `gate` through the real program on simulated nights: a series is run night by night, and the
// simulated machine gets slower between two of them.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/fakes/kneepoint_process.h"

namespace kneepoint {
namespace {

using nlohmann::json;
using testing_support::Place;

class GateCommand : public testing::Test {
 protected:
  void SetUp() override {
    std::ofstream(plan_)
        << "study: nightly\nmodes: [strong]\nscale: [1, 2, 4]\nrepeat: 3\n"
           "workloads: [{name: app, command: [app], metrics: {time: {pattern: \"t=([0-9.]+)\"}}}]\n"
           "gate: {max_regression: 4%}\n";
  }

  // One night of a machine on which a run takes so long.
  void night(double seconds) {
    ++nights_;
    std::ofstream(site_) << "backend: simulated\nsimulated: {noise: 0.5%, default_time: " << seconds
                         << "s, seed: " << nights_ << "}\n";
    const auto run = place_.kneepoint({"run", plan_, "--site", site_, "--new"});
    ASSERT_EQ(run.exit_code, 0) << run.errors;
  }

  json verdict(int exit_code, std::vector<std::string> flags = {}) const {
    flags.insert(flags.begin(), {"gate", "--json"});
    const auto ended = place_.kneepoint(flags);
    EXPECT_EQ(ended.exit_code, exit_code) << ended.output << ended.errors;
    return json::parse(ended.output);
  }

  std::string text_of(const std::string& name) const {
    std::ostringstream text;
    text << std::ifstream(place_.path() + "/" + name).rdbuf();
    return text.str();
  }

  const Place place_;
  const std::string plan_ = place_.path() + "/plan.yaml", site_ = place_.path() + "/site.yaml";
  int nights_ = 0;
};

TEST_F(GateCommand, FollowsASeriesFromItsFirstNightToARegression) {
  night(10);
  const json first = verdict(0);
  EXPECT_EQ(first["verdict"], "NO_BASELINE");
  EXPECT_EQ(first["why"], "0 nights before this one; 8 are needed");
  verdict(1, {"--strict"});
  for (int i = 0; i < 9; ++i) night(10);
  const json quiet = verdict(0, {"--strict"});
  EXPECT_EQ(quiet["verdict"], "PASS") << quiet;
  EXPECT_EQ(quiet["nights"], 9);
  EXPECT_EQ(quiet["options"]["max_regression"], 0.04);
  EXPECT_GT(quiet["curve_detectable"], 0);

  night(12);
  const json suspect = verdict(0);
  EXPECT_EQ(suspect["verdict"], "SUSPECT") << suspect;
  night(12);
  const json worse =
      verdict(1, {"--junit", place_.path() + "/gate.xml", "--summary", place_.path() + "/gate.md"});
  EXPECT_EQ(worse["verdict"], "REGRESSED") << worse;
  EXPECT_EQ(worse["curves"][0]["slower_before"], true);
  EXPECT_EQ(worse["curves"][0]["since"], worse["study"].get<std::string>().substr(
                                             0, worse["study"].get<std::string>().rfind('-')) +
                                             "-11");
  EXPECT_NE(text_of("gate.xml").find("<failure type=\"REGRESSED\" message="), std::string::npos);
  EXPECT_NE(text_of("gate.xml").find("tests=\"5\""), std::string::npos) << text_of("gate.xml");
  EXPECT_EQ(text_of("gate.md").rfind("## REGRESSED", 0), 0u) << text_of("gate.md");
  for (int i = 0; i < 5; ++i) night(12);
  const json still = verdict(1);
  EXPECT_EQ(still["verdict"], "REGRESSED") << still;
  EXPECT_NEAR(still["curves"][0]["level_ratio"].get<double>(), 1.2, 0.03);
  const auto words = place_.kneepoint({"gate", "nightly"});
  EXPECT_EQ(words.exit_code, 1);
  EXPECT_NE(words.output.find("\nREGRESSED  nightly-"), std::string::npos) << words.output;
}

TEST_F(GateCommand, WhatCannotBeWrittenIsSaidAndHidesNoVerdict) {
  night(10);
  const auto full = place_.kneepoint(
      {"gate", "--junit", "/dev/full", "--prometheus", place_.path() + "/gate.prom"});
  EXPECT_EQ(full.exit_code, 3);
  EXPECT_NE(full.output.find("NO_BASELINE"), std::string::npos) << full.output;
  EXPECT_NE(full.errors.find("write /dev/full: No space left on device; the verdict stands"),
            std::string::npos)
      << full.errors;
  EXPECT_NE(place_.read("gate.prom").find("verdict=\"NO_BASELINE\"} 1\n"), std::string::npos);
}

TEST_F(GateCommand, WhatItCannotUseIsSaid) {
  const auto nothing = place_.kneepoint({"gate"});
  EXPECT_NE(nothing.exit_code, 0);
  std::ofstream(place_.path() + "/times.csv") << "mode,K,T\nstrong,1,10\nstrong,2,6\n";
  ASSERT_EQ(
      place_.kneepoint({"import", place_.path() + "/times.csv", "--study", "claim"}).exit_code, 0);
  const auto imported = place_.kneepoint({"gate", "claim"});
  EXPECT_EQ(imported.exit_code, 2);
  EXPECT_NE(imported.errors.find("was imported"), std::string::npos) << imported.errors;
}

}  // namespace
}  // namespace kneepoint
