// SPDX-License-Identifier: Apache-2.0
//
// Records by two ways: whatever one of them lost, the other gives; nothing is there twice.
#include <gtest/gtest.h>

#include <vector>

#include "agents/wire/record.h"
#include "orchestrator/base/hash.h"
#include "orchestrator/base/random.h"

namespace kneepoint::record {
namespace {

std::vector<std::string> good_lines() {
  std::vector<std::string> lines = {to_line(0, Begin{"r1-a1", 1}),
                                    to_line(1, Provenance{"node1", {{"cpu.model", "X \"y\""}}})};
  for (int i = 0; i < 5; ++i) {
    lines.push_back(
        to_line(static_cast<int>(lines.size()), Sample{i, i == 0, 30, 20, 10, 12, 5, 3}));
  }
  std::string text;
  for (const std::string& line : lines) text += line;
  const int count = static_cast<int>(lines.size());
  lines.push_back(
      to_line(count, End{"succeeded", "none", 0, 0, 5, 4, false, "", count, hex64(fnv1a64(text))}));
  return lines;
}

std::string joined(const std::vector<std::string>& lines, std::size_t from = 0,
                   std::size_t to = std::string::npos) {
  std::string text;
  for (std::size_t i = from; i < std::min(to, lines.size()); ++i) text += lines[i];
  return text;
}

TEST(WayHome, TheHeadOfALineIsReadWithoutTheRest) {
  const std::string whole = to_line(17, Metric{"time", 1, "s"});
  const LineHead head = head_of(whole);
  EXPECT_EQ(head.seq, 17);
  EXPECT_EQ(head.type, "metric");
  for (const char* line : {"", "{}", "{\"v\":1,\"seq\":-1,\"type\":\"a\"}", "{\"v\":1,\"seq\":x",
                           "{\"v\":1,\"seq\":99999999999999999999,\"type\":\"a\"}",
                           "{\"v\":1,\"seq\":1,\"type\":\"a", "garbage"}) {
    EXPECT_EQ(head_of(line).seq, -1) << line;
  }
}

TEST(WayHome, AFileCutAtAnyByteIsMadeWholeByWhatWasPushed) {
  const std::string whole = joined(good_lines());
  for (std::size_t cut = 0; cut <= whole.size(); ++cut) {
    EXPECT_EQ(one_of_both(whole.substr(0, cut), whole), whole) << cut;
  }
}

TEST(WayHome, PushesThatEndAnywhereChangeNothingOfAWholeFile) {
  const std::vector<std::string> lines = good_lines();
  for (std::size_t n = 0; n <= lines.size(); ++n) {
    EXPECT_EQ(one_of_both(joined(lines), joined(lines, 0, n)), joined(lines)) << n;
  }
}

TEST(WayHome, AFileCutAtAnyByteAndPushesOfTheRestAreOneWhole) {
  const std::vector<std::string> lines = good_lines();
  const std::string whole = joined(lines);
  for (std::size_t cut = 0; cut <= whole.size(); ++cut) {
    std::size_t lines_here = 0, bytes = 0;
    while (lines_here < lines.size() && bytes + lines[lines_here].size() <= cut) {
      bytes += lines[lines_here++].size();
    }
    EXPECT_EQ(one_of_both(whole.substr(0, cut), joined(lines, lines_here)), whole) << cut;
    // And with the line before once more.
    const std::size_t again = lines_here == 0 ? 0 : lines_here - 1;
    EXPECT_EQ(one_of_both(whole.substr(0, cut), joined(lines, again)), whole) << cut;
  }
}

TEST(WayHome, WhatNeitherWayBroughtHomeEndsTheRecords) {
  const std::vector<std::string> lines = good_lines();
  const std::string text = one_of_both(joined(lines, 0, 2), joined(lines, 3, 5));
  EXPECT_EQ(text, joined(lines, 0, 2));
  EXPECT_FALSE(parse(text).complete);
}

TEST(WayHome, ADamagedFileIsReplacedOnlyByAWholeOne) {
  const std::vector<std::string> lines = good_lines();
  std::string damaged = joined(lines);
  damaged[lines[0].size() + lines[1].size() + 60] ^= 1;
  ASSERT_FALSE(parse(damaged).complete);
  EXPECT_EQ(one_of_both(damaged, joined(lines)), joined(lines));
  // With fewer pushes it stays what it is: ingest calls it invalid, and its bytes are kept.
  EXPECT_EQ(one_of_both(damaged, joined(lines, 0, 2)), damaged);
  // The line that is damaged was pushed, and some others were not.
  EXPECT_EQ(one_of_both(damaged, joined(lines, 2, 4)), joined(lines));
}

TEST(WayHome, AnySubsetsOfLinesByBothWaysNeverCountALineTwice) {
  const std::vector<std::string> lines = good_lines();
  const std::string whole = joined(lines);
  Random random(20261117, "ways");
  for (int i = 0; i < 2000; ++i) {
    std::string collected = whole.substr(0, random.below(whole.size() + 1));
    std::string pushed;
    for (const std::string& line : lines) {
      const std::uint64_t times = random.below(3);
      for (std::uint64_t t = 0; t < times; ++t) pushed += line;
    }
    const std::string text = one_of_both(collected, pushed);
    const std::string whole_lines = text.substr(0, text.rfind('\n') + 1);
    EXPECT_TRUE(whole.starts_with(whole_lines)) << text;
    EXPECT_GE(text.size(), std::min(collected.size(), whole.size()));
  }
}

}  // namespace
}  // namespace kneepoint::record
