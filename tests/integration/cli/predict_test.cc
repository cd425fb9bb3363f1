// SPDX-License-Identifier: Apache-2.0
//
// `predict` through the real program: numbers, and what it says to values it can't use.
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "tests/fakes/kneepoint_process.h"

namespace kneepoint {
namespace {

using nlohmann::json;
using testing_support::Place;

TEST(PredictCommand, AnswersEveryCombinationAndTouchesNoDatabase) {
  const Place place;
  const auto ended = place.kneepoint(
      {"predict", "--serial", ".01,.05,.10", "--log-coefficient", ".005,.02", "--json"});
  ASSERT_EQ(ended.exit_code, 0) << ended.errors;
  const json answer = json::parse(ended.output);
  EXPECT_EQ(answer["mode"], "strong");
  EXPECT_EQ(answer["to"], 512) << "unless --to says otherwise";
  ASSERT_EQ(answer["predictions"].size(), 6U);
  const json& third = answer["predictions"][2];
  EXPECT_EQ(third["serial"], 0.05);
  EXPECT_EQ(third["log_coefficient"], 0.005);
  EXPECT_EQ(third["fastest"]["k_integer"], 132);
  EXPECT_EQ(third["points"].size(), 10U);
  EXPECT_FALSE(std::filesystem::exists(place.path() + "/kneepoint.db"));
}

TEST(PredictCommand, TheTextShowsTheKnownNumbers) {
  const Place place;
  const auto amdahl = place.kneepoint({"predict", "--serial", "0.05"});
  ASSERT_EQ(amdahl.exit_code, 0) << amdahl.errors;
  EXPECT_NE(amdahl.output.find("512  0.0519  19.284  0.0377"), std::string::npos) << amdahl.output;
  const auto weak = place.kneepoint(
      {"predict", "--serial", ".05", "--log-coefficient", ".01", "--to", "128", "--mode", "weak"});
  ASSERT_EQ(weak.exit_code, 0) << weak.errors;
  EXPECT_NE(weak.output.find("128  1.0700  119.626  0.9346"), std::string::npos) << weak.output;
}

TEST(PredictCommand, ABadValueIsRefusedByTheNameOfItsFlag) {
  const Place place;
  const auto refused = [&](std::vector<std::string> words, const std::string& why) {
    words.insert(words.begin(), "predict");
    const auto ended = place.kneepoint(words);
    EXPECT_EQ(ended.exit_code, 2) << why;
    EXPECT_EQ(ended.output, "");
    EXPECT_NE(ended.errors.find(why), std::string::npos) << ended.errors;
  };
  refused({}, "--serial: missing");
  refused({"--serial", "5%"}, "--serial: '5%' is not a number");
  refused({"--serial", "5"}, "--serial: '5' is not between 0 and 1");
  refused({"--serial", "-0.1"}, "--serial: '-0.1' is not between 0 and 1");
  refused({"--serial", "nan"}, "--serial: 'nan' is not between 0 and 1");
  refused({"--serial", "1e-300"}, "--serial: '1e-300' is too small to tell from 0");
  refused({"--serial", ".1,,.2"}, "--serial: '' is not a number");
  refused({"--serial", ".1,0.1"}, "--serial: '0.1' is there twice");
  refused({"--serial", ".1", "--log-coefficient", "-1"}, "--log-coefficient: '-1' is not between");
  refused({"--serial", ".1", "--log-coefficient", "inf"}, "--log-coefficient: 'inf' is not");
  refused({"--serial", ".1", "--mode", "both"}, "--mode: 'both' is none of strong, weak");
  for (const std::string to : {"0", "-4", "2.5", "1048577", "99999999999"}) {
    refused({"--serial", ".1", "--to", to},
            "--to: '" + to + "' is not a whole number from 1 to 1048576");
  }
  std::string many = "0";
  for (int i = 1; i <= 100; ++i) many += "," + std::to_string(i / 1000.0);
  refused({"--serial", many}, "--serial and --log-coefficient: more than 100 combinations");
}

}  // namespace
}  // namespace kneepoint
