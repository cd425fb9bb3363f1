// SPDX-License-Identifier: Apache-2.0
//
// `prune` takes samples and nothing that an answer rests on.
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/fakes/kneepoint_process.h"

namespace kneepoint {
namespace {

using nlohmann::json;
using testing_support::Place;

// A line of a CSV file in its cells.
std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells(1);
  bool quoted = false;
  for (const char c : line) {
    if (c == '"') quoted = !quoted;
    if (c == ',' && !quoted) {
      cells.emplace_back();
    } else {
      cells.back() += c;
    }
  }
  return cells;
}

// All columns but those of single iterations.
std::vector<std::vector<std::string>> results_of(const std::string& csv) {
  std::vector<std::vector<std::string>> rows;
  std::istringstream lines(csv);
  std::string line;
  std::getline(lines, line);
  const std::vector<std::string> names = cells_of(line);
  const auto first = std::find(names.begin(), names.end(), "iterations") - names.begin();
  const auto last = std::find(names.begin(), names.end(), "max") - names.begin();
  while (std::getline(lines, line)) {
    rows.push_back(cells_of(line));
    rows.back().erase(rows.back().begin() + first, rows.back().begin() + last + 1);
  }
  return rows;
}

class Prune : public testing::Test {
 protected:
  void SetUp() override {
    const std::string plan = place_.write(
        "plan.yaml",
        "study: old\nworker: node\nmodes: [strong, weak]\nscale: [1, 2, 4]\nrepeat: 3\n"
        "workloads: [{name: syn, use: synthetic}]\n");
    for (int night = 1; night <= 10; ++night) {
      const std::string site =
          place_.write("site.yaml", "backend: simulated\nsimulated: {nodes: 8, noise: 1%, seed: " +
                                        std::to_string(night) + "}\n");
      const auto run = place_.kneepoint({"run", plan, "--site", site, "--new"});
      ASSERT_EQ(run.exit_code, 0) << run.errors;
    }
  }

  std::string answer(const std::vector<std::string>& words) const {
    const auto ended = place_.kneepoint(words);
    EXPECT_EQ(ended.exit_code, 0) << ended.errors;
    return ended.output;
  }

  const Place place_;
};

TEST_F(Prune, LeavesResultsAndVerdictsAsTheyAre) {
  const std::string verdict = answer({"gate", "--json"}), csv = answer({"report", "--csv"});
  ASSERT_EQ(results_of(csv).size(), 6u) << csv;
  EXPECT_EQ(json::parse(verdict)["nights"], 9) << verdict;
  const json would = json::parse(answer({"prune", "--older-than", "0d", "--dry-run", "--json"}));
  EXPECT_EQ(would["studies"].size(), 10u);
  EXPECT_GT(would["studies"][0]["samples"], 0) << would;
  EXPECT_NE(answer({"report"}).find("old-"), std::string::npos);

  const auto asked = place_.kneepoint({"prune", "--older-than", "0d"});
  EXPECT_EQ(asked.exit_code, 2);
  EXPECT_NE(asked.errors.find("say --yes"), std::string::npos) << asked.errors;
  EXPECT_EQ(json::parse(answer({"prune", "--older-than", "1h", "--yes", "--json"}))["studies"],
            json::array());

  const json done = json::parse(answer({"prune", "--older-than", "0d", "--yes", "--json"}));
  EXPECT_EQ(done["studies"], would["studies"]);
  EXPECT_GT(done["database_bytes"], 0);
  EXPECT_EQ(answer({"gate", "--json"}), verdict);
  EXPECT_EQ(results_of(answer({"report", "--csv"})), results_of(csv));
  EXPECT_NE(answer({"report"}).find("samples were thinned out on"), std::string::npos);
  EXPECT_EQ(answer({"prune", "--older-than", "0d", "--yes"}).rfind("deleted 0 samples", 0), 0u);
  EXPECT_EQ(answer({"export", "old", "--output", place_.path() + "/old.tar"}).rfind("wrote", 0),
            0u);
}

TEST_F(Prune, TakesOnlyTheNameThatWasSaid) {
  const auto unknown = place_.kneepoint({"prune", "new", "--older-than", "0d", "--yes"});
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_NE(unknown.errors.find("no study or series of the name 'new'"), std::string::npos);
  EXPECT_EQ(
      json::parse(answer({"prune", "old", "--older-than", "0d", "--dry-run", "--json"}))["studies"]
          .size(),
      10u);
  EXPECT_EQ(place_.kneepoint({"prune"}).exit_code, 2);
  EXPECT_EQ(place_.kneepoint({"prune", "--older-than", "90"}).exit_code, 2);
}

}  // namespace
}  // namespace kneepoint
