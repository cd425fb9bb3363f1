// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/report/table.h"

#include <gtest/gtest.h>

#include "orchestrator/base/numbers.h"
#include "orchestrator/report/text.h"

namespace kneepoint {
namespace {

TEST(Table, ColumnsAreAlignedAndLinesEndWithoutSpaces) {
  const TextTable table{{{"STUDY"}, {"RUNS", Align::right}, {"SITE"}},
                        {{"a", "5/40", "local"}, {"longer-name", "7"}},
                        "",
                        {}};
  EXPECT_EQ(to_table(table),
            "STUDY        RUNS  SITE\n"
            "a            5/40  local\n"
            "longer-name     7\n");
}

TEST(Table, NothingInACellSteersTheTerminalOrAddsALine) {
  EXPECT_EQ(to_table(TextTable{{{"A"}, {"B"}}, {{"x\ny", "\x1b[2Jz"}}, "", {}}),
            "A    B\nx?y  ?[2Jz\n");
}

TEST(Table, AnIndentMovesEveryLine) {
  EXPECT_EQ(to_table(TextTable{{{"K", Align::right}}, {{"16"}}, "", {}}, 2), "   K\n  16\n");
}

TEST(Table, WidthCountsCharactersAndNoColours) {
  EXPECT_EQ(display_width("Größe"), 5);
  EXPECT_EQ(display_width("\x1b[31mred\x1b[0m"), 3);
  EXPECT_EQ(to_table(TextTable{{{"A"}, {"B"}}, {{"é", "1"}, {"xy", "2"}}, "", {}}),
            "A   B\né   1\nxy  2\n");
}

TEST(Table, CuttingKeepsWholeCharactersAndEndsColours) {
  EXPECT_EQ(cut_to_width("Größe", 3), "Grö");
  EXPECT_EQ(cut_to_width("short", 80), "short");
  EXPECT_EQ(cut_to_width("\x1b[31mredder\x1b[0m", 3), "\x1b[31mred\x1b[0m");
}

TEST(Table, WrappingBreaksAtSpaces) {
  EXPECT_EQ(wrap("one two three four", 9, 0), "one two\nthree\nfour\n");
  EXPECT_EQ(wrap("one two", 80, 4), "    one two\n");
  EXPECT_EQ(wrap("unbreakable", 4, 0), "unbreakable\n");
}

TEST(Table, NumbersHaveThreeDigitsAndNoNeedlessZeros) {
  EXPECT_EQ(number_text(0), "0");
  EXPECT_EQ(number_text(512), "512");
  EXPECT_EQ(number_text(134217728, 12), "134217728");
  EXPECT_EQ(number_text(12.345), "12.3");
  EXPECT_EQ(number_text(0.25), "0.25");
  EXPECT_EQ(number_text(0.00123456), "0.00123");
  EXPECT_EQ(number_text(406.3746, 12), "406.3746");
  EXPECT_EQ(number_text(1.0e-7), "1e-07");
}

TEST(Table, AgesReadAsKubectlWritesThem) {
  constexpr std::int64_t kSeconds = 1'000'000'000;
  EXPECT_EQ(age_text(5 * kSeconds), "5s");
  EXPECT_EQ(age_text(150 * kSeconds), "2m");
  EXPECT_EQ(age_text(3 * 3600 * kSeconds), "3h");
  EXPECT_EQ(age_text(72LL * 3600 * kSeconds), "3d");
  EXPECT_EQ(age_text(-5 * kSeconds), "0s");
}

}  // namespace
}  // namespace kneepoint
