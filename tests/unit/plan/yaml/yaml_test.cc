// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/plan/yaml/yaml.h"

#include <gtest/gtest.h>

#include "orchestrator/plan/yaml/view.h"

namespace kneepoint {
namespace {

std::string problems_in(const std::string& text) {
  return to_string(parse_yaml(text, "f.yaml").problems);
}

TEST(Yaml, KnowsThePlaceOfKeysAndValues) {
  const YamlFile file = parse_yaml("a: 1\nb:\n  - x\n  - 'y z'\n", "f.yaml");
  ASSERT_TRUE(file.problems.empty());
  ASSERT_EQ(file.root.entries.size(), 2u);
  EXPECT_EQ(file.root.entries[0].value.text, "1");
  EXPECT_EQ(file.root.entries[0].value.column, 4);
  const YamlEntry& b = file.root.entries[1];
  EXPECT_EQ(b.line, 2);
  ASSERT_EQ(b.value.items.size(), 2u);
  EXPECT_EQ(b.value.items[1].text, "y z");
  EXPECT_TRUE(b.value.items[1].quoted);
  EXPECT_EQ(b.value.items[1].line, 4);
  EXPECT_EQ(b.value.items[1].column, 5);
}

TEST(Yaml, ReplacesAnAliasByWhatItNames) {
  const YamlFile file = parse_yaml("a: &x {k: [1, 2]}\nb: *x\n", "f.yaml");
  ASSERT_TRUE(file.problems.empty());
  const YamlNode& copy = file.root.entries[1].value;
  ASSERT_EQ(copy.entries.size(), 1u);
  EXPECT_EQ(copy.entries[0].value.items[1].text, "2");
}

TEST(Yaml, RefusesFilesAboveOneMebibyte) {
  EXPECT_EQ(problems_in("# " + std::string(1 << 20, 'x') + "\n"),
            "f.yaml: the file has 1048579 bytes; at most 1048576 are read\n");
}

TEST(Yaml, ReadsABigFileWithinTheLimit) {
  std::string text = "a: 1\n";
  while (text.size() < (1 << 20) - 64) text += "# a comment that fills the file up\n";
  EXPECT_EQ(problems_in(text), "");
}

TEST(Yaml, RefusesMoreValuesThanItsBudget) {
  std::string text = "a: [1";
  for (int i = 0; i < 100'001; ++i) text += ",1";
  EXPECT_EQ(problems_in(text + "]\n"),
            "f.yaml:1:199999: the file comes to more than 100000 values once its aliases are "
            "written out\n");
}

TEST(Yaml, RefusesAliasesThatNestTooDeeply) {
  std::string text = "a0: &a0 x\n";
  for (int i = 1; i < 50; ++i) {
    const std::string n = std::to_string(i);
    text += "a" + n + ": &a" + n + " [*a" + std::to_string(i - 1) + "]\n";
  }
  EXPECT_EQ(problems_in(text), "f.yaml:32:12: nested more than 32 levels deep\n");
}

TEST(Yaml, NamesTheDottedKeyOfADuplicate) {
  EXPECT_EQ(problems_in("a:\n  - {b: 1}\n  - c: {d: 1, d: 2}\n"),
            "f.yaml:3:15: a[1].c.d: given twice; the first is at 3:9\n");
}

TEST(Yaml, RefusesKeysThatAreNotWords) {
  EXPECT_EQ(problems_in("[a, b]: 1\n"), "f.yaml:1:1: expected a word as key\n");
}

TEST(Yaml, ReportsBytesThatAreNotUtf8WithOffsetAndLine) {
  EXPECT_EQ(problems_in("a: 1\nb: \xC0\xAF\n"),
            "f.yaml:2:4: not UTF-8: byte 0xc0 at offset 8; save the file as UTF-8\n");
  EXPECT_EQ(problems_in("a: \xE2\x82"),
            "f.yaml:1:4: not UTF-8: byte 0xe2 at offset 3; save the file as UTF-8\n");
  EXPECT_EQ(problems_in("a: \xED\xA0\x80\n"),
            "f.yaml:1:4: not UTF-8: byte 0xed at offset 3; save the file as UTF-8\n");
  EXPECT_EQ(problems_in("a: \xE2\x82\xAC \xF0\x9F\x98\x80\n"), "");
}

TEST(Yaml, ListsTheOriginOfEveryValue) {
  const YamlFile file = parse_yaml("a: 1\nb:\n  - {c: 2}\n", "f.yaml");
  std::string text;
  for (const Origin& one : origins_of(file.root)) {
    text += one.key + "@" + std::to_string(one.line) + ":" + std::to_string(one.column) + " ";
  }
  EXPECT_EQ(text, "a@1:4 b@3:3 b[0]@3:5 b[0].c@3:9 ");
}

TEST(Problems, FindTheirPlaceByTheNearestKeyAbove) {
  std::vector<Problem> problems = {{"f", 0, 0, "b[0].c.d", "x"}, {"f", 0, 0, "other", "y"}};
  locate(problems, {{"b", 3, 3}, {"b[0]", 3, 5}});
  EXPECT_EQ(to_string(problems), "f:3:5: b[0].c.d: x\nf: other: y\n");
}

class View : public testing::Test {
 protected:
  YamlView value(const std::string& text) {
    file_ = parse_yaml("v: " + text + "\n", "f.yaml");
    problems_.clear();
    return YamlView(file_.root, keys_, name_, problems_)["v"];
  }
  std::string problem() const { return problems_.empty() ? "" : problems_.front().message; }

  const KeySet inner_ = {{{"x"}}};
  const KeySet keys_ = {{{"v", &inner_}}};
  const std::string name_ = "f.yaml";
  YamlFile file_;
  std::vector<Problem> problems_;
};

TEST_F(View, ReadsDurations) {
  EXPECT_EQ(value("20m").duration(1), 20 * kMinute);
  EXPECT_EQ(value("500ms").duration(1), 500 * kMillisecond);
  EXPECT_EQ(value("1.5h").duration(1), 90 * kMinute);
  EXPECT_EQ(value("2us").duration(1), 2 * kMicrosecond);
  EXPECT_EQ(value("1d").duration(1), 24 * kHour);
  EXPECT_EQ(value("0").duration(0), 0);
  for (const char* bad : {"20", "-1s", "1 s", "s", "1.2.3s", "1e9h", "99999999d", "0s", "1min"}) {
    EXPECT_EQ(value(bad).duration(1), std::nullopt) << bad;
    EXPECT_EQ(problem(), std::string("expected a duration above 0 such as 500ms, 2s, 20m or 6h, "
                                     "found '") +
                             bad + "'");
  }
}

TEST_F(View, ReadsShares) {
  EXPECT_EQ(value("2%").share(), 0.02);
  EXPECT_EQ(value("0.02").share(), 0.02);
  for (const char* bad : {"2", "0", "100%", "-1%", "two", "\"%\"", "nan"}) {
    EXPECT_EQ(value(bad).share(), std::nullopt) << bad;
    EXPECT_EQ(problems_.size(), 1u) << bad;
  }
}

TEST_F(View, ReadsNumbersExactly) {
  EXPECT_EQ(value("7").integer(1, 9), 7);
  EXPECT_EQ(value("1.5").number(0, 9), 1.5);
  for (const char* bad : {"7.0", "0x7", "seven", "99999999999999999999", "+7", "[7]", "\"\""}) {
    EXPECT_EQ(value(bad).integer(1, 9), std::nullopt) << bad;
    EXPECT_EQ(problems_.size(), 1u) << bad;
  }
  EXPECT_EQ(value("inf").number(0, 9), std::nullopt);
}

TEST_F(View, ReadsTruthOnlyFromTrueAndFalse) {
  EXPECT_EQ(value("true").truth(), true);
  EXPECT_EQ(value("false").truth(), false);
  EXPECT_EQ(value("yes").truth(), std::nullopt);
  EXPECT_EQ(problem(), "expected true or false, found 'yes'");
}

TEST_F(View, SaysNothingOfAbsentValuesAndOnceOfWrongOnes) {
  const YamlView absent = value("{}")["x"];
  EXPECT_FALSE(absent.present());
  EXPECT_EQ(absent.integer(0, 1), std::nullopt);
  EXPECT_TRUE(absent.items().empty());
  EXPECT_EQ(problems_.size(), 0u);
  EXPECT_EQ(value("").text(), std::nullopt);
  EXPECT_EQ(problem(), "expected one value, found nothing");
}

TEST_F(View, ShortensLongValuesInMessages) {
  value(std::string(100, 'y')).expected("a number");
  EXPECT_EQ(problem(), "expected a number, found '" + std::string(40, 'y') + "...'");
}

}  // namespace
}  // namespace kneepoint
