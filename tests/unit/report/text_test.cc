// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/report/text.h"

#include <gtest/gtest.h>

namespace kneepoint {
namespace {

TEST(Text, NumbersHaveTheDigitsThatAreAskedFor) {
  EXPECT_EQ(significant_text(1234.5, 4), "1234");
  EXPECT_EQ(significant_text(0.0123456, 4), "0.01235");
  EXPECT_EQ(significant_text(0, 4), "0.000");
  EXPECT_EQ(count_text(96), "96");
  EXPECT_EQ(count_text(2.5), "2.5");
  EXPECT_EQ(count_text(1e9), "1000000000");
  EXPECT_EQ(seconds_text(0.3121), "312.1 ms");
  EXPECT_EQ(seconds_text(12), "12.00 s");
  EXPECT_EQ(seconds_text(4.2e-6), "4.200 us");
}

TEST(Text, LevelsAreNeverRoundedUp) {
  EXPECT_EQ(level_text(0.9375), "93.75%");
  EXPECT_EQ(level_text(0.95), "95%");
  EXPECT_EQ(level_text(0.9682539682539683), "96.8%");
  EXPECT_EQ(level_text(0.99996), "99.9%");
}

TEST(Text, BoundsThatDoNotExistAreADash) {
  EXPECT_EQ(bounds_text(std::nullopt, 1, 3), "[-]");
  EXPECT_EQ(bounds_text(Interval{0.0012, 0.0034, 0.95, ""}, 1e3, 1), "[1.2, 3.4]");
}

TEST(Text, NothingFromAPlanSteersATerminal) {
  EXPECT_EQ(plain("a\x1b[31mb\n"), "a?[31mb?");
  EXPECT_EQ(plain("\xC2\x9B"
                  "31m"),
            "??31m")
      << "a control character in two bytes";
  EXPECT_EQ(plain("µ = 3 × 4"), "µ = 3 × 4");
  EXPECT_EQ(plain("a\xFF\xE2\x82"), "a???");
}

TEST(Text, ATextOfSeveralLinesKeepsThem) {
  EXPECT_EQ(plain_lines("a\n\tb\x1b[2J\x07\n\nc"), "a\n\tb?[2J?\n\nc");
  EXPECT_EQ(plain_lines(""), "");
}

TEST(Text, PadsByWhatIsSeen) {
  EXPECT_EQ(pad("µs", 4, true), "  µs");
  EXPECT_EQ(pad("µs", 4, false), "µs  ");
  EXPECT_EQ(pad("long", 2, true), "long");
}

TEST(Text, WrapsAtSpacesAndIndentsWhatFollows) {
  EXPECT_EQ(wrapped("one two three four", 12, 2), "  one two\n    three\n    four\n");
  EXPECT_EQ(wrapped("unbreakable", 4, 0), "unbreakable\n");
  EXPECT_EQ(wrapped("", 10, 0), "\n");
}

}  // namespace
}  // namespace kneepoint
