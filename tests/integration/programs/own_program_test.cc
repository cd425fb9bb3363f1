// SPDX-License-Identifier: Apache-2.0
//
// What a plan says of a program and what becomes of its runs: right and wrong answers, files that
// come and stay, folders.
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "tests/fakes/kneepoint_process.h"

namespace kneepoint {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing_support::Place;

std::string plan_of(const std::string& script, const std::string& lines) {
  return "study: own\nworker: rank\nscale: [1]\nmodes: [strong]\nworkloads:\n  - name: app\n"
         "    command: [/bin/sh, -c, '" +
         script + "']\n    mpi: false\n" + lines + "repeat: 1\nlimits: {retries: 0}\n";
}

const std::string kTime = "    metrics: {time: {json: t}, e: {json: e}}\n";

// How the only run of the plan ended: "state/reason: detail".
std::string end_of(const Place& place, const std::string& plan) {
  const auto ran = place.kneepoint({"run", place.write("plan.yaml", plan), "--new"});
  const auto told = place.kneepoint({"explain", "own/r1", "--json"});
  EXPECT_EQ(told.exit_code, 0) << ran.errors << told.errors;
  if (told.exit_code != 0) return "";
  const json last = json::parse(told.output)["attempts"].back();
  return last["state"].get<std::string>() + "/" + last["reason"].get<std::string>() + ": " +
         last["detail"].get<std::string>();
}

TEST(OwnProgram, ASanityRuleThatDoesNotHoldIsAWrongAnswer) {
  const Place place;
  const auto with = [&](const std::string& rules) {
    return end_of(
        place,
        plan_of("printf \"%s\\n\" \"{\\\"t\\\": 1, \\\"e\\\": -1.5}\"; echo residual nan >&2",
                kTime + "    sanity: " + rules + "\n"));
  };
  EXPECT_EQ(with("[{metric: e, equals: -1.5, tolerance: 1%}, {must_not_match: failed}]"),
            "succeeded/none: ");
  EXPECT_EQ(with("[{metric: e, at_least: 0}]"),
            "failed/wrong_answer: sanity rule 1: e must be at least 0, found -1.5");
  EXPECT_EQ(with("[{must_match: e}, {must_not_match: \"n[a]n\", from: stderr}]"),
            "failed/wrong_answer: sanity rule 2: stderr must not match 'n[a]n', but a line does: "
            "\"nan\"");
  EXPECT_EQ(with("{must_match: ok, file: log.txt}"),
            "failed/wrong_answer: sanity rule 1: 'log.txt' must match 'ok', but the program wrote "
            "no file 'log.txt'");
}

TEST(OwnProgram, ExitCodesThatThePlanAllowsAreGood) {
  const Place place;
  const std::string metrics = "    metrics: {time: {pattern: \"t: ([0-9]+)\"}}\n";
  const std::string says = "echo t: 1; exit 3";
  EXPECT_EQ(end_of(place, plan_of(says, metrics + "    sanity: {exit_codes: [0, 3]}\n")),
            "succeeded/none: ");
  EXPECT_EQ(end_of(place, plan_of(says, metrics + "    sanity: {exit_codes: [0, 4]}\n")),
            "failed/exit_code: '/bin/sh' exited with 3; its sanity rule allows 0, 4");
  EXPECT_EQ(end_of(place, plan_of(says, metrics)), "failed/exit_code: '/bin/sh' exited with 3");
}

TEST(OwnProgram, RunsInAFolderOfItsOwnWithItsInputsAndKeepsWhatItIsToldTo) {
  const Place place;
  fs::create_directories(place.path() + "/mesh");
  place.write("mesh/a.dat", "7");
  place.write("app.sh",
              "#!/bin/sh\necho t: $(cat mesh/a.dat)\necho x > scratch\necho log > out-$1.log\n");
  fs::permissions(place.path() + "/app.sh", fs::perms::owner_exec, fs::perm_options::add);
  const std::string plan =
      "study: own\nworker: rank\nscale: [1]\nmodes: [strong]\nworkloads:\n  - name: app\n"
      "    command: [./app.sh, \"{K}\"]\n    mpi: false\n    inputs: [app.sh, mesh/]\n"
      "    metrics: {time: {pattern: \"t: ([0-9]+)\"}}\n    keep: [\"*.log\", none.json]\n"
      "repeat: 1\n";
  EXPECT_EQ(end_of(place, plan), "succeeded/none: ");
  const auto told = place.kneepoint({"explain", "own/r1"});
  EXPECT_NE(told.output.find("r1-a1/kept/out-1.log (4 bytes)"), std::string::npos) << told.output;
  EXPECT_NE(told.output.find("not kept: none.json: no such file"), std::string::npos);
  const json attempt = json::parse(place.kneepoint({"explain", "own/r1", "--json"}).output);
  const std::string folder = attempt["attempts"][0]["folder"];
  EXPECT_TRUE(fs::exists(folder + "/kept/out-1.log"));
  EXPECT_FALSE(fs::exists(folder + "/work"));
  // Another content is another series; the same one is the same.
  const std::string first = attempt["study"];
  place.write("mesh/a.dat", "8");
  EXPECT_EQ(end_of(place, plan), "succeeded/none: ");
  const std::string second =
      json::parse(place.kneepoint({"explain", "own/r1", "--json"}).output)["study"];
  EXPECT_NE(first.substr(0, first.rfind('-')), second.substr(0, second.rfind('-')));
}

TEST(OwnProgram, ARunThatFailedLeavesItsFolderToLookAt) {
  const Place place;
  const std::string plan = plan_of("echo half > result.txt; exit 1",
                                   "    metrics: {time: {json: t, file: result.txt}}\n");
  EXPECT_EQ(end_of(place, plan), "failed/exit_code: '/bin/sh' exited with 1");
  const json story = json::parse(place.kneepoint({"explain", "own/r1", "--json"}).output);
  EXPECT_TRUE(fs::exists(story["attempts"][0]["folder"].get<std::string>() + "/work/result.txt"));
}

TEST(OwnProgram, AnInputThatIsNotThereIsAProblemOfThePlanWithItsPlace) {
  const Place place;
  const std::string plan = place.write(
      "plan.yaml", plan_of("true", "    inputs: [gone.dat]\n    metrics: {time: {json: t}}\n"));
  const auto checked = place.kneepoint({"check", plan});
  EXPECT_EQ(checked.exit_code, 2);
  EXPECT_NE(checked.errors.find(
                "plan.yaml:9:14: workloads[0].inputs[0]: 'gone.dat': no such file or folder"),
            std::string::npos)
      << checked.errors;
}

TEST(OwnProgram, MetricsOfThePlanAreInTheReportWithUnitAndDirection) {
  const Place place;
  std::string plan =
      plan_of("printf \"%s\\n\" \"{\\\"t\\\": 1, \\\"e\\\": 42.5}\"",
              "    metrics: {time: {json: t}, rate: {json: e, unit: GB/s, better: higher}}\n");
  plan.replace(plan.find("repeat: 1"), 9, "repeat: 2");
  const auto ran = place.kneepoint({"run", place.write("plan.yaml", plan)});
  ASSERT_EQ(ran.exit_code, 0) << ran.errors;
  const json report = json::parse(place.kneepoint({"report", "own", "--json"}).output);
  const json metrics =
      report.at("cases").at(0).at("modes").at("strong").at("points").at(0).at("metrics");
  ASSERT_EQ(metrics.size(), 1U) << metrics.dump();
  EXPECT_EQ(metrics.at(0).at("name"), "rate");
  EXPECT_EQ(metrics.at(0).at("unit"), "GB/s");
  EXPECT_EQ(metrics.at(0).at("better"), "higher");
  EXPECT_EQ(metrics.at(0).at("median"), 42.5);
  EXPECT_EQ(metrics.at(0).at("runs"), 2);
  const std::string text = place.kneepoint({"report", "own"}).output;
  EXPECT_NE(text.find("Metrics (median over runs, with its interval)"), std::string::npos) << text;
  EXPECT_NE(text.find("42.50 [42.50, 42.50]  GB/s  higher"), std::string::npos) << text;
}

}  // namespace
}  // namespace kneepoint
