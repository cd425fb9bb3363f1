// SPDX-License-Identifier: Apache-2.0
//
// `import` through the real program, and that every other command works on what it made.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "tests/fakes/kneepoint_process.h"

namespace kneepoint {
namespace {

using nlohmann::json;
using testing_support::Place;

void expect_in(const std::string& text, const std::string& part) {
  EXPECT_NE(text.find(part), std::string::npos) << part << " is not in\n" << text;
}

constexpr char kTable[] =
    "K,T,repeat,cost (USD)\n1,600,1,1.5\n1,604,2,1.5\n1,598,3,1.5\n2,310,1,1.6\n2,312,2,1.6\n"
    "2,309,3,1.6\n4,165,1,1.7\n4,166,2,1.7\n4,164,3,1.7\n8,93,1,1.9\n8,92,2,1.9\n8,94,3,1.9\n";

json imported(const Place& place, const std::string& file, std::vector<std::string> flags = {}) {
  flags.insert(flags.begin(), {"import", file, "--json"});
  const auto ended = place.kneepoint(flags);
  EXPECT_EQ(ended.exit_code, 0) << ended.errors;
  return json::parse(ended.output, nullptr, false);
}

// A slip of units: E is a million, and the sketch of it has no million lines.
TEST(ImportCommand, AbsurdEfficienciesLeaveTheReportReadable) {
  const Place place;
  for (const char* table : {"K,T\n1,1000 s\n2,1 ms\n4,1 ms\n", "K,T\n1,1e12\n2,1000\n"}) {
    const std::string file = place.write("slip.csv", table);
    const json study = imported(place, file, {"--new"});
    const auto report = place.kneepoint({"report", study["study"].get<std::string>()});
    EXPECT_EQ(report.exit_code, 0) << report.errors;
    EXPECT_LT(std::count(report.output.begin(), report.output.end(), '\n'), 200);
  }
}

TEST(ImportCommand, MakesAnEfficiencyTableAndAStudyThatEveryCommandTakes) {
  const Place place;
  const std::string file = place.write("solver.csv", kTable);
  const auto text = place.kneepoint({"import", file, "--study", "solver"});
  ASSERT_EQ(text.exit_code, 0) << text.errors;
  expect_in(text.output, "12 runs from solver.csv\n");
  expect_in(text.output, "8     3     93  6.45  0.806\n");
  expect_in(text.output, "note: The times come from solver.csv (sha256 ");
  expect_in(text.output, "report: kneepoint report solver-");

  const auto list = place.kneepoint({"list", "--json"});
  const json row = json::parse(list.output)["studies"][0];
  EXPECT_EQ(row["state"], "finished");
  EXPECT_EQ(row["backend"], "import");
  EXPECT_EQ(row["runs"], 12);
  EXPECT_EQ(row["succeeded"], 12);

  const auto report = place.kneepoint({"report", "solver"});
  EXPECT_EQ(report.exit_code, 0) << report.errors;
  expect_in(report.output, "kneepoint did not measure them");
  const auto status = place.kneepoint({"status", "solver"});
  EXPECT_EQ(status.exit_code, 0) << status.errors;
  expect_in(status.output, "12 succeeded");
  const auto explain = place.kneepoint({"explain", "solver/r5"});
  EXPECT_EQ(explain.exit_code, 0) << explain.errors;
  expect_in(explain.output, "line 6 of solver.csv");
  expect_in(explain.output, "metric: cost = 1.6 USD");
  EXPECT_EQ(explain.output.find("command of one rank"), std::string::npos) << explain.output;
  const auto first = place.kneepoint({"explain", "solver/r1"});
  expect_in(first.output, "import.sha256");
  const auto logs = place.kneepoint({"logs", "solver/r1"});
  expect_in(logs.errors, "its time was imported from a table");
  const auto cancel = place.kneepoint({"cancel", "solver"});
  EXPECT_EQ(cancel.exit_code, 0) << cancel.errors;
  const auto predicted = place.kneepoint({"predict", "solver", "--to", "16,32", "--json"});
  ASSERT_EQ(predicted.exit_code, 0) << predicted.errors;
  EXPECT_EQ(json::parse(predicted.output)["curves"][0]["points"].size(), 2U);
  const auto gone = place.kneepoint({"delete", "solver", "--yes"});
  EXPECT_EQ(gone.exit_code, 0) << gone.errors;
  EXPECT_EQ(json::parse(place.kneepoint({"list", "--json"}).output)["studies"].size(), 0U);
}

TEST(ImportCommand, TheSameTableTwiceIsOneStudyAndAChangedOneTheNext) {
  const Place place;
  const std::string file = place.write("solver.csv", kTable);
  const json first = imported(place, file);
  EXPECT_EQ(first["created"], true);
  const json again = imported(place, file, {"--floor", "0.85"});
  EXPECT_EQ(again["created"], false);
  EXPECT_EQ(again["study"], first["study"]);
  place.write("solver.csv", std::string(kTable) + "16,60,1,2\n");
  const json changed = imported(place, file);
  EXPECT_EQ(changed["created"], true);
  const std::string id = first["study"];
  EXPECT_EQ(changed["study"], id.substr(0, id.size() - 1) + "2") << "the next of its series";
  const json forced = imported(place, file, {"--new"});
  EXPECT_EQ(forced["study"], id.substr(0, id.size() - 1) + "3");
  const json back = imported(place, place.write("copy.csv", kTable), {"--study", "solver"});
  EXPECT_EQ(back["created"], false) << "the same bytes under another name";
  EXPECT_EQ(back["study"], first["study"]);
}

TEST(ImportCommand, ATableWithProblemsIsRefusedAndNothingIsWritten) {
  const Place place;
  const std::string file = place.write("bad.csv", "K,T\n1,100\n2,NaN\n-4,30\n");
  const auto ended = place.kneepoint({"import", file});
  EXPECT_EQ(ended.exit_code, 2);
  EXPECT_EQ(ended.output, "");
  expect_in(ended.errors, "bad.csv:3:3: T: 'NaN' is not a finite number");
  expect_in(ended.errors, "bad.csv:4:1: K: '-4' won't do");
  expect_in(ended.errors, "nothing was written");
  EXPECT_FALSE(std::filesystem::exists(place.path() + "/kneepoint.db"));
  const json told = json::parse(place.kneepoint({"import", file, "--json"}).output);
  EXPECT_EQ(told["problems"].size(), 2U);
  EXPECT_EQ(told["problems"][0]["line"], 3);
}

TEST(ImportCommand, AFlagThatCantBeUsedIsRefusedByItsName) {
  const Place place;
  const std::string file = place.write("t.csv", kTable);
  const auto refused = [&](std::vector<std::string> flags, const std::string& why) {
    flags.insert(flags.begin(), {"import", file});
    const auto ended = place.kneepoint(flags);
    EXPECT_EQ(ended.exit_code, 2) << why;
    expect_in(ended.errors, why);
  };
  refused({"--study", "Big Study"}, "--study: expected 1 to 40 of a-z");
  refused({"--floor", "1.2"}, "--floor: '1.2' is not an efficiency between 0 and 1");
  refused({"--floor", "nan"}, "--floor: 'nan' is not");
  refused({"--unit", "parsec"}, "--unit: 'parsec' is not a unit of time");
  refused({"--mode", "both"}, "--mode: 'both' is none of strong, weak");
  refused({"--workers-per-node", "0"}, "--workers-per-node");
  const auto missing = place.kneepoint({"import", place.path() + "/t.cvs"});
  EXPECT_EQ(missing.exit_code, 2);
  expect_in(missing.errors, "did you mean");
  EXPECT_FALSE(std::filesystem::exists(place.path() + "/kneepoint.db"));
}

TEST(ImportCommand, SpeedupsOnlyCarryTheirLimitsIntoTheReport) {
  const Place place;
  const std::string file = place.write("slide.csv", "gpus,speedup\n8,1\n64,2.5x\n");
  const json made = imported(place, file);
  EXPECT_EQ(made["time_unit"], "baseline");
  EXPECT_NEAR(made["curves"][0]["points"][1]["efficiency"].get<double>(), 2.5 / 8, 1e-12);
  const auto report = place.kneepoint({"report", "slide", "--markdown"});
  ASSERT_EQ(report.exit_code, 0) << report.errors;
  expect_in(report.output, "The table holds speedups only");
  expect_in(report.output, "Its smallest K is 8");
}

TEST(ImportCommand, OneKIsAStatedAnswer) {
  const Place place;
  const std::string file = place.write("one.csv", "K,T\n4,10\n4,11\n");
  const json made = imported(place, file);
  expect_in(made["caveats"].dump(), "has one K only (K=4)");
  EXPECT_EQ(place.kneepoint({"report", "one"}).exit_code, 0);
  const auto predicted = place.kneepoint({"predict", "one"});
  EXPECT_EQ(predicted.exit_code, 2);
  expect_in(predicted.output, "no model can be fitted");
}

TEST(ImportCommand, TenThousandRepeatsAreImportedAndReported) {
  const Place place;
  std::string text = "K,T\n";
  for (int i = 0; i < 10000; ++i) {
    text += "1," + std::to_string(100 + i % 7) + "\n2," + std::to_string(55 + i % 5) + "\n";
  }
  const json made = imported(place, place.write("many.csv", text));
  EXPECT_EQ(made["runs"], 20000);
  EXPECT_EQ(made["curves"][0]["points"][1]["runs"], 10000);
  const auto report = place.kneepoint({"report", "many"});
  EXPECT_EQ(report.exit_code, 0) << report.errors;
}

}  // namespace
}  // namespace kneepoint
