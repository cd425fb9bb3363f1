// SPDX-License-Identifier: Apache-2.0
//
// Nights out of CSV and JSON, and every problem at once.
#include "orchestrator/plan/tables/reader.h"

#include <gtest/gtest.h>

namespace kneepoint {
namespace {

ReadHistory read_nights(const std::string& text, const std::string& case_name = "app") {
  TableOptions options;
  options.case_name = case_name;
  return read_history(text, "h", options);
}

TEST(History, RowsOfANightAndAPointAreRepeatsWhateverTheirOrder) {
  const ReadHistory history = read_nights(
      "night;case;mode;K;time (ms);build\n2026-03-02;jacobi;weak;4;1500;v2\n"
      "2026-03-01;jacobi;weak;4;1.5 s;v1\n2026-03-02;jacobi;weak;4;1600;v2\n");
  ASSERT_TRUE(history.problems.empty()) << to_string(history.problems);
  ASSERT_EQ(history.table.nights.size(), 2u);
  const ImportedNight& second = history.table.nights[1];
  EXPECT_EQ(history.table.nights[0].night, "2026-03-01");
  EXPECT_EQ(second.build, "v2");
  ASSERT_EQ(second.times.size(), 2u);
  EXPECT_EQ(second.times[0], (ImportedTime{"jacobi", Mode::weak, 4, 1.5}));
  EXPECT_EQ(history.table.lines, (std::vector<int>{3, 2}));
}

TEST(History, JsonIsAListOfObjectsWithTheSameNames) {
  const ReadHistory history = read_nights(
      "[{\"night\": 7, \"K\": 2, \"seconds\": 1.25, \"host\": \"n1\"},\n"
      " {\"night\": 6, \"K\": 2, \"seconds\": 1.5}]");
  ASSERT_TRUE(history.problems.empty()) << to_string(history.problems);
  ASSERT_EQ(history.table.nights.size(), 2u);
  EXPECT_EQ(history.table.nights[0].night, "6");
  EXPECT_EQ(history.table.nights[1].times[0], (ImportedTime{"app", Mode::strong, 2, 1.25}));
  EXPECT_EQ(history.table.unused, std::vector<std::string>{"host"});
}

TEST(History, EveryProblemComesWithItsPlace) {
  const ReadHistory rows = read_nights(
      "night,K,T,repeat\n2026-02-30,1,1,0\n2026-03-01,0,1,0\n2026-03-01,1,x,0\n5,1,1,0\n"
      "2026-03-02,1,1,0\n2026-03-02,1,2,0\n");
  EXPECT_TRUE(rows.table.nights.empty());
  const std::string text = to_string(rows.problems);
  EXPECT_NE(text.find("h:2:1: night: '2026-02-30'; expected a date"), std::string::npos) << text;
  EXPECT_NE(text.find("h:3:12: K: '0'"), std::string::npos) << text;
  EXPECT_NE(text.find("h:4:14: T: 'x' is not a number"), std::string::npos) << text;
  EXPECT_NE(text.find("h:5:1: night: '5' is a number, while others are dates"), std::string::npos)
      << text;
  EXPECT_NE(text.find("h:7:16: repeat: repeat 0 of this night and point stands twice"),
            std::string::npos)
      << text;
  const std::string json =
      to_string(read_nights("[{\"night\": 1, \"K\": 2,\n  \"T\": \"soon\"}]").problems);
  EXPECT_EQ(json.rfind("h:2:", 0), 0u) << json;
  EXPECT_NE(json.find("T: 'soon' is not a number"), std::string::npos) << json;
}

TEST(History, WhatIsNoHistoryIsRefused) {
  const auto first = [](const std::string& text, const std::string& case_name = "app") {
    const ReadHistory history = read_nights(text, case_name);
    return history.problems.empty() ? "" : to_string(history.problems.front());
  };
  EXPECT_NE(first("K,T\n1,2\n").find("no column with the night"), std::string::npos);
  EXPECT_NE(first("night,K,speedup\n1,1,1\n").find("needs times"), std::string::npos);
  EXPECT_NE(first("night,K,T\n1,1,1\n", "").find("no case"), std::string::npos);
  EXPECT_NE(first("night,K,T\n").find("no rows"), std::string::npos);
  EXPECT_NE(first("").find("empty"), std::string::npos);
  EXPECT_NE(first("[]").find("empty"), std::string::npos);
  EXPECT_NE(first("{\"night\": 1}").find("expected a list"), std::string::npos);
  EXPECT_NE(first("[1]").find("expected an object"), std::string::npos);
  EXPECT_NE(first("[{\"night\": [1], \"K\": 1, \"T\": 1}]").find("plain value"), std::string::npos);
}

TEST(History, DatesAreWallTime) {
  EXPECT_EQ(read_date("1970-01-02"), 24 * kHour);
  EXPECT_EQ(read_date("1970-01-01T01:02:03Z"), kHour + 2 * kMinute + 3 * kSecond);
  EXPECT_EQ(read_date("1970-01-01 01:02"), kHour + 2 * kMinute);
  for (const char* wrong : {"", "1970-1-2", "1970-13-01", "1970-01-01T25:00", "1970-01-01x",
                            "01/02/1970", "1970-01-01T01:02:3"}) {
    EXPECT_FALSE(read_date(wrong)) << wrong;
  }
}

}  // namespace
}  // namespace kneepoint
