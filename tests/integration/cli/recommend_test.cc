// SPDX-License-Identifier: Apache-2.0
//
// `recommend` through the real program, on imported times: answers, and what it says to what it
// can't use.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/fakes/kneepoint_process.h"

namespace kneepoint {
namespace {

using nlohmann::json;
using testing_support::Place;

class RecommendCommand : public testing::Test {
 protected:
  // T = 3600 (0.05 + 0.95/K) + 36 log2 K in seconds, three times each.
  void SetUp() override {
    std::ofstream table(place_.path() + "/times.csv");
    table << "mode,K,T\n";
    const double times[] = {3600, 1926, 1107, 715.5, 537.75};
    for (int i = 0; i < 5; ++i) {
      for (const double factor : {0.99, 1.0, 1.01}) {
        table << "strong," << (1 << i) << "," << times[i] * factor << "\n";
      }
    }
    table.close();
    std::ofstream(place_.path() + "/speedups.csv") << "mode,K,speedup\nstrong,1,1\nstrong,2,1.8\n";
    std::ofstream(place_.path() + "/prices.yaml") << "currency: EUR\nitems:\n"
                                                     "  node: {per_node_hour: 2.50}\n"
                                                     "  fee: {per_node_hour: 0.10, per_hour: 10}\n";
    ASSERT_EQ(
        place_.kneepoint({"import", place_.path() + "/times.csv", "--study", "times"}).exit_code,
        0);
    ASSERT_EQ(
        place_.kneepoint({"import", place_.path() + "/speedups.csv", "--study", "claim"}).exit_code,
        0);
  }

  json answer(std::vector<std::string> flags) const {
    std::vector<std::string> words = {"recommend", "times", "--json"};
    words.insert(words.end(), flags.begin(), flags.end());
    const auto ended = place_.kneepoint(words);
    EXPECT_EQ(ended.exit_code, 0) << ended.errors;
    return json::parse(ended.output);
  }

  void refused(std::vector<std::string> words, const std::string& why) const {
    words.insert(words.begin(), "recommend");
    const auto ended = place_.kneepoint(words);
    EXPECT_EQ(ended.exit_code, 2) << why;
    EXPECT_NE(ended.errors.find(why), std::string::npos) << ended.errors;
  }

  const Place place_;
  const std::string prices_ = place_.path() + "/prices.yaml";
};

TEST_F(RecommendCommand, PlainNodeHoursGoToTheSmallestKAndAFeeMovesIt) {
  const json plain = answer({"--prices", prices_, "--item", "node"});
  EXPECT_EQ(plain["currency"], "EUR");
  EXPECT_EQ(plain["curves"][0]["k"], 1);
  EXPECT_EQ(plain["curves"][0]["points"][0]["per_result_micros"], 2'500'000);
  EXPECT_EQ(plain["curves"][0]["points"][4]["per_result_micros"], 5'975'000);
  const json fee = answer({"--prices", prices_, "--item", "fee"});
  EXPECT_EQ(fee["curves"][0]["k"], 16);
  EXPECT_EQ(fee["curves"][0]["next_k"], 32);
}

TEST_F(RecommendCommand, DeadlineBudgetAndFloorChoose) {
  EXPECT_EQ(answer({"--deadline", "20m"})["curves"][0]["k"], 4);
  EXPECT_EQ(answer({"--prices", prices_, "--item", "node", "--budget", "3.2"})["curves"][0]["k"],
            4);
  EXPECT_EQ(answer({"--floor", "0.9"})["curves"][0]["k"], 2);
  EXPECT_EQ(answer({"--objective", "time"})["curves"][0]["k"], 16);
}

TEST_F(RecommendCommand, NothingFeasibleIsAnAnswerWithExitCodeOne) {
  const auto ended = place_.kneepoint({"recommend", "times", "--deadline", "10s"});
  EXPECT_EQ(ended.exit_code, 1);
  EXPECT_NE(ended.output.find("no measured K is fast enough: the fastest, K=16"), std::string::npos)
      << ended.output;
}

TEST_F(RecommendCommand, NothingFeasibleIsJsonWithoutANumberThatIsNone) {
  for (const auto& flags : {std::vector<std::string>{"--deadline", "10s"},
                            {"--budget", "0.000001"},
                            {"--floor", "0.999"}}) {
    std::vector<std::string> words = {"recommend", "times",  "--json", "--prices",
                                      prices_,     "--item", "node"};
    words.insert(words.end(), flags.begin(), flags.end());
    const auto ended = place_.kneepoint(words);
    EXPECT_EQ(ended.exit_code, flags[0] == "--floor" ? 0 : 1) << ended.errors;
    const json curve = json::parse(ended.output)["curves"][0];  // a nan would not be read
    if (flags[0] == "--floor") {
      EXPECT_EQ(curve["k"], 1);  // the baseline has E = 1
      continue;
    }
    EXPECT_TRUE(curve["k"].is_null());
    EXPECT_TRUE(curve["runner_up"].is_null());
    EXPECT_EQ(curve["margin"], 0);
    EXPECT_TRUE(curve["next_k"].is_null());
    EXPECT_EQ(curve["why"].get<std::string>().rfind("no measured K is ", 0), 0u) << curve["why"];
  }
}

TEST_F(RecommendCommand, PricesOfWhatIsNotHeldAreSaidToTellNothing) {
  std::ofstream(place_.path() + "/gpus.yaml") << "currency: EUR\nitems: {g: {per_gpu_hour: 2}}\n";
  const std::string gpus = place_.path() + "/gpus.yaml";
  const json curve = answer({"--prices", gpus})["curves"][0];
  EXPECT_EQ(curve["k"], 16);  // all cost the same: the fastest
  for (const json& point : curve["points"]) EXPECT_EQ(point["per_result_micros"], 0);
  const auto text = place_.kneepoint({"recommend", "times", "--prices", gpus});
  EXPECT_NE(text.output.find("item 'g' charges nothing for what these runs hold"),
            std::string::npos)
      << text.output;
}

TEST_F(RecommendCommand, TimesThatCantBeBilledAreNamed) {
  std::ofstream(place_.path() + "/long.csv") << "mode,K,T\nstrong,1,8e8\nstrong,2,4e8\n";
  ASSERT_EQ(place_.kneepoint({"import", place_.path() + "/long.csv", "--study", "long"}).exit_code,
            0);
  refused({"long"}, "has valid runs, but none that can be billed by item");
  refused({"long"}, "Are their times in the right unit?");
}

TEST_F(RecommendCommand, SpeedupsNeedTheTimeOfTheirBaseline) {
  refused({"claim"}, "--baseline: missing; claim-");
  refused({"times", "--baseline", "1h"}, "--baseline: is for studies that were imported without");
  const auto ended = place_.kneepoint({"recommend", "claim", "--baseline", "2h", "--json"});
  ASSERT_EQ(ended.exit_code, 0) << ended.errors;
  EXPECT_EQ(json::parse(ended.output)["curves"][0]["points"][1]["seconds"], 4000);
}

TEST_F(RecommendCommand, ModelledKComeOnRequestWithTheirMark) {
  for (const json& point : answer({})["curves"][0]["points"]) EXPECT_EQ(point["modelled"], false);
  const json asked = answer({"--modelled", "--objective", "time"});
  EXPECT_GT(asked["curves"][0]["k"], 16);
  EXPECT_EQ(asked["curves"][0]["next_k"], asked["curves"][0]["k"]);
  const auto text = place_.kneepoint({"recommend", "times", "--modelled"});
  EXPECT_NE(text.output.find("modelled, beyond the K measured"), std::string::npos) << text.output;
}

TEST_F(RecommendCommand, TheSitesPricesAreKeptWithTheStudy) {
  const std::string book = place_.path() + "/of-site.yaml";
  const auto prices = [&](const std::string& amount) {
    std::ofstream(book) << "currency: CHF\nitems: {fat: {per_node_hour: " + amount + "}}\n";
  };
  prices("3600");
  const std::string site = place_.path() + "/site.yaml";
  std::ofstream(site) << "backend: simulated\nprice: {book: of-site.yaml}\n";
  const std::string plan = place_.path() + "/plan.yaml";
  std::ofstream(plan)
      << "study: priced\nworkloads: [{name: synthetic, use: synthetic}]\nmodes: [strong]\n"
         "scale: [1, 2, 4]\nrepeat: 3\n";
  const auto run = place_.kneepoint({"run", plan, "--site", site});
  ASSERT_EQ(run.exit_code, 0) << run.errors;
  EXPECT_NE(run.output.find("What it costs"), std::string::npos) << run.output;
  prices("1");  // the study keeps what was valid when it ran
  const auto report = place_.kneepoint({"report", "priced", "--json"});
  ASSERT_EQ(report.exit_code, 0) << report.errors;
  const json cost = json::parse(report.output)["cost"];
  EXPECT_EQ(cost["currency"], "CHF");
  EXPECT_EQ(cost["item"], "fat");
  const json first = cost["curves"][0]["points"][0];
  EXPECT_NEAR(first["run_micros"].get<double>(), first["seconds"].get<double>() * 1e6, 1);
  const auto recommended = place_.kneepoint({"recommend", "priced", "--json"});
  EXPECT_EQ(json::parse(recommended.output)["currency"], "CHF");
  const auto table = place_.kneepoint({"report", "priced", "--csv"});
  EXPECT_NE(table.output.find(",CHF,"), std::string::npos) << table.output;
  const auto other =
      place_.kneepoint({"report", "priced", "--prices", prices_, "--item", "node", "--markdown"});
  EXPECT_NE(other.output.find("Prices: node of"), std::string::npos) << other.output;

  std::ofstream(site) << "backend: simulated\nprice: {book: none.yaml}\n";
  const auto missing = place_.kneepoint({"run", plan, "--site", site, "--new"});
  EXPECT_EQ(missing.exit_code, 2);
  EXPECT_NE(missing.errors.find("site.yaml:2:15: price.book: "), std::string::npos)
      << missing.errors;
  std::ofstream(site) << "backend: simulated\nprice: {book: prices.yaml}\n";
  const auto open = place_.kneepoint({"check", plan, "--site", site});
  EXPECT_EQ(open.exit_code, 2);
  EXPECT_NE(open.errors.find("has: node, fee"), std::string::npos) << open.errors;
}

TEST_F(RecommendCommand, OutputGoesThroughLinksAndIntoPipes) {
  const std::string target = place_.path() + "/target.md", link = place_.path() + "/link.md";
  std::ofstream(target) << "old";
  std::filesystem::create_symlink(target, link);
  ASSERT_EQ(place_.kneepoint({"report", "times", "--markdown", "--output", link}).exit_code, 0);
  EXPECT_TRUE(std::filesystem::is_symlink(link));
  std::ostringstream text;
  text << std::ifstream(target).rdbuf();
  EXPECT_EQ(text.str().rfind("# times-", 0), 0u) << text.str();
  const std::string null = place_.path() + "/null";
  std::filesystem::create_symlink("/dev/null", null);
  ASSERT_EQ(place_.kneepoint({"report", "times", "--output", null}).exit_code, 0);
  EXPECT_TRUE(std::filesystem::is_character_file(null));
}

TEST_F(RecommendCommand, BadInputIsNamed) {
  refused({"times", "--prices", prices_}, "--item: missing; ");
  refused({"times", "--prices", prices_, "--item", "nodes"}, "no item 'nodes'");
  refused({"times", "--item", "node"}, "--item: is an item of --prices FILE, or of the price");
  refused({"times", "--deadline", "1h", "--floor", "0.5"}, "give one");
  refused({"times", "--budget", "-3"}, "--budget: expected an amount above 0");
  refused({"times", "--deadline", "0"}, "--deadline");
  refused({"times", "--floor", "1.5"}, "--floor: expected a share below 1");
  refused({"times", "--objective", "energy_delay"}, "energy_delay needs watts");
  std::ofstream(place_.path() + "/empty.yaml") << "";
  refused({"times", "--prices", place_.path() + "/empty.yaml"}, "the file is empty");
  refused({"times", "--prices", place_.path() + "/nowhere.yaml"}, "nowhere.yaml");
  const auto book = [&](const std::string& item) {
    const std::string path = place_.path() + "/odd.yaml";
    std::ofstream(path) << "currency: EUR\nitems: {a: {" + item + "}}\n";
    return path;
  };
  refused({"times", "--prices", book("per_node_hour: 1, per_job: -0.05")},
          "odd.yaml:2:40: items.a.per_job: expected an amount of 0 or more, found '-0.05'");
  refused({"times", "--prices", book("per_node_hour: 0")}, "items.a: has no price above 0");
  refused({"times", "--prices", book("minimum: 60s")}, "items.a: has no price above 0");
  std::ofstream(place_.path() + "/bad.yaml") << "currency: EUR\nitems: {a: {per_node_hour: x}}\n";
  refused({"times", "--prices", place_.path() + "/bad.yaml"},
          "bad.yaml:2:28: items.a.per_node_hour: expected an amount");
}

}  // namespace
}  // namespace kneepoint
