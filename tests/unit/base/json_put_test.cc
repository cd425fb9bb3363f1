// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/base/json_put.h"

#include <gtest/gtest.h>

#include <map>
#include <vector>

namespace kneepoint {
namespace {

enum class Color { red, green };
const char* to_string(Color color) {
  return color == Color::red ? "red" : "green";
}

struct Span {
  double low = 0, high = 0;
  static constexpr auto fields() {
    return described(one_line, field("low", &Span::low), field("high", &Span::high));
  }
};

struct Thing {
  int k = 1;
  std::optional<double> share;
  std::string note;
  double size = 0;
  Color color = Color::green;
  std::vector<Span> spans;
  std::map<std::string, int> counts;
  std::optional<Span> within;
  int twice() const { return 2 * k; }
  static constexpr auto fields() {
    using T = Thing;
    return described(field("k", &T::k), field("share", &T::share), field_if_any("note", &T::note),
                     field_or_null("size", &T::size), field("color", &T::color),
                     field("spans", &T::spans), field("counts", &T::counts), fields_of(&T::within),
                     field("twice", &T::twice),
                     field("half", [](const T& thing) { return thing.k / 2.0; }));
  }
};

TEST(JsonPut, ADescribedStructIsAnObjectWithItsFieldsInOrder) {
  EXPECT_EQ(json_text(Thing{}),
            R"({"k":1,"share":null,"size":null,"color":"green","spans":[],"counts":{},)"
            R"("low":null,"high":null,"twice":2,"half":0.5})");
  Thing thing;
  thing.k = 3;
  thing.share = 0.25;
  thing.note = "n";
  thing.size = 7;
  thing.color = Color::red;
  thing.spans = {{1, 2}};
  thing.counts = {{"a", 1}};
  thing.within = Span{4, 5};
  EXPECT_EQ(json_text(thing),
            R"({"k":3,"share":0.25,"note":"n","size":7,"color":"red",)"
            R"("spans":[{"low":1,"high":2}],"counts":{"a":1},"low":4,"high":5,"twice":6,)"
            R"("half":1.5})");
}

TEST(JsonPut, AnObjectOnOneLineStaysOnOneInAnIndentedText) {
  EXPECT_EQ(json_text(std::vector<Span>{{1, 2}, {3, 4}}, 2),
            "[\n  {\"low\":1,\"high\":2},\n  {\"low\":3,\"high\":4}\n]");
  JsonWriter w(2);
  w.begin_object(true).key("in").begin_object().put("a", 1).end_object().end_object();
  EXPECT_EQ(w.text(), R"({"in":{"a":1}})");
}

TEST(JsonPut, WhatHoldsNothingIsNullOrLeftOutAsAsked) {
  JsonWriter w;
  w.begin_object().put("shown", "").put_or_null("null", std::string());
  w.put_if_any("gone", std::vector<int>{}).put_if_any("off", false).put_if_any("on", true);
  w.put_or_null("zero", 0).put("when", when(false, 3)).end_object();
  EXPECT_EQ(w.text(), R"({"shown":"","null":null,"on":true,"zero":null,"when":null})");
}

}  // namespace
}  // namespace kneepoint
