// SPDX-License-Identifier: Apache-2.0
//
// `baseline` and what the gate makes of it, through the real program on simulated nights.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "orchestrator/base/hash.h"
#include "tests/fakes/kneepoint_process.h"

namespace kneepoint {
namespace {

using nlohmann::json;
using testing_support::Place;

class BaselineCommand : public testing::Test {
 protected:
  void SetUp() override { write_plan("app"); }

  void write_plan(const std::string& program) const {
    std::ofstream(plan_) << "study: nightly\nmodes: [strong]\nscale: [1, 2, 4]\nrepeat: 3\n"
                            "workloads: [{name: app, command: ["
                         << program << "], metrics: {time: {pattern: \"t=([0-9.]+)\"}}}]\n";
  }

  // One night of a machine on which a run takes so long.
  void night(double seconds, const std::string& more = "") {
    ++nights_;
    std::ofstream(site_) << "backend: simulated\nsimulated: {noise: 0.5%, default_time: " << seconds
                         << "s, seed: " << nights_ << more << "}\n";
    const auto run = place_.kneepoint({"run", plan_, "--site", site_, "--new"});
    ASSERT_EQ(run.exit_code, 0) << run.errors;
  }

  json answer(std::vector<std::string> words, int exit_code = 0) const {
    words.push_back("--json");
    const auto ended = place_.kneepoint(words);
    EXPECT_EQ(ended.exit_code, exit_code) << ended.output << ended.errors;
    return json::parse(ended.output, nullptr, false);
  }

  std::string refusal(const std::vector<std::string>& words) const {
    const auto ended = place_.kneepoint(words);
    EXPECT_EQ(ended.exit_code, 2) << ended.output << ended.errors;
    return ended.errors;
  }

  // The site decides the series, its machine's speed and seed don't.
  std::string import_site() const {
    std::ofstream(site_) << "backend: simulated\nsimulated: {noise: 0.5%, default_time: 10s}\n";
    return site_;
  }

  void write(const std::string& path, const std::string& text) const {
    std::ofstream(path) << text;
  }

  const Place place_;
  const std::string plan_ = place_.path() + "/plan.yaml", site_ = place_.path() + "/site.yaml";
  const std::string table_ = place_.path() + "/history.csv";
  int nights_ = 0;
};

TEST_F(BaselineCommand, SetShowReplaceListAndDrop) {
  const std::string program = place_.path() + "/app-1";
  write(program, "old");
  night(10);
  night(10);
  const json first = answer({"baseline", "set", "nightly", "--build", program, "--note", "1.0"});
  const std::string series = first["series"], study = series + "-2";
  EXPECT_EQ(first["studies"], 2);
  EXPECT_EQ(first["baseline"]["study"], study);
  EXPECT_EQ(first["baseline"]["note"], "1.0");
  EXPECT_EQ(first["baseline"]["builds"][0]["value"], program);
  EXPECT_EQ(first["baseline"]["builds"][0]["kind"], "path");
  EXPECT_EQ(first["baseline"]["builds"][0]["hash"], sha256_hex("old"));
  EXPECT_TRUE(first["problems"].empty());

  write(program, "new");
  const json changed = answer({"baseline", "show", series});
  ASSERT_EQ(changed["problems"].size(), 1u);
  EXPECT_NE(changed["problems"][0].get<std::string>().find("is not the program that was pinned"),
            std::string::npos);

  answer({"baseline", "set", series + "-1"});
  const json list = answer({"baseline", "list"});
  ASSERT_EQ(list["baselines"].size(), 2u) << "the one before stays";
  EXPECT_EQ(list["baselines"][0]["study"], series + "-1");
  EXPECT_TRUE(list["baselines"][0]["dropped"].is_null());
  EXPECT_TRUE(list["baselines"][1]["dropped"].is_string());

  EXPECT_TRUE(answer({"baseline", "drop", "nightly"})["baseline"].is_null());
  EXPECT_NE(refusal({"baseline", "drop", "nightly"}).find("has no baseline"), std::string::npos);
  EXPECT_NE(refusal({"baseline", "set", "nightly", "--build", "/no/such"}).find("is no file"),
            std::string::npos);
  EXPECT_NE(refusal({"baseline", "ack", "nightly"}).find("--note"), std::string::npos);
  EXPECT_NE(refusal({"baseline", "set"}).find("STUDY is missing"), std::string::npos);
}

TEST_F(BaselineCommand, AYoungSeriesIsHeldAgainstItsBaseline) {
  night(10);
  answer({"baseline", "set", "nightly"});
  night(12);
  const json gate = answer({"gate"});
  EXPECT_EQ(gate["verdict"], "NO_BASELINE") << gate;
  ASSERT_EQ(gate["against_baseline"].size(), 3u);
  EXPECT_EQ(gate["against_baseline"][0]["slower"], true) << gate;
  EXPECT_NEAR(gate["against_baseline"][0]["ratio"].get<double>(), 1.2, 0.03);
  const auto words = place_.kneepoint({"gate"});
  EXPECT_NE(words.output.find("times that of the baseline"), std::string::npos) << words.output;
}

TEST_F(BaselineCommand, AnAcknowledgedChangeBeginsASegment) {
  for (int i = 0; i < 10; ++i) night(10);
  night(12);
  night(12);
  const json worse = answer({"gate"}, 1);
  EXPECT_EQ(worse["verdict"], "REGRESSED");
  const std::string series = worse["series"];
  const auto since = place_.kneepoint({"gate", "--since"});
  EXPECT_NE(since.output.find("times since " + series + "-11"), std::string::npos) << since.output;
  EXPECT_EQ(worse["changes"][0]["last_before"]["night"], series + "-10");
  EXPECT_EQ(worse["changes"][0]["first_after"]["night"], series + "-11");

  answer({"baseline", "ack", series + "-11", "--note", "checkpoints are on"});
  const json young = answer({"gate"});
  EXPECT_EQ(young["verdict"], "NO_BASELINE") << young;
  EXPECT_EQ(young["nights"], 1);
  EXPECT_NE(young["left_out"].dump().find("acknowledged at " + series + "-11"), std::string::npos);
  const auto again = place_.kneepoint({"baseline", "ack", series + "-11", "--note", "other"});
  EXPECT_EQ(again.exit_code, 0);
  EXPECT_NE(again.errors.find("not kept"), std::string::npos);
  EXPECT_NE(again.output.find("checkpoints are on"), std::string::npos) << again.output;
  for (int i = 0; i < 7; ++i) night(12);
  EXPECT_EQ(answer({"gate"})["verdict"], "PASS");
  const json shown = answer({"baseline", "show", series});
  EXPECT_EQ(shown["verdicts"][0]["verdict"], "PASS");
  EXPECT_EQ(shown["verdicts"].size(), 2u) << "one for each study";
}

TEST_F(BaselineCommand, ImportedNightsStandBeforeTheFirstStudy) {
  std::string rows = "date,K,time (ms),build\n";
  for (int day = 1; day <= 12; ++day) {
    for (const int k : {1, 2, 4}) {
      for (int r = 0; r < 3; ++r) {
        rows += "2026-01-" + std::string(day < 10 ? "0" : "") + std::to_string(day) + "," +
                std::to_string(k) + "," + std::to_string(10000 + 20 * ((day * 7 + k + r) % 5)) +
                ",v1\n";
      }
    }
  }
  write(table_, rows);
  const json first = answer({"baseline", "import", plan_, table_, "--site", import_site()});
  EXPECT_EQ(first["imported"], 12) << first;
  const auto again =
      place_.kneepoint({"baseline", "import", plan_, table_, "--site", import_site()});
  EXPECT_EQ(again.exit_code, 0);
  EXPECT_NE(again.output.find("nothing was written"), std::string::npos) << again.output;

  night(10);
  const json quiet = answer({"gate"});
  EXPECT_EQ(quiet["series"], first["series"]);
  EXPECT_EQ(quiet["verdict"], "PASS") << quiet;
  EXPECT_EQ(quiet["nights"], 12);
  EXPECT_EQ(quiet["imported_nights"], 12);
  night(12);
  EXPECT_EQ(answer({"gate"})["verdict"], "SUSPECT");

  write(table_, "date,K,T\n2026-01-01,1,99\n2026-02-01,1,10\n");
  const std::string other = refusal({"baseline", "import", "nightly", table_});
  EXPECT_NE(other.find("history.csv:2:1: night: the series has a night 2026-01-01 that says "
                       "something else"),
            std::string::npos)
      << other;
  EXPECT_EQ(answer({"baseline", "show", "nightly"})["imported"].size(), 12u);
  write(table_, "date,K,T\n2026-01-33,1,10\nx,0,-1\n");
  const std::string bad = refusal({"baseline", "import", "nightly", table_});
  EXPECT_NE(bad.find("history.csv:2:1: date: '2026-01-33'; expected a date"), std::string::npos)
      << bad;
  EXPECT_NE(bad.find("history.csv:3:3: K: '0'"), std::string::npos) << bad;
  EXPECT_NE(bad.find("history.csv:3:5: T: '-1'"), std::string::npos) << bad;
  EXPECT_EQ(answer({"baseline", "drop", "nightly", "--imported"})["imported"].size(), 0u);
}

TEST_F(BaselineCommand, AChangedPlanIsAnotherSeriesAndTheOlderOneIsNamed) {
  night(10);
  const std::string old = answer({"gate"})["series"];
  write_plan("other");
  night(10);
  const json gate = answer({"gate"});
  EXPECT_NE(gate["series"], old);
  EXPECT_EQ(gate["verdict"], "NO_BASELINE");
  EXPECT_NE(gate["left_out"].dump().find(old), std::string::npos) << gate["left_out"];
}

}  // namespace
}  // namespace kneepoint
