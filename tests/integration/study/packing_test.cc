// SPDX-License-Identifier: Apache-2.0
//
// Studies whose runs share allocations, through the real program: in one piece, interrupted,
// cancelled, with a killed agent and a killed controller.
#include <gtest/gtest.h>
#include <signal.h>

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "orchestrator/base/random.h"
#include "tests/fakes/kneepoint_process.h"

namespace kneepoint {
namespace {

using nlohmann::json;
using testing_support::Place;

const std::string kPackedLocal = "backend: local\npacking: {mode: packed}\n";

// Six runs of a shell script; each leaves the name of its attempt in `trace`.
std::string shell_plan(const Place& place, const std::string& script) {
  return R"y(study: packed
worker: rank
scale: [1]
modes: [strong]
workloads:
  - name: shell
    command: [sh, -c, ')y" +
         script + R"y(', sh, ")y" + place.path() + R"y("]
    mpi: false
    metrics: {time: {pattern: "t=([0-9.]+)", unit: s}}
repeat: 6
limits: {timeout: 5m}
)y";
}

// Waits for a file `go` in the middle.
const std::string kGated =
    R"(echo $KNEEPOINT_ATTEMPT >>"$1/trace"; until [ -e "$1/go" ]; do sleep 0.05; done; echo t=0.5)";

std::map<std::string, int> executions(const Place& place) {
  std::map<std::string, int> counts;
  std::istringstream lines(place.read("trace"));
  for (std::string line; std::getline(lines, line);) ++counts[line];
  return counts;
}

std::string trace(const Place& place) {
  return "trace:\n" + place.read("trace") + "\nstatus:\n" +
         place.kneepoint({"status", "packed"}).output + "\nr1:\n" +
         place.kneepoint({"explain", "r1"}).output;
}

int allocation_files(const Place& place) {
  int count = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(place.path())) {
    const std::string name = entry.path().filename().string();
    count += name.starts_with("kp-") && name.ends_with(".json") ? 1 : 0;
  }
  return count;
}

TEST(Packing, AllRunsOfALocalStudyShareOneAllocation) {
  Place place;
  const std::string plan = place.write(
      "plan.yaml", shell_plan(place, R"(echo $KNEEPOINT_ATTEMPT >>"$1/trace"; echo t=0.5)"));
  const std::string site = place.write("site.yaml", kPackedLocal);
  const auto checked = place.kneepoint({"check", plan, "--site", site});
  EXPECT_NE(checked.output.find("Would submit 1 allocation that holds all 6 runs (packed)"),
            std::string::npos)
      << checked.output << checked.errors;
  const auto ran = place.kneepoint({"run", plan, "--site", site});
  ASSERT_EQ(ran.exit_code, 0) << ran.output << ran.errors << trace(place);
  EXPECT_EQ(allocation_files(place), 1);
  const auto counts = executions(place);
  EXPECT_EQ(counts.size(), 6U);
  for (const auto& [attempt, count] : counts) EXPECT_EQ(count, 1) << attempt;
  const auto status = place.kneepoint({"status", "packed"});
  EXPECT_NE(status.output.find("6 runs in 1 allocation"), std::string::npos) << status.output;
  const auto explained = place.kneepoint({"explain", "r2"});
  EXPECT_NE(explained.output.find("step 2 of 6 on 1 of its 1 node"), std::string::npos)
      << explained.output;
}

TEST(Packing, EmittingShowsTheWholeAllocation) {
  Place place;
  const std::string plan = place.write("plan.yaml", shell_plan(place, "echo t=0.5"));
  const std::string site = place.write("site.yaml", kPackedLocal);
  const auto checked =
      place.kneepoint({"check", plan, "--site", site, "--emit", place.path() + "/emitted"});
  ASSERT_EQ(checked.exit_code, 0) << checked.errors;
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(place.path() + "/emitted")) {
    if (entry.path().extension() != ".json") continue;
    ++files;
    const json allocation =
        json::parse(place.read("emitted/" + entry.path().filename().string()), nullptr, false);
    EXPECT_EQ(allocation["steps"].size(), 6U) << allocation.dump();
  }
  EXPECT_EQ(files, 1);
}

TEST(Packing, AKilledAgentLosesTheStepThatRanAndTheOnesBehindItAreHandedOverAgain) {
  Place place;
  // The third one kills the agent that runs it.
  const std::string plan = place.write(
      "plan.yaml",
      shell_plan(place, R"(echo $KNEEPOINT_ATTEMPT >>"$1/trace"; )"
                        R"(if [ $(wc -l <"$1/trace") -eq 3 ]; then kill -9 $PPID; sleep 60; fi; )"
                        R"(echo t=0.5)"));
  const auto ran = place.kneepoint({"run", plan, "--site", place.write("site.yaml", kPackedLocal)});
  ASSERT_EQ(ran.exit_code, 0) << ran.output << ran.errors << trace(place);
  int second = 0;
  for (const auto& [attempt, count] : executions(place)) {
    EXPECT_EQ(count, 1) << attempt << trace(place);
    second += attempt.ends_with("-a2") ? 1 : 0;
  }
  EXPECT_EQ(executions(place).size(), 7U) << trace(place);
  EXPECT_EQ(second, 1) << "only the one that ran has used up an attempt" << trace(place);
  EXPECT_EQ(allocation_files(place), 2);
}

class PackedInterruption : public testing::Test {
 protected:
  PackedInterruption() {
    const std::string plan = place_.write("plan.yaml", shell_plan(place_, kGated));
    run_ = {"run", plan, "--site", place_.write("site.yaml", kPackedLocal)};
  }

  pid_t start() const {
    const pid_t pid = place_.start(run_);
    EXPECT_TRUE(place_.wait_until(pid, [&] { return !place_.read("trace").empty(); }))
        << place_.read("err");
    return pid;
  }

  bool says(pid_t pid, const std::string& words) const {
    return place_.wait_until(pid, [&] {
      return (place_.read("out") + place_.read("err")).find(words) != std::string::npos;
    });
  }

  void expect_whole() const {
    const auto last = place_.kneepoint(run_);
    ASSERT_EQ(last.exit_code, 0) << last.output << last.errors << trace(place_);
    const json report =
        json::parse(place_.kneepoint({"report", "packed", "--json"}).output, nullptr, false);
    const json& points = report.at("cases").at(0).at("modes").at("strong").at("points");
    EXPECT_EQ(points.at(0).at("runs").size(), 6U) << report.dump(2);
    for (const auto& [attempt, count] : executions(place_)) {
      EXPECT_EQ(count, 1) << attempt << trace(place_);
    }
  }

  Place place_;
  std::vector<std::string> run_;
};

TEST_F(PackedInterruption, TwoInterruptsCancelTheAllocationAndResumingDoesTheRest) {
  const pid_t pid = start();
  ::kill(pid, SIGINT);
  EXPECT_TRUE(says(pid, "interrupted: waiting for")) << place_.read("err");
  ::kill(pid, SIGINT);
  EXPECT_EQ(place_.wait(pid).exit_code, 130) << trace(place_);
  EXPECT_EQ(executions(place_).size(), 1U) << trace(place_);
  place_.write("go", "");
  expect_whole();
}

TEST_F(PackedInterruption, CancellingFromElsewhereEndsTheAllocation) {
  const pid_t pid = start();
  const auto cancelled = place_.kneepoint({"cancel", "packed"});
  EXPECT_EQ(cancelled.exit_code, 0) << cancelled.errors;
  place_.wait(pid);
  EXPECT_EQ(executions(place_).size(), 1U) << trace(place_);
  place_.write("go", "");
  expect_whole();
}

TEST_F(PackedInterruption, AnAllocationOutlivesItsControllerAndTheNextOneFindsEveryStep) {
  const pid_t pid = start();
  ::kill(pid, SIGKILL);
  place_.wait(pid);
  place_.write("go", "");
  expect_whole();
  EXPECT_EQ(executions(place_).size(), 6U) << "nothing was lost" << trace(place_);
  EXPECT_EQ(allocation_files(place_), 1);
}

TEST(PackedKill, ControllersKilledAtRandomInstantsLoseNothingAndRepeatNothing) {
  Place place;
  std::string plan =
      shell_plan(place, R"(echo $KNEEPOINT_ATTEMPT >>"$1/trace"; sleep 0.02; echo t=0.5)");
  plan.replace(plan.find("repeat: 6"), 9, "repeat: 40");
  const std::string site = "backend: local\npacking: {mode: packed, steps: 7}\n";
  const std::vector<std::string> run = {"run", place.write("plan.yaml", plan), "--site",
                                        place.write("site.yaml", site)};
  Random random(20261116, "packed kill instants");
  for (int kills = 0; kills < 10; ++kills) {
    const pid_t pid = place.start(run);
    if (place.ended_within(pid, static_cast<long>(random.below(150'000)))) {
      EXPECT_EQ(place.wait(pid).exit_code, 0);
      break;
    }
    ::kill(pid, SIGKILL);
    place.wait(pid);
  }
  const auto last = place.kneepoint(run);
  ASSERT_EQ(last.exit_code, 0) << last.errors << trace(place);
  const auto counts = executions(place);
  EXPECT_EQ(counts.size(), 40U) << trace(place);
  for (const auto& [attempt, count] : counts) {
    EXPECT_EQ(count, 1) << attempt;
    EXPECT_TRUE(attempt.ends_with("-a1")) << attempt;
  }
}

const std::string kModel = R"(study: packed
worker: node
scale: [1, 2, 4, 8]
modes: [strong, weak]
workloads:
  - name: model
    use: synthetic
    parameters: {s: 0.05, c: 0.01, seconds: 60}
repeat: 8
limits: {retries: 30, timeout: 10m}
)";

std::string simulated_site(const std::string& packing) {
  return "backend: simulated\nname: sim\n"
         "simulated: {nodes: 16, noise: 0.02, failure_rate: 0.05, queue_wait: 10m, seed: 4}\n" +
         packing;
}

// The T of every run, by its point and repeat.
std::string times_of(const Place& place) {
  const json report =
      json::parse(place.kneepoint({"report", "packed", "--json"}).output, nullptr, false);
  std::string text;
  for (const json& one : report.at("cases")) {
    for (const auto& [mode, curve] : one.at("modes").items()) {
      for (const json& point : curve.at("points")) {
        text += mode + point.at("k").dump();
        for (const json& run : point.at("runs")) text += " " + run.at("seconds").dump();
        text += "\n";
      }
    }
  }
  return text;
}

TEST(PackedSimulated, PackedAndUnpackedMeasureTheSameTimes) {
  Place apart, together, twice;
  const auto run = [&](const Place& place, const std::string& packing) {
    const auto ended = place.kneepoint({"run", place.write("plan.yaml", kModel), "--site",
                                        place.write("site.yaml", simulated_site(packing))});
    EXPECT_EQ(ended.exit_code, 0) << ended.errors;
    return times_of(place);
  };
  const std::string expected = run(apart, "");
  EXPECT_NE(expected.find("strong"), std::string::npos) << expected;
  EXPECT_EQ(run(together, "packing: {mode: packed}\n"), expected);
  EXPECT_EQ(run(twice, "packing: {mode: packed, allocations: 2, steps: 5, limit: 1h}\n"), expected);
}

TEST(PackedSimulated, AKilledControllerFindsItsAllocationsAgain) {
  Place calm, place;
  const std::string site = simulated_site("packing: {mode: packed, allocations: 2, steps: 9}\n");
  ASSERT_EQ(calm.kneepoint({"run", calm.write("plan.yaml", kModel), "--site",
                            calm.write("site.yaml", site)})
                .exit_code,
            0);
  const std::vector<std::string> run = {"run", place.write("plan.yaml", kModel), "--site",
                                        place.write("site.yaml", site)};
  Random random(7, "packed simulated kill instants");
  for (int kills = 0; kills < 10; ++kills) {
    const pid_t pid = place.start(run);
    if (!place.ended_within(pid, static_cast<long>(random.below(60'000)))) ::kill(pid, SIGKILL);
    place.wait(pid);
  }
  const auto last = place.kneepoint(run);
  ASSERT_EQ(last.exit_code, 0) << last.errors;
  EXPECT_EQ(times_of(place), times_of(calm));
}

}  // namespace
}  // namespace kneepoint
