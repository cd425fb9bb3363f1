// SPDX-License-Identifier: Apache-2.0
//
// Which paths into JSON there are, and what is said of those that are none.
#include "orchestrator/base/json_path.h"

#include <gtest/gtest.h>

namespace kneepoint {
namespace {

// ".a[1]": names behind dots, indices in brackets; "!" and the message of an error.
std::string shown(const std::string& path) {
  const auto steps = parse_json_path(path);
  if (!steps) return "!" + steps.error().message;
  std::string text;
  for (const JsonStep& step : *steps) {
    text += step.is_index ? "[" + std::to_string(step.index) + "]" : "." + step.name;
  }
  return text;
}

TEST(JsonPath, IsNamesAndIndices) {
  EXPECT_EQ(shown("$.timing.total"), ".timing.total");
  EXPECT_EQ(shown("timing.total"), ".timing.total");
  EXPECT_EQ(shown("results[-1].time"), ".results[-1].time");
  EXPECT_EQ(shown("$[0][1]"), "[0][1]");
  EXPECT_EQ(shown("[2].a"), "[2].a");
  EXPECT_EQ(shown("$['odd key']['a.b'].c"), ".odd key.a.b.c");
  EXPECT_EQ(shown("a[\"b\"]"), ".a.b");
}

TEST(JsonPath, SaysWhereSomethingElseStands) {
  const std::string name = "!expected a name (an odd one is written ['like this']) at position ";
  EXPECT_EQ(shown(""), "!expected a name or an index, such as $.timing.total at position 1");
  EXPECT_EQ(shown("$"), "!expected a name or an index, such as $.timing.total at position 2");
  EXPECT_EQ(shown("$..a"), name + "3");
  EXPECT_EQ(shown("a."), name + "3");
  EXPECT_EQ(shown("a[*]"), "!expected an index such as 0 or -1, or a 'name' at position 3");
  EXPECT_EQ(shown("a[0"), "!expected ']' at position 4");
  EXPECT_EQ(shown("a['b"), "!expected the closing quote at position 4");
  EXPECT_EQ(shown("a b"), "!expected '.' or '[' at position 2");
  EXPECT_EQ(shown("a[99999999999]"),
            "!expected an index such as 0 or -1, or a 'name' at position 3");
}

}  // namespace
}  // namespace kneepoint
