// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/cli/running.h"

#include <gtest/gtest.h>

#include <sstream>

#include "orchestrator/report/terminal/operating.h"
#include "orchestrator/report/text.h"

namespace kneepoint::cli {
namespace {

Progress example_progress() {
  Progress p;
  p.study = "jacobi-1a2b3c4d-1";
  p.total = 40;
  p.done = 10;
  p.running = 2;
  p.queued = 1;
  p.failed = 1;
  p.node_seconds = 36;
  p.elapsed_ns = 12 * kSecond;
  p.left_ns = 36 * kSecond;
  p.last_line = "r17 succeeded: jacobi strong K=4, 312 ms";
  return p;
}

TEST(ProgressText, ShowsCountsTimesTableAndTheLastEvent) {
  EXPECT_EQ(to_live_text(example_progress(), "K    1     2\nE  1.0  0.98\n", {false, 90}),
            "jacobi-1a2b3c4d-1\n"
            "[#######---------------------] 10/40 done  2 running  1 queued  1 failed\n"
            "12 s elapsed, about 36 s left, 0.01 node-hours spent\n"
            "K    1     2\n"
            "E  1.0  0.98\n"
            "last: r17 succeeded: jacobi strong K=4, 312 ms\n");
}

TEST(ProgressText, WhatAProgramPrintedDoesNotSteerTheTerminal) {
  Progress p = example_progress();
  p.last_line = "r1 failed; last line of stderr: \x1b[2J\nx";
  const std::string text = to_live_text(p, "", {false, 90});
  EXPECT_NE(text.find("stderr: ?[2J?x\n"), std::string::npos) << text;
}

TEST(ProgressText, SaysWhyNothingRunsAndDoesNotGuessTheTimeLeft) {
  Progress p = example_progress();
  p.left_ns = -1;
  p.round = 2;
  p.waiting = "for a free core: 2 of 2 in use";
  const std::string text = to_live_text(p, "", {false, 90});
  EXPECT_EQ(text.find("left"), std::string::npos) << text;
  EXPECT_NE(text.find("waiting: for a free core: 2 of 2 in use\n"), std::string::npos) << text;
  EXPECT_NE(text.find("round 2"), std::string::npos) << text;
}

TEST(ProgressText, NoLineIsWiderThanTheTerminal) {
  for (const int width : {10, 20, 33, 60}) {
    std::istringstream lines(
        to_live_text(example_progress(), std::string(200, 'x') + "\n", {true, width}));
    for (std::string line; std::getline(lines, line);) {
      EXPECT_LE(display_width(line), width) << line;
    }
  }
}

TEST(ProgressText, ColoursOnlyWhenAsked) {
  EXPECT_EQ(to_live_text(example_progress(), "", {false, 90}).find('\x1b'), std::string::npos);
  EXPECT_NE(to_live_text(example_progress(), "", {true, 90}).find("\x1b[31m1 failed\x1b[0m"),
            std::string::npos);
}

TEST(ProgressText, TheBarIsFullOnlyAtTheEnd) {
  EXPECT_EQ(bar(0, 10, 12), "[----------]");
  EXPECT_EQ(bar(9, 10, 12), "[#########-]");
  EXPECT_EQ(bar(999, 1000, 12), "[#########-]");
  EXPECT_EQ(bar(10, 10, 12), "[##########]");
  EXPECT_EQ(bar(0, 0, 12), "[----------]");
}

TEST(ProgressText, TheSummaryIsOneLine) {
  EXPECT_EQ(to_summary_line(example_progress()),
            "10 of 40 runs done, 1 failed; 12 s, 0.01 node-hours");
}

}  // namespace
}  // namespace kneepoint::cli
