// SPDX-License-Identifier: Apache-2.0
//
// What `check` and `doctor` say of the address of live reports: free, taken, or files that are not
// there. Whoever listens in the way is the test's own line.
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "tests/fakes/cut_line.h"
#include "tests/fakes/kneepoint_process.h"

namespace kneepoint {
namespace {

using nlohmann::json;
using testing_support::CutLine;
using testing_support::HeldPort;
using testing_support::Place;

class LiveReports : public ::testing::Test {
 protected:
  Place::Ended check(const std::string& push, bool as_json = false) const {
    std::vector<std::string> words = {
        "check",
        place_.write(
            "plan.yaml",
            "study: echo\nworker: rank\nscale: [1]\nmodes: [strong]\nworkloads:\n  - name: "
            "echo\n    command: [/bin/echo, t=1]\n    mpi: false\n    metrics: {time: "
            "{pattern: \"t=([0-9.]+)\", unit: s}}\nrepeat: 1\n"),
        "--site", place_.write("site.yaml", "backend: local\npush: " + push + "\n")};
    if (as_json) words.push_back("--json");
    return place_.kneepoint(words);
  }

  Place place_;
};

bool report_has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST_F(LiveReports, AFreeAddressIsToldAndNothingIsMade) {
  const auto any = check("{}");
  EXPECT_EQ(any.exit_code, 0) << any.errors;
  EXPECT_TRUE(
      report_has(any.output, "Live reports: agents would push to https://127.0.0.1, on a port"))
      << any.output;
  const HeldPort port;
  const std::string where = "127.0.0.1:" + std::to_string(port.number());
  const json answer = json::parse(check("{listen: \"" + where + "\"}", true).output);
  EXPECT_EQ(answer.at("live_reports"), "agents would push to https://" + where);
  EXPECT_EQ(answer.at("live_reports_refused"), false);
  EXPECT_FALSE(std::filesystem::exists(place_.path() + "/kneepoint.db.push"));
}

TEST_F(LiveReports, ATakenPortIsSaidAndRefusesNothing) {
  const CutLine taken;
  const std::string where = "127.0.0.1:" + std::to_string(taken.port());
  const auto told = check("{listen: \"" + where + "\"}", true);
  EXPECT_EQ(told.exit_code, 0) << told.errors;
  const std::string text = json::parse(told.output).at("live_reports");
  EXPECT_TRUE(report_has(text, "listen on " + where + ": Address already in use; name another"))
      << text;
}

TEST_F(LiveReports, FilesThatAreNotThereAreRefusedByCheckAndDoctor) {
  const std::string push = "{certificate: no-such.pem, key: no-such.key}";
  const auto told = check(push, true);
  EXPECT_EQ(told.exit_code, 2) << told.output << told.errors;
  const json answer = json::parse(told.output);
  EXPECT_EQ(answer.at("live_reports_refused"), true);
  EXPECT_TRUE(report_has(answer.at("live_reports"), "no-such.pem")) << answer.dump();
  const auto doctor = place_.kneepoint({"doctor", place_.path() + "/site.yaml", "--json"});
  EXPECT_EQ(doctor.exit_code, 3) << doctor.output;
  const json findings = json::parse(doctor.output).at("findings");
  EXPECT_EQ(findings.back().at("what"), "push") << findings.dump(1);
  EXPECT_EQ(findings.back().at("grade"), "bad");
  EXPECT_TRUE(report_has(findings.back().at("text"), "no-such.pem")) << findings.dump(1);
}

}  // namespace
}  // namespace kneepoint
