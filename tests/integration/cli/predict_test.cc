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

TEST(PredictCommand, EachFormTakesItsOwnFlagsOnly) {
  const Place place;
  const auto refused = [&](std::vector<std::string> words, const std::string& why) {
    words.insert(words.begin(), "predict");
    const auto ended = place.kneepoint(words);
    EXPECT_EQ(ended.exit_code, 2) << why;
    EXPECT_EQ(ended.output, "");
    EXPECT_NE(ended.errors.find(why), std::string::npos) << ended.errors;
  };
  refused({"--serial", ".1", "--micro", "4"}, "--micro: does not go with --serial");
  refused({"--serial", ".1", "--beyond"}, "--beyond: does not go with --serial");
  refused({"--serial", ".1", "--linear-coefficient", ".1"}, "--linear-coefficient: does not go");
  refused({"x", "--serial", ".1"}, "--serial: does not go with a study");
  refused({"--mfu", "256:50%", "--to", "4"}, "--to: does not go with --mfu");
  refused({"--critical-batch", "4e6"}, "--micro: missing");
  refused({"--critical-batch", "4e6", "--micro", "4"}, "--gpus: missing");
  refused({"--critical-batch", "-1", "--micro", "4", "--gpus", "8"}, "is not a number above 0");
  refused({"--tokens-per-second", "256:1e6"}, "--parameters: missing");
  refused({"--tokens-per-second", "256:1e9", "--parameters", "7e9", "--peak", "3e14"},
          "the flops or the peak are wrong");
  refused({"--mfu", "256:150%"}, "--mfu: the utilisation at K0 is 1.5");
  refused({"--isoefficiency", "0.8"}, "needs --log-coefficient or --linear-coefficient");
  refused({"--isoefficiency", "1", "--log-coefficient", ".1"}, "is not an efficiency below 1");
  refused({"nothing"}, "kneepoint.db");
}

TEST(PredictCommand, TellsTrainingUtilisationAndIsoefficiency) {
  const Place place;
  const auto answer = [&](std::vector<std::string> words) {
    words.insert(words.begin(), {"predict", "--json"});
    const auto ended = place.kneepoint(words);
    EXPECT_EQ(ended.exit_code, 0) << ended.errors;
    return json::parse(ended.output, nullptr, false);
  };
  const json mfu = answer({"--mfu", "256:50%,2048:30%"});
  EXPECT_DOUBLE_EQ(mfu["points"][1]["kept"].get<double>(), 0.6);
  const json training = answer({"--critical-batch", "4e6", "--micro", "4", "--sequence", "4096",
                                "--gpus", "128,1024", "--comm-ratio", ".25"});
  EXPECT_EQ(training["replicas_allowed"], 244);
  EXPECT_EQ(training["points"][1]["model_ways"], 5);
  const json iso =
      answer({"--isoefficiency", "80%", "--serial", ".01", "--log-coefficient", ".005"});
  EXPECT_EQ(iso["curves"][0]["points"].back()["serial_fraction"]["status"], "unattainable");
  EXPECT_FALSE(std::filesystem::exists(place.path() + "/kneepoint.db"));
}

TEST(PredictCommand, PredictsFromAStudyUpToItsCap) {
  const Place place;
  std::string table = "K,T\n";
  for (int k = 1; k <= 64; k *= 2) {
    for (const double noise : {0.99, 1.0, 1.01}) {
      table += std::to_string(k) + "," + std::to_string(noise * (5 + 95.0 / k)) + "\n";
    }
  }
  ASSERT_EQ(place.kneepoint({"import", place.write("solver.csv", table)}).exit_code, 0);
  const auto far = place.kneepoint({"predict", "solver", "--to", "128,500", "--json"});
  ASSERT_EQ(far.exit_code, 0) << far.errors;
  const json curve = json::parse(far.output)["curves"][0];
  ASSERT_EQ(curve["points"].size(), 1U);
  const json& at = curve["points"][0];
  EXPECT_EQ(at["extrapolated"], true);
  EXPECT_LT(at["low"].get<double>(), 5 + 95.0 / 128);
  EXPECT_GT(at["high"].get<double>(), 5 + 95.0 / 128);
  ASSERT_EQ(curve["refused"].size(), 1U);
  const auto beyond = place.kneepoint({"predict", "solver", "--to", "500", "--beyond"});
  EXPECT_EQ(beyond.exit_code, 0) << beyond.errors;
  const auto never = place.kneepoint({"predict", "solver", "--to", "641", "--beyond"});
  EXPECT_EQ(never.exit_code, 2);
  EXPECT_NE(never.output.find("more than 10 times"), std::string::npos) << never.output;
}

}  // namespace
}  // namespace kneepoint
