// SPDX-License-Identifier: Apache-2.0
//
// Numbers out of JSON, and a sentence for every way of not finding one.
#include "agents/agent/supervise/outcome.h"

#include <gtest/gtest.h>

namespace kneepoint::agent {
namespace {

double value(const std::string& text, const std::string& path) {
  const JsonNumber found = json_number_at(text, path);
  EXPECT_TRUE(found.value.has_value()) << found.problem;
  return found.value.value_or(-1);
}

std::string problem(const std::string& text, const std::string& path) {
  const JsonNumber found = json_number_at(text, path);
  EXPECT_FALSE(found.value.has_value());
  return found.problem;
}

TEST(JsonValue, FollowsNamesAndIndicesFromBothEnds) {
  const std::string text = R"({"a": {"b c": [1, 2.5, "3e2"]}})";
  EXPECT_EQ(value(text, "$.a['b c'][0]"), 1);
  EXPECT_EQ(value(text, "a['b c'][-1]"), 300);
  EXPECT_EQ(value("[[1, 2], [3]]", "[1][0]"), 3);
}

TEST(JsonValue, OfLinesTheLastThatIsJsonCounts) {
  EXPECT_EQ(value("log\n{\"t\": 1}\n{\"t\": 2}\nbye {\n", "t"), 2);
  EXPECT_EQ(value("{\"t\": 1}\r\n", "t"), 1);
}

TEST(JsonValue, SaysWhatIsThereInstead) {
  EXPECT_EQ(problem("no json", "t"), "neither the whole nor a line of it is JSON");
  EXPECT_EQ(problem("", "t"), "neither the whole nor a line of it is JSON");
  EXPECT_EQ(problem(R"({"setup": 1, "solve": 2})", "total"),
            "$ has no 'total'; it has 'setup', 'solve'");
  EXPECT_EQ(problem(R"({"a": [1]})", "a[1]"), "$.a has 1 entries, so it has no [1]");
  EXPECT_EQ(problem(R"({"a": [1]})", "a[-2]"), "$.a has 1 entries, so it has no [-2]");
  EXPECT_EQ(problem(R"({"a": 1})", "a[0]"), "$.a is no list, so it has no [0]");
  EXPECT_EQ(problem(R"({"a": 1})", "a.b"), "$.a is no object, so it has no 'b'");
  EXPECT_EQ(problem(R"({"a": "fast"})", "a"), "$.a is not a finite number: \"fast\"");
  EXPECT_EQ(problem(R"({"a": null})", "a"), "$.a is not a finite number: null");
}

}  // namespace
}  // namespace kneepoint::agent
