// SPDX-License-Identifier: Apache-2.0
//
// A network that swallows packets between agent and controller: nothing is refused, nothing is
// closed, nobody answers. The workload must not notice, and when the line heals, or never does,
// every record is there once. The pusher gives up a silent push after 15 s.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>

#include "agents/wire/record.h"
#include "orchestrator/base/clock.h"
#include "tests/fakes/cut_line.h"
#include "tests/fakes/kneepoint_process.h"

namespace kneepoint {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing_support::CutLine;
using testing_support::Place;

constexpr int kTicks = 30;  // that the workload does while the line is cut

class PushCutTest : public ::testing::Test {
 protected:
  PushCutTest() {
    // A record and a line of `ticks` for each turn; ends when there is a file `gate`.
    const std::string here = "'" + place_.path();
    const std::string script = place_.write(
        "work.sh", "i=0\nwhile [ ! -e " + here + "/gate' ]; do\n  echo " + sample_format() +
                       " | sed \"s/NUMBER/$i/\" >> \"$KNEEPOINT_RECORDS\"\n  echo $i >> " + here +
                       "/ticks'\n  i=$((i+1))\n  sleep 0.05\ndone\necho t=0.25\n");
    run_ = {"run", place_.write("plan.yaml", R"y(study: cut
worker: rank
scale: [1]
modes: [strong]
workloads:
  - name: wait
    command: [/bin/sh, ")y" + script + R"y("]
    mpi: false
    metrics: {time: {pattern: "t=([0-9.]+)", unit: s}}
repeat: 1
)y"),
            "--site",
            place_.write(
                "site.yaml",
                "backend: local\npush: {listen: \"127.0.0.1:" + std::to_string(port_.number()) +
                    "\", address: \"https://127.0.0.1:" + std::to_string(line_.port()) + "\"}\n")};
  }

  static std::string sample_format() {
    std::string line = record::to_line(-1, record::Sample{777, false, 30, 20, 10, 12, 5, 3});
    line.pop_back();
    line.replace(line.find("777"), 3, "NUMBER");
    return "'" + line + "'";
  }

  // The controller runs, the agent has pushed something through the line.
  void start() {
    pid_ = place_.start(run_);
    line_.lead_to(port_.number());
    ASSERT_TRUE(wait_until([this] { return pushed() > 0; })) << place_.read("err");
  }

  bool wait_until(const std::function<bool()>& is_so) const {
    return place_.wait_until(pid_, is_so);
  }

  json attempt() const {
    const Place asked;  // its output goes nowhere else
    const auto told =
        asked.kneepoint({"explain", "r1", "--json", "--db", place_.path() + "/kneepoint.db"});
    const json story = json::parse(told.output, nullptr, false);
    return story.is_object() && !story.value("attempts", json::array()).empty()
               ? story.at("attempts").back()
               : json::object();
  }
  int pushed() const { return attempt().value("pushed", json::object()).value("samples", 0); }

  int ticks() const {
    const std::string text = place_.read("ticks");
    return static_cast<int>(std::count(text.begin(), text.end(), '\n'));
  }
  // Of the agent's own file: it goes on supervising.
  int recorded() const {
    for (const auto& entry : fs::recursive_directory_iterator(place_.path() + "/runs")) {
      if (entry.path().filename() != "records.ndjson") continue;
      const auto records =
          record::parse(place_.read(fs::relative(entry.path(), place_.path()).string()));
      return static_cast<int>(records.samples.size());
    }
    return 0;
  }

  // The workload and its agent go on although nobody answers.
  void expect_progress() {
    const int before = ticks();
    EXPECT_TRUE(wait_until([&] { return ticks() >= before + kTicks; }));
    EXPECT_TRUE(wait_until([&] { return recorded() >= before + kTicks; }));
  }

  void expect_all_once() {
    const json last = attempt();
    EXPECT_EQ(last.value("state", ""), "succeeded") << last.dump(1);
    EXPECT_EQ(last.value("number", 0), 1);
    std::vector<int> iterations;
    for (const json& sample : last.at("samples")) iterations.push_back(sample.at("iteration"));
    ASSERT_EQ(static_cast<int>(iterations.size()), ticks());
    for (int i = 0; i < ticks(); ++i) EXPECT_EQ(iterations[static_cast<std::size_t>(i)], i);
    EXPECT_FALSE(last.contains("pushed"));
  }

  Place place_;
  testing_support::HeldPort port_;
  CutLine line_;
  std::vector<std::string> run_;
  pid_t pid_ = 0;
};

// The controller hears everything, the agent hears nothing: it must say it all again.
TEST_F(PushCutTest, WhatWasHeardButNeverAnsweredIsSentAgainAndCountsOnce) {
  start();
  line_.cut(CutLine::Cut::answers);
  // One push and no more: without an answer no further connection comes about.
  ASSERT_TRUE(wait_until([&] { return line_.unanswered() > 0; })) << place_.read("err");
  expect_progress();
  const int known = line_.connections();  // the pusher gives this one up
  ASSERT_TRUE(wait_until([&] { return line_.connections() > known; })) << place_.read("err");
  line_.cut(CutLine::Cut::none);
  const int seen = ticks();
  ASSERT_TRUE(wait_until([&] { return pushed() >= seen; })) << place_.read("err");
  place_.write("gate", "");
  EXPECT_EQ(place_.wait(pid_).exit_code, 0) << place_.read("err");
  expect_all_once();
}

TEST_F(PushCutTest, ALineThatSwallowsEverythingAndHealsLosesNothing) {
  start();
  line_.cut(CutLine::Cut::all);
  expect_progress();
  EXPECT_LT(pushed(), ticks());
  line_.cut(CutLine::Cut::none);
  const int seen = ticks();
  ASSERT_TRUE(wait_until([&] { return pushed() >= seen; })) << place_.read("err");
  place_.write("gate", "");
  EXPECT_EQ(place_.wait(pid_).exit_code, 0) << place_.read("err");
  expect_all_once();
}

TEST_F(PushCutTest, ALineThatNeverHealsCostsOnlyTheLiveReports) {
  start();
  line_.cut(CutLine::Cut::all);
  expect_progress();
  place_.write("gate", "");
  EXPECT_EQ(place_.wait(pid_).exit_code, 0) << place_.read("err");
  expect_all_once();
}

}  // namespace
}  // namespace kneepoint
