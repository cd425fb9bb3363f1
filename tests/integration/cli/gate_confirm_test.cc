// SPDX-License-Identifier: Apache-2.0
//
// `gate --confirm` through the real program: nights of a script whose times are known, a build
// pinned among them, and a night that is slow by its program or by its machine.
#include <gtest/gtest.h>

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

  // How long everything takes, in thousandths of a second, and how much longer a program says.
  void machine(int thousandths) const {
    std::ofstream(place_.path() + "/machine") << thousandths << "\n";
  }
  void program(const std::string& path, int longer) const {
    std::ofstream(path) << "#!/bin/sh\nn=$(cat $0.n 2>/dev/null || echo 0)\n"
                           "echo $((n + 1)) > $0.n\necho t=$(($(cat "
                        << place_.path() << "/machine) + " << longer << " + n * 3 % 7)).$n\n";
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
  }
  void night() const {
    const auto run = place_.kneepoint({"run", plan_, "--new"});
    ASSERT_EQ(run.exit_code, 0) << run.errors;
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

}  // namespace
}  // namespace kneepoint
