// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/base/json_text.h"

#include <gtest/gtest.h>

#include <cmath>

namespace kneepoint {
namespace {

TEST(JsonText, QuotesWhatMustBeQuoted) {
  EXPECT_EQ(json_quote("a\"b\\c\n\t\x01"), R"("a\"b\\c\n\t\u0001")");
  EXPECT_EQ(json_quote("\xC3\xA9"), "\"\xC3\xA9\"");
}

TEST(JsonText, ReplacesBytesThatAreNotUtf8) {
  EXPECT_EQ(json_quote("a\xFFz"), "\"a\xEF\xBF\xBDz\"");
  EXPECT_EQ(json_quote("\xE2\x82"), "\"\xEF\xBF\xBD\xEF\xBF\xBD\"");
}

TEST(JsonText, NumbersAreShortAndExact) {
  EXPECT_EQ(json_number(0.1), "0.1");
  EXPECT_EQ(json_number(1e300), "1e+300");
  EXPECT_EQ(json_number(2e6), "2000000");
  EXPECT_EQ(json_number(-0.0), "0");
  EXPECT_EQ(json_number(std::nan("")), "null");
}

TEST(JsonText, WritesNestedValuesWithCommasInTheRightPlaces) {
  JsonWriter w;
  w.begin_object().key("a").begin_array().value(1).value(2).end_array().key("b").begin_object();
  w.end_object().key("c").null().end_object();
  EXPECT_EQ(w.text(), R"({"a":[1,2],"b":{},"c":null})");
}

TEST(JsonText, IndentsWhenAsked) {
  JsonWriter w(2);
  w.begin_object().key("a").begin_array().value(true).end_array().end_object();
  EXPECT_EQ(w.text(), "{\n  \"a\": [\n    true\n  ]\n}");
}

}  // namespace
}  // namespace kneepoint
