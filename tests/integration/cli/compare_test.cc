// SPDX-License-Identifier: Apache-2.0
//
// `compare` through the real program, on imported times.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/fakes/kneepoint_process.h"

namespace kneepoint {
namespace {

using nlohmann::json;
using testing_support::Place;

class CompareCommand : public testing::Test {
 protected:
  void SetUp() override {
    // T = 3600 (0.05 + 0.95/K) seconds; B is 0.8 of it.
    table("a", 1.0, {0.98, 0.99, 1.0, 1.01, 1.02});
    table("b", 0.8, {0.98, 0.99, 1.0, 1.01, 1.02});
    table("single", 0.9, {1.0});
    std::ofstream(place_.path() + "/claim.csv") << "mode,K,speedup\nstrong,1,1\nstrong,2,1.9\n";
    import("claim.csv", "claim", "solver");
    std::ofstream(place_.path() + "/prices.yaml")
        << "currency: EUR\nitems:\n  old: {per_node_hour: 2.00}\n  new: {per_node_hour: 2.40}\n"
           "  dear: {per_node_hour: 9}\n";
    std::ofstream(place_.path() + "/dollars.yaml")
        << "currency: USD\nitems:\n  new: {per_node_hour: 2.40}\n";
  }

  void table(const std::string& name, double scale, const std::vector<double>& factors) {
    std::ofstream out(place_.path() + "/" + name + ".csv");
    out << "mode,nodes,T\n";
    for (const int k : {1, 2, 4, 8}) {
      for (const double f : factors) {
        out << "strong," << k << "," << 3600 * scale * f * (0.05 + 0.95 / k) << "\n";
      }
    }
    out.close();
    import(name + ".csv", name, "solver");
  }

  void import(const std::string& file, const std::string& study, const std::string& name) {
    const auto ended =
        place_.kneepoint({"import", place_.path() + "/" + file, "--study", study, "--case", name});
    ASSERT_EQ(ended.exit_code, 0) << ended.errors;
  }

  json answer(std::vector<std::string> words, int code = 0) const {
    words.insert(words.begin(), "compare");
    words.emplace_back("--json");
    const auto ended = place_.kneepoint(words);
    EXPECT_EQ(ended.exit_code, code) << ended.errors;
    return json::parse(ended.output);
  }

  void refused(std::vector<std::string> words, const std::string& why) const {
    words.insert(words.begin(), "compare");
    const auto ended = place_.kneepoint(words);
    EXPECT_EQ(ended.exit_code, 2) << why;
    EXPECT_NE(ended.errors.find(why), std::string::npos) << ended.errors;
  }

  const Place place_;
  const std::string prices_ = place_.path() + "/prices.yaml";
};

TEST_F(CompareCommand, RatioCostAndBreakEvenPrice) {
  const json got = answer({"a", "b", "--prices", prices_, "--item", "old,new"});
  EXPECT_EQ(got["schema"], "kneepoint.compare/1");
  const json& curve = got["pairs"][0]["curves"][0];
  ASSERT_EQ(curve["points"].size(), 4U);
  for (const json& at : curve["points"]) {
    EXPECT_NEAR(at["ratio"].get<double>(), 0.8, 1e-9);
    EXPECT_EQ(at["faster"], "b");
    EXPECT_EQ(at["break_even"]["per"], "node");
    EXPECT_EQ(at["break_even"]["micros"], 2'500'000);
    EXPECT_LT(at["break_even"]["interval"]["low"].get<double>(), 2.5);
  }
  EXPECT_EQ(curve["points"][0]["a"]["per_result_micros"], 2'000'000);
  EXPECT_EQ(curve["points"][0]["b"]["per_result_micros"], 1'920'000);
  EXPECT_EQ(curve["telling_k"], 8);
  const auto text =
      place_.kneepoint({"compare", "a", "b", "--prices", prices_, "--item", "old,new"});
  EXPECT_NE(text.output.find("B is worth it below 2.50 EUR"), std::string::npos) << text.output;
  EXPECT_NE(text.output.find("per node-hour; it costs 2.40 EUR"), std::string::npos);
  EXPECT_NE(text.output.find("it is faster"), std::string::npos);
}

TEST_F(CompareCommand, WithoutPricesANodeHourOfAIsTheMeasure) {
  const auto text = place_.kneepoint({"compare", "a", "b"});
  ASSERT_EQ(text.exit_code, 0) << text.errors;
  EXPECT_NE(text.output.find("B is worth it below 1.25"), std::string::npos) << text.output;
  EXPECT_NE(text.output.find("B is a claim"), std::string::npos);
}

TEST_F(CompareCommand, ThreeStudiesAndASingleValue) {
  const json got = answer({"a", "b", "single"});
  ASSERT_EQ(got["pairs"].size(), 2U);
  const json& at = got["pairs"][1]["curves"][0]["points"][0];
  EXPECT_NEAR(at["ratio"].get<double>(), 0.9, 1e-9);
  EXPECT_TRUE(at["ratio_interval"].is_null());
  EXPECT_EQ(at["why"], "no interval, one value in B");
  EXPECT_TRUE(at["break_even"]["interval"].is_null());
}

TEST_F(CompareCommand, SpeedupsAloneAreAnAnswerWithExitCodeOne) {
  const json got = answer({"a", "claim"}, 1);
  const json& curve = got["pairs"][0]["curves"][0];
  EXPECT_NE(curve["obstacles"].dump().find("speedups only"), std::string::npos);
  EXPECT_NEAR(curve["points"][1]["b"]["efficiency"].get<double>(), 0.95, 1e-9);
  EXPECT_TRUE(curve["telling_k"].is_null());
}

TEST_F(CompareCommand, CurrenciesThatDifferLeaveNoBreakEven) {
  const json got = answer(
      {"a", "b", "--prices", prices_ + "," + place_.path() + "/dollars.yaml", "--item", "old,new"});
  EXPECT_TRUE(got["pairs"][0]["curves"][0]["points"][0]["break_even"].is_null());
  EXPECT_NE(got["pairs"][0]["no_money"].get<std::string>().find("EUR and USD"), std::string::npos);
}

TEST_F(CompareCommand, PricesOfWhatIsNotHeldLeaveNoBreakEven) {
  std::ofstream(place_.path() + "/gpus.yaml")
      << "currency: EUR\nitems:\n  g: {per_gpu_hour: 2}\n  n: {per_node_hour: 2}\n";
  const std::string gpus = place_.path() + "/gpus.yaml";
  const json got = answer({"a", "b", "--prices", gpus, "--item", "n,g"});
  const json& at = got["pairs"][0]["curves"][0]["points"][0];
  EXPECT_EQ(at["b"]["per_result_micros"], 0);
  EXPECT_TRUE(at["break_even"]["micros"].is_null());
  auto text = place_.kneepoint({"compare", "a", "b", "--prices", gpus, "--item", "n,g"});
  EXPECT_NE(
      text.output.find("no price follows: B is charged by the gpu-hour, and its runs hold no"),
      std::string::npos)
      << text.output;
  EXPECT_EQ(text.output.find("nan"), std::string::npos);
  text = place_.kneepoint({"compare", "a", "b", "--prices", gpus, "--item", "g,n"});
  EXPECT_NE(text.output.find("by the prices given a result costs nothing"), std::string::npos)
      << text.output;
}

TEST_F(CompareCommand, KOfOneStudyAloneAreListed) {
  std::ofstream(place_.path() + "/other.csv")
      << "mode,nodes,T\nstrong,1,3600\nstrong,1,3601\nstrong,16,400\nstrong,16,401\n";
  import("other.csv", "other", "solver");
  const json curve = answer({"a", "other"})["pairs"][0]["curves"][0];
  ASSERT_EQ(curve["points"].size(), 1u);
  EXPECT_EQ(curve["points"][0]["k"], 1);
  EXPECT_EQ(curve["only_a"], json({2, 4, 8}));
  EXPECT_EQ(curve["only_b"], json({16}));
  const auto text = place_.kneepoint({"compare", "a", "other"});
  EXPECT_NE(text.output.find("2, 4, 8"), std::string::npos) << text.output;
}

TEST_F(CompareCommand, BadInputIsNamed) {
  refused({"a"}, "B is required");
  refused({"a", "a"}, "are the same study");
  refused({"a", "nobody"}, "nobody");
  refused({"a", "b", "--item", "old"}, "--item: is an item of --prices FILE");
  refused({"a", "b", "--prices", prices_}, "--item: missing");
  refused({"a", "b", "--prices", prices_, "--item", "old,new,dear"},
          "one for each of the 2 studies, found 3");
  refused({"a", "b", "--floor", "1.5"}, "--floor: expected a share below 1");
  refused({"a", "b", "--case", "other"}, "no such curve");
}

}  // namespace
}  // namespace kneepoint
