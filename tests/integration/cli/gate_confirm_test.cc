// SPDX-License-Identifier: Apache-2.0
//
// `gate --confirm` through the real program: nights of a script whose times are known, a build
// pinned among them, and a night that is slow by its program or by its machine.
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/fakes/kneepoint_process.h"

namespace kneepoint {
namespace {

using nlohmann::json;
using testing_support::Place;

class GateConfirm : public testing::Test {
 protected:
  void SetUp() override {
    std::ofstream(plan_) << "study: nightly\nmodes: [strong]\nscale: [1, 2]\nrepeat: 3\n"
                            "limits: {oversubscribe: true}\n"
                            "workloads: [{name: app, mpi: false, command: ["
                         << app_ << "], metrics: {time: {pattern: \"t=([0-9.]+)\"}}}]\n";
    machine(1000);
    program(app_, 0);
    program(pinned_, 0);
    for (int i = 0; i < 9; ++i) night();
    const auto set = place_.kneepoint({"baseline", "set", "nightly", "--build", pinned_});
    ASSERT_EQ(set.exit_code, 0) << set.errors;
  }

  // How long everything takes, in thousandths of a second, and how much longer a program says. It
  // leaves `<path>.began`, and lasts as long as there is `<path>.hold`.
  void machine(int thousandths) const {
    std::ofstream(place_.path() + "/machine") << thousandths << "\n";
  }
  void program(const std::string& path, int longer) const {
    std::ofstream(path)
        << "#!/bin/sh\n: >$0.began\n"
           "while [ -e $0.hold ]; do sleep 0.05; done\nn=$(cat $0.n 2>/dev/null || echo 0)\n"
           "echo $((n + 1)) > $0.n\necho t=$(($(cat "
        << place_.path() << "/machine) + " << longer << " + n * 3 % 7)).$n\n";
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
  }
  void night() const {
    const auto run = place_.kneepoint({"run", plan_, "--new"});
    ASSERT_EQ(run.exit_code, 0) << run.errors;
  }
  std::vector<std::string> nightly() const {
    return {"nightly", plan_, "--output-dir", place_.path() + "/night", "--confirm"};
  }
  json gate(int exit_code, std::vector<std::string> flags = {}) const {
    flags.insert(flags.begin(), {"gate", "nightly", "--json"});
    const auto ended = place_.kneepoint(flags);
    EXPECT_EQ(ended.exit_code, exit_code) << ended.output << ended.errors;
    return json::parse(ended.output, nullptr, false);
  }
  int studies(const std::string& name) const {
    const std::string list = place_.kneepoint({"list", "--json"}).output;
    int count = 0;
    for (std::size_t at = list.find("\"" + name); at != std::string::npos;
         at = list.find("\"" + name, at + 1)) {
      ++count;
    }
    return count;
  }

  const Place place_;
  const std::string plan_ = place_.path() + "/plan.yaml", app_ = place_.path() + "/app",
                    pinned_ = place_.path() + "/app-of-the-release";
};

TEST_F(GateConfirm, ASlowerProgramIsRegressedTheSameNight) {
  program(app_, 80);
  night();
  EXPECT_EQ(gate(0)["verdict"], "SUSPECT") << "nothing is measured unless asked for";
  EXPECT_EQ(studies("nightly-confirm-"), 0);
  const json confirmed = gate(1, {"--confirm"});
  EXPECT_EQ(confirmed["verdict"], "REGRESSED") << confirmed;
  EXPECT_EQ(confirmed["why"], "slower than the nights before, and than the pinned build in turns");
  const int before = studies("nightly-confirm-");
  EXPECT_GT(before, 0);
  const json pairs = json::parse(place_.kneepoint({"report", "nightly-confirm", "--json"}).output);
  EXPECT_EQ(pairs["builds"]["reference"], "pinned");
  EXPECT_EQ(pairs["builds"]["curves"][0]["pairs"], 20) << "10 at each of two suspect points";
  EXPECT_NEAR(pairs["builds"]["curves"][0]["ratio"].get<double>(), 1.08, .005);
  const auto newest = place_.kneepoint({"gate", "--confirm"});
  EXPECT_EQ(newest.exit_code, 1) << "the newest night, not the newest study: " << newest.errors;
  EXPECT_NE(newest.output.find("REGRESSED  nightly-"), std::string::npos) << newest.output;
  EXPECT_EQ(studies("nightly-confirm-"), before) << "what was measured is not measured again";
  EXPECT_EQ(place_.kneepoint({"gate", "nightly-confirm"}).exit_code, 2) << "it is no night";
}

TEST_F(GateConfirm, ASlowMachineIsNoSlowerProgram) {
  EXPECT_EQ(gate(0, {"--confirm"})["verdict"], "PASS");
  EXPECT_EQ(studies("nightly-confirm-"), 0) << "nothing is suspect";
  machine(1080);
  night();
  const json suspect = gate(0, {"--confirm"});
  EXPECT_EQ(suspect["verdict"], "SUSPECT") << suspect;
  EXPECT_EQ(suspect["why"],
            "slower than the nights before, but not than the pinned build in turns");
}

TEST_F(GateConfirm, BuildsThatAreNotWhatTheyWereAreRefused) {
  program(app_, 80);
  night();
  std::ofstream(pinned_, std::ios::app) << "# changed\n";
  const auto changed = place_.kneepoint({"gate", "nightly", "--confirm"});
  EXPECT_EQ(changed.exit_code, 2) << changed.output;
  EXPECT_NE(changed.errors.find("is not the program that was pinned"), std::string::npos)
      << changed.errors;
  std::filesystem::remove(pinned_);
  const auto gone = place_.kneepoint({"gate", "nightly", "--confirm"});
  EXPECT_EQ(gone.exit_code, 2);
  EXPECT_NE(gone.errors.find("the pinned build of app: "), std::string::npos) << gone.errors;
  program(pinned_, 0);
  program(app_, 81);
  const auto replaced = place_.kneepoint({"gate", "nightly", "--confirm"});
  EXPECT_EQ(replaced.exit_code, 2);
  EXPECT_NE(replaced.errors.find("has been replaced since"), std::string::npos) << replaced.errors;
}

TEST_F(GateConfirm, NightlyConfirmsTheSameNightAndPrintsOneLine) {
  const auto quiet = place_.kneepoint(nightly());
  EXPECT_EQ(quiet.exit_code, 0) << quiet.errors;
  EXPECT_EQ(quiet.output.rfind("PASS  nightly-", 0), 0u) << quiet.output;
  EXPECT_NE(quiet.errors.find("--confirm: nothing is suspect"), std::string::npos) << quiet.errors;
  EXPECT_EQ(studies("nightly-confirm-"), 0);
  program(app_, 80);
  const auto slower = place_.kneepoint(nightly());
  EXPECT_EQ(slower.exit_code, 1) << slower.output << slower.errors;
  EXPECT_EQ(slower.output.rfind("REGRESSED  nightly-", 0), 0u) << slower.output;
  EXPECT_EQ(std::count(slower.output.begin(), slower.output.end(), '\n'), 1) << slower.output;
  const json answer = json::parse(place_.read("night/gate.json"), nullptr, false);
  ASSERT_TRUE(answer.is_object());
  EXPECT_EQ(answer["why"], "slower than the nights before, and than the pinned build in turns");
  ASSERT_FALSE(answer["confirmed"].empty());
  EXPECT_TRUE(answer["confirmed"][0]["confirmed"].get<bool>()) << answer["confirmed"];
  EXPECT_NEAR(answer["confirmed"][0]["ratio"].get<double>(), 1.08, .005);
  EXPECT_NE(place_.read("night/summary.md").find("In turns with the pinned build"),
            std::string::npos);
  EXPECT_GT(studies("nightly-confirm-"), 0);
}

TEST_F(GateConfirm, InterruptedInTurnsKeepsNoVerdictAndGoesOn) {
  program(app_, 80);
  place_.write("app-of-the-release.hold", "");
  const pid_t pid = place_.start(nightly());
  ASSERT_TRUE(place_.wait_until(pid, [&] { return std::filesystem::exists(pinned_ + ".began"); }));
  ASSERT_EQ(::kill(pid, SIGTERM), 0);
  ASSERT_TRUE(place_.wait_until(pid, [&] {
    return place_.read("err").find("interrupted: waiting for") != std::string::npos;
  }));
  std::filesystem::remove(pinned_ + ".hold");
  const auto stopped = place_.wait(pid);
  EXPECT_EQ(stopped.exit_code, 130) << stopped.errors;
  EXPECT_EQ(stopped.output.rfind("INTERRUPTED  nightly-", 0), 0u) << stopped.output;
  EXPECT_NE(stopped.output.find("is not complete; go on with: kneepoint gate nightly-"),
            std::string::npos)
      << stopped.output;
  EXPECT_FALSE(std::filesystem::exists(place_.path() + "/night/gate.json"));
  const auto kept = [&] {
    const auto shown = place_.kneepoint({"baseline", "show", "nightly", "--json"});
    EXPECT_EQ(shown.exit_code, 0) << shown.errors;
    return json::parse(shown.output)["verdicts"];
  };
  EXPECT_TRUE(kept().empty()) << kept();
  const json confirmed = gate(1, {"--confirm"});
  EXPECT_EQ(confirmed["verdict"], "REGRESSED") << confirmed;
  ASSERT_EQ(kept().size(), 1u);
  EXPECT_EQ(kept()[0]["verdict"], "REGRESSED");
  const json pairs = json::parse(place_.kneepoint({"report", "nightly-confirm", "--json"}).output);
  EXPECT_EQ(pairs["builds"]["curves"][0]["pairs"], 20) << "no run was done twice or left out";
}

}  // namespace
}  // namespace kneepoint
