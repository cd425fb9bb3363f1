// SPDX-License-Identifier: Apache-2.0
//
// `nightly` as a timer calls it: nights on a simulated machine that gets slower, and what may go
// wrong at night.
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
namespace fs = std::filesystem;

int lines_in(const std::string& text) {
  return static_cast<int>(std::count(text.begin(), text.end(), '\n'));
}

class Nightly : public testing::Test {
 protected:
  Place::Ended night(const std::string& plan, std::vector<std::string> flags = {}) const {
    flags.insert(flags.begin(), {"nightly", plan, "--output-dir", folder_});
    return place_.kneepoint(flags);
  }
  std::string artefact(const std::string& name) const { return place_.read("night/" + name); }
  bool has(const std::string& name) const { return fs::exists(folder_ + "/" + name); }
  json list() const { return json::parse(place_.kneepoint({"list", "--json"}).output)["studies"]; }

  std::string simulated_plan() const {
    return place_.write(
        "plan.yaml",
        "study: sim\nmodes: [strong]\nscale: [1, 2, 4]\nrepeat: 3\n"
        "workloads: [{name: app, command: [app], metrics: {time: {pattern: \"t=(.*)\"}}}]\n"
        "gate: {max_regression: 4%}\n");
  }
  void yesterday(const std::string& name) const {
    fs::create_directories(folder_);
    place_.write("night/" + name, "yesterday's");
  }
  // A machine on which a run takes so long.
  std::vector<std::string> machine(double seconds, int seed) const {
    return {"--site",
            place_.write("site.yaml",
                         "backend: simulated\nsimulated: {noise: 0.5%, default_time: " +
                             std::to_string(seconds) + "s, seed: " + std::to_string(seed) + "}\n")};
  }
  // A local program of one run after the other.
  std::string local_plan(const std::string& command, int repeats = 2) const {
    return place_.write("local.yaml",
                        "study: here\nworker: rank\nscale: [1]\nmodes: [strong]\nworkloads:\n"
                        "  - name: app\n    command: " +
                            command +
                            "\n    mpi: false\n    metrics: {time: {pattern: \"t=([0-9.]+)\", "
                            "unit: s}}\nrepeat: " +
                            std::to_string(repeats) + "\nlimits: {retries: 0}\n");
  }

  const Place place_;
  const std::string folder_ = place_.path() + "/night";
};

TEST_F(Nightly, AfterEveryNightThereIsOneLineAndItsArtefacts) {
  const std::string plan = simulated_plan();
  for (int i = 1; i <= 10; ++i) {
    const auto ended = night(plan, machine(10, i));
    ASSERT_EQ(ended.exit_code, 0) << ended.output << ended.errors;
    EXPECT_EQ(lines_in(ended.output), 1) << ended.output;
    EXPECT_EQ(ended.output.rfind(i < 9 ? "NO_BASELINE  sim-" : "PASS  sim-", 0), 0u)
        << ended.output;
  }
  EXPECT_EQ(list().size(), 10u);
  EXPECT_EQ(json::parse(artefact("gate.json"))["verdict"], "PASS");
  auto slow = machine(12, 11);
  slow.insert(slow.end(), {"--prometheus", place_.path() + "/kneepoint.prom"});
  const auto suspect = night(plan, slow);
  EXPECT_EQ(suspect.exit_code, 0);
  EXPECT_EQ(suspect.output.rfind("SUSPECT  sim-", 0), 0u) << suspect.output;
  EXPECT_NE(place_.read("kneepoint.prom").find("verdict=\"SUSPECT\"} 1"), std::string::npos);
  const auto worse = night(plan, machine(12, 12));
  EXPECT_EQ(worse.exit_code, 1);
  EXPECT_EQ(worse.output.rfind("REGRESSED  sim-", 0), 0u) << worse.output;
  const json gate = json::parse(artefact("gate.json"));
  EXPECT_EQ(gate["schema"], "kneepoint.gate/1");
  EXPECT_EQ(gate["line"].get<std::string>() + "\n", worse.output);
  EXPECT_NE(artefact("gate.xml").find("<failure type=\"REGRESSED\""), std::string::npos);
  EXPECT_EQ(artefact("summary.md").rfind("## REGRESSED: sim-", 0), 0u);
  EXPECT_EQ(artefact("report.md").rfind("# sim-", 0), 0u);
  EXPECT_EQ(artefact("report.html").rfind("<!", 0), 0u);
  EXPECT_TRUE(artefact("nightly.log").ends_with("\n" + worse.output)) << artefact("nightly.log");
  EXPECT_NE(artefact("nightly.log").find("study sim-"), std::string::npos);
  auto strict = machine(10, 13);
  strict.push_back("--json");
  const auto answer = night(plan, strict);
  EXPECT_EQ(json::parse(answer.output)["schema"], "kneepoint.gate/1");
}

TEST_F(Nightly, WithFailedRunsEndsWithFourAndSaysWhere) {
  yesterday("gate.json");
  const auto ended = night(local_plan("[/bin/false]"));
  EXPECT_EQ(ended.exit_code, 4) << ended.output << ended.errors;
  EXPECT_EQ(ended.output.rfind("FAILED  here-", 0), 0u) << ended.output;
  EXPECT_EQ(json::parse(artefact("gate.json"))["verdict"], "FAILED");
  EXPECT_NE(artefact("gate.xml").find("<failure type=\"FAILED\""), std::string::npos);
}

TEST_F(Nightly, ThatIsRefusedLeavesNoVerdictOfYesterday) {
  yesterday("gate.json");
  yesterday("gate.xml");
  const auto ended = night(place_.write("bad.yaml", "study: x\nscail: 3\n"));
  EXPECT_EQ(ended.exit_code, 2);
  EXPECT_EQ(ended.output, "");
  EXPECT_FALSE(has("gate.json"));
  EXPECT_FALSE(has("gate.xml"));
  EXPECT_NE(artefact("nightly.log").find("scail"), std::string::npos) << artefact("nightly.log");
  EXPECT_EQ(place_.kneepoint({"nightly", "bad.yaml"}).exit_code, 2);
}

class NightlyInTheWay : public Nightly {
 protected:
  // Its runs leave a line in `trace` and last until there is a file `go`.
  std::string waiting_plan(int repeats) const {
    return local_plan("[\"" KP_TEST_DIR "/counting_program\", \"" + place_.path() +
                          "/trace\", \"1\", \"" + place_.path() + "/go\"]",
                      repeats);
  }
  // Comes back when its first run is there.
  pid_t start(const std::string& plan) const {
    const pid_t pid = place_.start({"nightly", plan, "--output-dir", folder_});
    EXPECT_TRUE(place_.wait_until(pid, [&] { return fs::exists(place_.path() + "/trace"); }));
    return pid;
  }
};

TEST_F(NightlyInTheWay, InterruptedGoesOnWithTheSameStudy) {
  const std::string plan = waiting_plan(3);
  const pid_t pid = start(plan);
  ASSERT_EQ(::kill(pid, SIGTERM), 0);
  ASSERT_TRUE(place_.wait_until(pid, [&] {
    return place_.read("err").find("interrupted: waiting for") != std::string::npos;
  }));
  place_.write("go", "");
  const auto stopped = place_.wait(pid);
  EXPECT_EQ(stopped.exit_code, 130) << stopped.errors;
  EXPECT_EQ(stopped.output.rfind("INTERRUPTED  here-", 0), 0u) << stopped.output;
  EXPECT_NE(stopped.output.find("the same command within 20 h"), std::string::npos)
      << stopped.output;
  EXPECT_FALSE(has("gate.json"));
  EXPECT_NE(artefact("nightly.log").find("INTERRUPTED  here-"), std::string::npos);
  const auto again = night(plan);
  EXPECT_EQ(again.exit_code, 0) << again.errors;
  EXPECT_EQ(again.output.rfind("NO_BASELINE  here-", 0), 0u) << again.output;
  ASSERT_EQ(list().size(), 1u) << list();
  EXPECT_EQ(list()[0]["state"], "finished");
  EXPECT_EQ(night(plan).exit_code, 0);
  EXPECT_EQ(list().size(), 2u) << "a finished night is followed by another";
}

TEST_F(NightlyInTheWay, AHalfFinishedStudyIsSaidAndIsNoNight) {
  const std::string plan = waiting_plan(3);
  const pid_t pid = place_.start({"run", plan});
  ASSERT_TRUE(place_.wait_until(pid, [&] { return fs::exists(place_.path() + "/trace"); }));
  ASSERT_EQ(::kill(pid, SIGTERM), 0);
  ASSERT_TRUE(place_.wait_until(pid, [&] {
    return place_.read("err").find("interrupted: waiting for") != std::string::npos;
  }));
  place_.write("go", "");
  ASSERT_EQ(place_.wait(pid).exit_code, 130);
  const auto half = place_.kneepoint({"gate", "--json"});
  EXPECT_EQ(half.exit_code, 0) << half.errors;
  const json judged = json::parse(half.output);
  EXPECT_EQ(judged["verdict"], "INCONCLUSIVE");
  EXPECT_NE(judged["why"].get<std::string>().find(" of 3 runs to go"), std::string::npos) << judged;
  EXPECT_EQ(place_.kneepoint({"baseline", "set", "here"}).exit_code, 2) << "no baseline either";
  const json before = list()[0];
  ASSERT_EQ(place_.kneepoint({"run", plan, "--new"}).exit_code, 0);
  const json next = json::parse(place_.kneepoint({"gate", "--json"}).output);
  EXPECT_EQ(next["nights"], 0) << next;
  EXPECT_NE(next["left_out"].dump().find("1 study of the series not finished"), std::string::npos)
      << next["left_out"];
  ASSERT_EQ(list().size(), 2u);
  EXPECT_EQ(list()[1], before) << "it stays as it was";
}

TEST_F(NightlyInTheWay, TwoAtOnceAreOneTooMany) {
  const std::string plan = waiting_plan(2);
  const pid_t pid = start(plan);
  const Place elsewhere;  // its own files for the output, the same database
  const std::string database = place_.path() + "/kneepoint.db";
  const auto same_folder =
      elsewhere.kneepoint({"nightly", plan, "--output-dir", folder_, "--db", database});
  EXPECT_EQ(same_folder.exit_code, 2);
  EXPECT_NE(same_folder.errors.find("is in use by another nightly"), std::string::npos)
      << same_folder.errors;
  const auto same_series = elsewhere.kneepoint(
      {"nightly", plan, "--output-dir", elsewhere.path() + "/other", "--db", database});
  EXPECT_EQ(same_series.exit_code, 2) << same_series.output;
  EXPECT_NE(same_series.errors.find("is being run by"), std::string::npos) << same_series.errors;
  place_.write("go", "");
  const auto first = place_.wait(pid);
  EXPECT_EQ(first.exit_code, 0) << first.errors;
  EXPECT_TRUE(has("gate.json"));
  EXPECT_EQ(list().size(), 1u);
}

TEST_F(NightlyInTheWay, AnArtefactThatCannotBeWrittenIsSaidAndHidesNoVerdict) {
  // The run itself puts a folder where a file must go.
  const auto ended = night(local_plan("[sh, -c, \"mkdir -p " + folder_ + "/gate.xml; echo t=1\"]"));
  EXPECT_EQ(ended.exit_code, 3) << ended.errors;
  EXPECT_EQ(ended.output.rfind("NO_BASELINE  here-", 0), 0u) << ended.output;
  EXPECT_NE(ended.errors.find("gate.xml: Is a directory; the verdict stands"), std::string::npos)
      << ended.errors;
  EXPECT_TRUE(has("gate.json"));
  EXPECT_TRUE(has("report.md"));
  place_.write("file", "");
  const auto no_folder =
      place_.kneepoint({"nightly", simulated_plan(), "--output-dir", place_.path() + "/file/x"});
  EXPECT_EQ(no_folder.exit_code, 3) << no_folder.errors;
  EXPECT_EQ(list().size(), 1u) << "nothing is started when there is no place for its answer";
}

}  // namespace
}  // namespace kneepoint
