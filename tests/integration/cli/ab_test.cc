// SPDX-License-Identifier: Apache-2.0
//
// `run --ab` through the real program: builds are small scripts that say how long they took, so
// that what is told of them is known before.
#include <gtest/gtest.h>
#include <signal.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/fakes/kneepoint_process.h"

namespace kneepoint {
namespace {

using nlohmann::json;
using testing_support::Place;

class AbCommand : public testing::Test {
 protected:
  void SetUp() override { write_plan("6"); }

  void write_plan(const std::string& repeat, const std::string& command = "\"{build}\"") const {
    std::ofstream(plan_) << "study: demo\nmodes: [strong]\nscale: [1, 2]\nrepeat: " << repeat
                         << "\nlimits: {oversubscribe: true, timeout: 2m}\n"
                            "workloads: [{name: app, mpi: false, command: ["
                         << command << "], metrics: {time: {pattern: \"t=([0-9.]+)\"}}}]\n";
  }

  // Says that it took so many thousandths of a second and a few more, by turns; really no time.
  std::string program(const std::string& name, int thousandths, double sleeps = 0) const {
    const std::string path = place_.path() + "/" + name;
    std::ofstream(path) << "#!/bin/sh\nn=$(cat $0.n 2>/dev/null || echo 0)\n"
                           "echo $((n + 1)) > $0.n\nsleep "
                        << sleeps << "\necho t=$((" << thousandths << " + n * 3 % 7)).$n\n";
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
    return path;
  }

  std::vector<std::string> run(const std::string& old_one, const std::string& new_one,
                               std::vector<std::string> more = {}) const {
    std::vector<std::string> words = {"run",  plan_,           "--ab", "old=" + old_one,
                                      "--ab", "new=" + new_one};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }

  json answer(const std::vector<std::string>& words, int exit_code) const {
    const auto ended = place_.kneepoint(words);
    EXPECT_EQ(ended.exit_code, exit_code) << ended.output << ended.errors;
    return json::parse(ended.output, nullptr, false);
  }

  const Place place_;
  const std::string plan_ = place_.path() + "/plan.yaml";
};

TEST_F(AbCommand, ASlowerBuildIsRegressedInEveryForm) {
  const std::string before = program("before", 1000), after = program("after", 1060);
  const json ended = answer(run(before, after, {"--json"}), 1);
  ASSERT_TRUE(ended.is_object());
  EXPECT_EQ(ended["runs"], 24);
  const json& builds = ended["report"]["builds"];
  EXPECT_EQ(builds["verdict"], "REGRESSED") << builds;
  EXPECT_EQ(builds["reference"], "old");
  EXPECT_EQ(builds["candidate"], "new");
  ASSERT_EQ(builds["curves"].size(), 1U);
  EXPECT_NEAR(builds["curves"][0]["ratio"].get<double>(), 1.06, .002);
  EXPECT_EQ(builds["curves"][0]["pairs"], 12);
  EXPECT_GT(builds["curves"][0]["interval"]["low"].get<double>(), 1.05);
  ASSERT_EQ(builds["curves"][0]["points"].size(), 2U);
  EXPECT_TRUE(builds["curves"][0]["points"][1]["slower"].get<bool>());
  const std::string study = ended["study"];
  EXPECT_EQ(study.rfind("demo-ab-", 0), 0U);

  const auto again = place_.kneepoint(run(before, after));
  EXPECT_EQ(again.exit_code, 1) << "a finished study says the same again";
  EXPECT_NE(again.errors.find("is finished: 24 runs, 0 failed"), std::string::npos) << again.errors;
  EXPECT_NE(again.output.find("REGRESSED  " + study +
                              ": new against old: slower; app strong (2 K) "
                              "1.0"),
            std::string::npos)
      << again.output;
  EXPECT_NE(again.output.find("T old"), std::string::npos);
  for (const char* form : {"--markdown", "--brief"}) {
    const auto report = place_.kneepoint({"report", study, form});
    EXPECT_NE(report.output.find("REGRESSED"), std::string::npos) << form;
    EXPECT_NE(report.output.find("build old"), std::string::npos) << form;
    EXPECT_NE(report.output.find("build new"), std::string::npos) << form;
  }
  const auto full = place_.kneepoint({"report", study});
  EXPECT_NE(full.output.find("Builds: app strong, new against old"), std::string::npos)
      << full.output;
  const auto story = place_.kneepoint({"explain", "r1", "--json"});
  for (const char* fact : {"build.label", "build.place", "build.hash", "program.hash"}) {
    EXPECT_NE(story.output.find(fact), std::string::npos) << fact << story.output;
  }
}

TEST_F(AbCommand, TheSameBuildAgainstItselfIsNotAndAnotherBinaryIsAnotherStudy) {
  const std::string app = program("app", 1000), copy = program("copy", 1000);
  const json same = answer(run(app, app, {"--json"}), 0);
  EXPECT_EQ(same["report"]["builds"]["verdict"], "PASS") << same["report"]["builds"];
  const json copied = answer(run(app, copy, {"--json"}), 0);
  EXPECT_NE(copied["study"], same["study"]);
  program("copy", 900);
  const json changed = answer(run(app, copy, {"--json"}), 0);
  EXPECT_NE(changed["study"], copied["study"]) << "no study holds runs of two binaries";
  EXPECT_EQ(changed["report"]["builds"]["verdict"], "IMPROVED");
}

TEST_F(AbCommand, WhatMakesNoSenseIsRefusedBeforeAnythingRuns) {
  const std::string app = program("app", 1000);
  const std::string text = place_.write("text", "no program");
  const struct {
    std::vector<std::string> builds;
    std::string words;
  } cases[] = {
      {{"old=" + app}, "two builds are compared, 1 is named"},
      {{"a=" + app, "b=" + app, "c=" + app}, "two builds are compared, 3 are named"},
      {{"old", "new=" + app}, "--ab old: expected --ab old=PATH --ab new=PATH"},
      {{"old=", "new=" + app}, "--ab old=: expected"},
      {{"old=" + app, "old=" + app}, "the label 'old' is taken"},
      {{"o d=" + app, "new=" + app}, "expected a label of letters"},
      {{"default=" + app, "new=" + app}, "take another"},
      {{"old=" + app, "new=" + app + "x"}, "no such file or folder"},
      {{"old=" + app, "new=/dev/null"}, "neither a file nor a folder"},
      {{"old=" + app, "new=" + text}, "is not executable"},
  };
  for (const auto& one : cases) {
    std::vector<std::string> words = {"run", plan_};
    for (const std::string& build : one.builds) words.insert(words.end(), {"--ab", build});
    const auto ended = place_.kneepoint(words);
    EXPECT_EQ(ended.exit_code, 2) << one.words;
    EXPECT_NE(ended.errors.find(one.words), std::string::npos) << ended.errors;
  }
  const auto concurrent = place_.kneepoint(run(app, app, {"--concurrent", "2"}));
  EXPECT_EQ(concurrent.exit_code, 2);
  const auto unfilled = place_.kneepoint({"run", plan_});
  EXPECT_EQ(unfilled.exit_code, 2);
  EXPECT_NE(unfilled.errors.find("plan.yaml:6:"), std::string::npos) << unfilled.errors;
  EXPECT_NE(unfilled.errors.find("{build} has no value"), std::string::npos) << unfilled.errors;
  write_plan("6", "app");
  const auto unused = place_.kneepoint(run(app, app));
  EXPECT_EQ(unused.exit_code, 2);
  EXPECT_NE(unused.errors.find("--ab needs {build} in the command"), std::string::npos);
  EXPECT_EQ(answer({"list", "--json"}, 0).dump().find("demo-ab"), std::string::npos);
}

TEST_F(AbCommand, AKilledStudyGoesOnAndACancelledOneAddsNothing) {
  write_plan("5");
  const std::string before = program("before", 1000, .05), after = program("after", 1100, .05);
  const auto some_done = [&] {
    const auto status = place_.kneepoint({"status", "--json"});
    return status.exit_code == 0 && status.output.find("\"succeeded\"") != std::string::npos;
  };
  const pid_t first = place_.start(run(before, after));
  ASSERT_TRUE(place_.wait_until(first, some_done));
  ::kill(first, SIGKILL);
  place_.wait(first);
  const json ended = answer(run(before, after, {"--json"}), 1);
  EXPECT_EQ(ended["runs"], 20);
  EXPECT_EQ(ended["failed"], 0);
  EXPECT_EQ(ended["study"].get<std::string>().back(), '1') << "the same study";
  EXPECT_EQ(ended["report"]["builds"]["curves"][0]["pairs"], 10);

  const pid_t second = place_.start(run(before, after, {"--new"}));
  std::string id = ended["study"];
  id.back() = '2';
  ASSERT_TRUE(place_.wait_until(second, [&] {
    return place_.kneepoint({"status", id, "--json"}).output.find("\"succeeded\"") !=
           std::string::npos;
  }));
  ::kill(second, SIGKILL);
  place_.wait(second);
  const auto cancelled = place_.kneepoint({"cancel", id});
  EXPECT_EQ(cancelled.exit_code, 0) << cancelled.errors;
  EXPECT_NE(cancelled.output.find("is cancelled"), std::string::npos) << cancelled.output;
  const json report = answer({"report", id, "--json"}, 0);
  EXPECT_EQ(report.dump().find("\"default\""), std::string::npos)
      << "points of the plan's own program were added";
}

// As the dashboard does it, which has no command line of the study.
TEST_F(AbCommand, AKilledStudyGoesOnByItsIdAlone) {
  const std::string trace = place_.path() + "/trace", go = place_.path() + "/go";
  const auto held = [&](const std::string& name, int thousandths) {
    const std::string path = place_.write(
        name, "#!/bin/sh\n" KP_TEST_DIR "/counting_program " + trace + " 1 " + go + "\necho u=$((" +
                  std::to_string(thousandths) + " + $(wc -l <" + trace + ") % 3))\n");
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
    return path;
  };
  const std::string before = held("before", 1000), after = held("after", 1100);
  std::ofstream(plan_) << "study: demo\nmodes: [strong]\nscale: [1]\nrepeat: 8\n"
                          "limits: {oversubscribe: true, timeout: 5m}\n"
                          "workloads: [{name: app, mpi: false, command: [\"{build}\"], "
                          "metrics: {time: {pattern: \"u=([0-9.]+)\"}}}]\n";
  const pid_t first = place_.start(run(before, after));
  ASSERT_TRUE(place_.wait_until(first, [&] { return std::filesystem::exists(trace); }));
  ::kill(first, SIGKILL);
  place_.wait(first);
  place_.write("go", "");
  const std::string id = answer({"list", "--json"}, 0)["studies"][0]["id"].get<std::string>();
  ASSERT_EQ(id.rfind("demo-ab-", 0), 0U);
  const json ended = answer({"run", "--resume", id, "--json"}, 1);
  ASSERT_TRUE(ended.is_object());
  EXPECT_EQ(ended["study"], id);
  EXPECT_EQ(ended["runs"], 16);
  EXPECT_EQ(ended["failed"], 0);
  EXPECT_EQ(ended["report"]["builds"]["verdict"], "REGRESSED") << ended["report"]["builds"];
  EXPECT_EQ(ended["report"]["builds"]["reference"], "old");
  EXPECT_EQ(place_.kneepoint({"run", "--resume", id, "--concurrent", "2"}).exit_code, 2);
  EXPECT_EQ(place_.kneepoint(run(before, after, {"--resume", id})).exit_code, 2);
  std::ofstream(after, std::ios::app) << "# another\n";
  const auto replaced = place_.kneepoint({"run", "--resume", id});
  EXPECT_EQ(replaced.exit_code, 2) << replaced.output;
  EXPECT_NE(replaced.errors.find("its programs or inputs have changed"), std::string::npos)
      << replaced.errors;
  EXPECT_EQ(answer({"list", "--json"}, 0)["studies"].size(), 1U) << "nothing was begun";
}

TEST_F(AbCommand, OnASiteWithAQueueBothBuildsShareOneAllocation) {
  const std::string site =
      place_.write("site.yaml", "backend: simulated\nsimulated: {noise: 1%, default_time: 10s}\n");
  const std::string app = program("app", 1000);
  const json ended = answer(run(app, app, {"--json", "--site", site}), 0);
  ASSERT_TRUE(ended.is_object());
  const json& queue = ended["report"]["volatile"]["queue"];
  EXPECT_EQ(queue["way"], "packed") << queue;
  EXPECT_EQ(queue["allocations"], 1) << queue;
  EXPECT_EQ(queue["runs"], 24) << queue;
  EXPECT_NE(ended["report"]["builds"]["verdict"], "REGRESSED");
  EXPECT_EQ(ended["report"]["builds"]["curves"][0]["pairs"], 12);
}

}  // namespace
}  // namespace kneepoint
