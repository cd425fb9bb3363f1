// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/report/terminal/operating.h"

#include <gtest/gtest.h>

#include <limits>
#include <sstream>

#include "orchestrator/base/json_put.h"
#include "orchestrator/report/text.h"

namespace kneepoint {
namespace {

StudyStatus example_status() {
  StudyStatus status;
  status.row.id = "jacobi-1a2b3c4d-1";
  status.row.state = "running";
  status.row.site = "local";
  status.row.backend = "local";
  status.row.work_dir = "/runs/jacobi-1a2b3c4d-1";
  status.row.created_ns = 1'000'000'000 * kSecond;
  status.runs = {{AttemptState::planned, 2},
                 {AttemptState::running, 1},
                 {AttemptState::succeeded, 4},
                 {AttemptState::failed, 1}};
  status.total = 8;
  status.attempts = 6;
  status.node_seconds = 360;
  status.points = {{"jacobi strong K=1", 4, 0, 4, 1.5, ""},
                   {"jacobi strong K=2", 0, 1, 4, 0, "r5 failed (exit_code)"}};
  status.holder = StudyHolder{{"node1", 4711, 1'000'000'010 * kSecond}, true};
  status.now = 1'000'000'012 * kSecond;
  status.events = {{1'000'000'011 * kSecond, "end", "failed", 5, 1}};
  return status;
}

TEST(StatusText, ShowsRunsPointsHolderAndEvents) {
  EXPECT_EQ(to_text(example_status(), std::numeric_limits<int>::max()),
            "study:       jacobi-1a2b3c4d-1\n"
            "state:       running\n"
            "site:        local (local)\n"
            "controller:  process 4711 on node1, heartbeat 2s ago\n"
            "runs:        [############--------] 5/8 done: 2 planned, 1 running, 4 succeeded, 1 "
            "failed\n"
            "attempts:    6\n"
            "node-hours:  0.1\n"
            "created:     2001-09-09T01:46:40Z\n"
            "files:       /runs/jacobi-1a2b3c4d-1\n"
            "\n"
            "POINT              RUNS  FAILED  MEDIAN T  FIRST TROUBLE\n"
            "jacobi strong K=1   4/4       0     1.5 s\n"
            "jacobi strong K=2   1/4       1         -  r5 failed (exit_code)\n"
            "\n"
            "last events:\n"
            "  2001-09-09T01:46:51Z  r5-a1 end: failed\n");
}

TEST(StatusText, ACaveatOfTheNumbersIsSaid) {
  StudyStatus status = example_status();
  EXPECT_EQ(json_text(status).find("caveat"), std::string::npos);
  status.caveat = "ran on a stand-in";
  EXPECT_NE(to_text(status, 100).find("\ncaveat:      ran on a stand-in\n"), std::string::npos);
  EXPECT_NE(json_text(status).find("\"caveat\":\"ran on a stand-in\""), std::string::npos);
}

TEST(StatusText, AHolderThatIsGoneIsNotCalledOne) {
  StudyStatus status = example_status();
  status.holder->alive = false;
  EXPECT_NE(to_text(status, 200).find("nobody (process 4711 on node1 is gone"), std::string::npos);
  status.holder.reset();
  EXPECT_NE(to_text(status, 200).find("controller:  nobody\n"), std::string::npos);
}

TEST(StatusText, NoLineIsWiderThanTheTerminal) {
  std::istringstream lines(to_text(example_status(), 30));
  for (std::string line; std::getline(lines, line);) EXPECT_LE(display_width(line), 30) << line;
}

TEST(StatusText, TheLineForLogsIsOneLine) {
  EXPECT_EQ(to_line(example_status()),
            "jacobi-1a2b3c4d-1 running: 2 planned, 1 running, 4 succeeded, 1 failed of 8 runs");
}

TEST(StatusText, JsonNamesEveryState) {
  const std::string json = json_text(example_status());
  EXPECT_NE(json.find(R"("runs":{"total":8,"planned":2,"running":1,"succeeded":4,"failed":1})"),
            std::string::npos)
      << json;
  EXPECT_NE(json.find(R"("alive":true)"), std::string::npos);
  EXPECT_NE(json.find(R"("kind":"end","run":5,"attempt":1,"text":"failed"}])"), std::string::npos);
}

}  // namespace
}  // namespace kneepoint
