// SPDX-License-Identifier: Apache-2.0
//
// The life of a study as its user sees it: finishing, resuming, extending, being interrupted, being
// red. Everything through the real program.
#include <gtest/gtest.h>
#include <signal.h>

#include <nlohmann/json.hpp>

#include "tests/fakes/kneepoint_process.h"

namespace kneepoint {
namespace {

using nlohmann::json;
using testing_support::Place;

std::string echo_plan(int repeats, const std::string& text = "t=0.5",
                      const std::string& rest = "") {
  return R"y(study: echo
worker: rank
scale: [1]
modes: [strong]
workloads:
  - name: echo
    command: [/bin/echo, ")y" +
         text + R"y("]
    mpi: false
    metrics: {time: {pattern: "t=([0-9.]+)", unit: s}}
repeat: )y" +
         std::to_string(repeats) + "\n" + rest;
}

// Its runs leave a line in `trace` and last until there is a file `go`.
std::string counting_plan(const Place& place, int repeats) {
  return R"y(study: counting
worker: rank
scale: [1]
modes: [strong]
workloads:
  - name: count
    command: [")y" KP_TEST_DIR R"y(/counting_program", ")y" +
         place.path() + R"y(/trace", "1", ")y" + place.path() + R"y(/go"]
    mpi: false
    metrics: {time: {pattern: "t=([0-9.]+)", unit: s}}
repeat: )y" +
         std::to_string(repeats) + "\n";
}

json report_of(const Place& place, const std::string& study) {
  const auto reported = place.kneepoint({"report", study, "--json"});
  return json::parse(reported.output, nullptr, false);
}

TEST(Life, AFinishedStudySaysSoAndMeasuresNothingAgain) {
  Place place;
  const std::string plan = place.write("plan.yaml", echo_plan(3));
  ASSERT_EQ(place.kneepoint({"run", plan}).exit_code, 0);
  const auto again = place.kneepoint({"run", plan});
  EXPECT_EQ(again.exit_code, 0);
  EXPECT_NE((again.output + again.errors).find("finished"), std::string::npos) << again.errors;
  const auto listed = place.kneepoint({"list", "--json"});
  EXPECT_EQ(json::parse(listed.output)["studies"].size(), 1U) << listed.output;
  ASSERT_EQ(place.kneepoint({"run", plan, "--new"}).exit_code, 0);
  EXPECT_EQ(json::parse(place.kneepoint({"list", "--json"}).output)["studies"].size(), 2U);
}

TEST(Life, TheSamePlanAsOnClustersRunsHere) {
  Place place;
  const auto ended = place.kneepoint({"run", KP_SOURCE_DIR "/tests/plans/whole.yaml", "--json"});
  ASSERT_EQ(ended.exit_code, 0) << ended.errors;
  const json answer = json::parse(ended.output);
  EXPECT_EQ(answer.at("runs"), 12);
  EXPECT_EQ(answer.at("failed"), 0);
}

TEST(Life, RaisingTheRepeatsExtendsTheStudy) {
  Place place;
  ASSERT_EQ(place.kneepoint({"run", place.write("plan.yaml", echo_plan(2))}).exit_code, 0);
  ASSERT_EQ(place.kneepoint({"run", place.write("plan.yaml", echo_plan(5))}).exit_code, 0);
  const json report = report_of(place, "echo");
  EXPECT_EQ(report["cases"][0]["modes"]["strong"]["points"][0]["runs"].size(), 5U)
      << report.dump(2);
  EXPECT_EQ(json::parse(place.kneepoint({"list", "--json"}).output)["studies"].size(), 1U);
}

TEST(Life, ARunWithoutATimeIsRed) {
  Place place;
  const auto ran = place.kneepoint({"run", place.write("plan.yaml", echo_plan(2, "no number"))});
  EXPECT_EQ(ran.exit_code, 4) << ran.output << ran.errors;
  const auto reported = place.kneepoint({"report", "echo"});
  EXPECT_NE(reported.output.find("RED"), std::string::npos) << reported.output;
  EXPECT_NE(place.kneepoint({"explain", "r1"}).output.find("no_time"), std::string::npos);
}

TEST(Life, FailedRunsCanBeTriedAgain) {
  Place place;
  // The program is missing at first, and there later.
  const std::string program = place.path() + "/program";
  const std::string plan = place.write("plan.yaml", R"y(study: later
worker: rank
scale: [1]
modes: [strong]
workloads:
  - name: later
    command: [")y" + program + R"y("]
    mpi: false
    metrics: {time: {pattern: "t=([0-9.]+)", unit: s}}
repeat: 2
)y");
  EXPECT_EQ(place.kneepoint({"run", plan}).exit_code, 4);
  EXPECT_NE(place.kneepoint({"explain", "r1"}).output.find("not_started"), std::string::npos);
  place.write("program", "#!/bin/sh\necho t=0.5\n");
  ASSERT_EQ(::chmod(program.c_str(), 0755), 0);
  const auto retried = place.kneepoint({"run", plan, "--retry-failed"});
  EXPECT_EQ(retried.exit_code, 0) << retried.output << retried.errors;
}

// Starts the plan and comes back when its first run is there.
pid_t start_counting(const Place& place, const std::vector<std::string>& run) {
  const pid_t pid = place.start(run);
  EXPECT_TRUE(place.wait_until(pid, [&] { return !place.read("trace").empty(); }));
  return pid;
}

bool says(const Place& place, pid_t pid, const std::string& words) {
  return place.wait_until(pid, [&] {
    return (place.read("out") + place.read("err")).find(words) != std::string::npos;
  });
}

TEST(Life, OneInterruptFinishesWhatRunsAndResumesLater) {
  Place place;
  const std::vector<std::string> run = {"run", place.write("plan.yaml", counting_plan(place, 6))};
  const pid_t pid = start_counting(place, run);
  ::kill(pid, SIGINT);
  ASSERT_TRUE(says(place, pid, "interrupted: waiting for"));
  place.write("go", "");
  const auto interrupted = place.wait(pid);
  EXPECT_EQ(interrupted.exit_code, 130) << interrupted.errors;
  const auto resumed = place.kneepoint(run);
  EXPECT_EQ(resumed.exit_code, 0) << resumed.errors;
  const std::string trace = place.read("trace");
  EXPECT_EQ(std::count(trace.begin(), trace.end(), '\n'), 6) << trace;
}

TEST(Life, ASecondInterruptCancelsAndStillResumes) {
  Place place;
  const std::vector<std::string> run = {"run", place.write("plan.yaml", counting_plan(place, 2))};
  const pid_t pid = start_counting(place, run);
  ::kill(pid, SIGTERM);
  ASSERT_TRUE(says(place, pid, "interrupted: waiting for"));
  ::kill(pid, SIGTERM);  // it must not wait for the run, which has no end
  EXPECT_EQ(place.wait(pid).exit_code, 130);
  const auto story = place.kneepoint({"explain", "r1"});
  EXPECT_NE(story.output.find("cancelled"), std::string::npos) << story.output;
  place.write("go", "");
  EXPECT_EQ(place.kneepoint(run).exit_code, 0);
  EXPECT_NE(place.read("trace").find("r1-a2"), std::string::npos);
}

TEST(Life, ASecondControllerIsTurnedAway) {
  Place place;
  const std::vector<std::string> run = {"run", place.write("plan.yaml", counting_plan(place, 3))};
  const pid_t pid = start_counting(place, run);
  Place elsewhere;  // its own files for the output, the same database
  const auto second = elsewhere.kneepoint({"--db", place.path() + "/kneepoint.db", "run", run[1]});
  EXPECT_NE(second.exit_code, 0);
  EXPECT_NE(second.errors.find(std::to_string(pid)), std::string::npos) << second.errors;
  place.write("go", "");
  EXPECT_EQ(place.wait(pid).exit_code, 0);
}

TEST(Life, CancelFromAnotherProcessStopsARunningStudy) {
  Place place;
  const pid_t pid =
      start_counting(place, {"run", place.write("plan.yaml", counting_plan(place, 50))});
  Place elsewhere;
  const auto asked =
      elsewhere.kneepoint({"--db", place.path() + "/kneepoint.db", "cancel", "counting"});
  EXPECT_EQ(asked.exit_code, 0) << asked.errors;
  EXPECT_TRUE(place.ends(pid));
  place.wait(pid);
  const auto listed = place.kneepoint({"list", "--json"});
  EXPECT_EQ(json::parse(listed.output)["studies"][0]["state"], "cancelled") << listed.output;
}

TEST(Life, RepeatsStopEarlyWhenTheIntervalIsNarrowEnough) {
  Place place;
  const std::string plan = place.write("plan.yaml", R"(study: early
worker: node
scale: [1, 2, 4]
modes: [strong]
workloads:
  - name: model
    use: synthetic
    parameters: {s: 0.05, c: 0.01, seconds: 100}
repeat: {min: 5, max: 20, until: {efficiency_ci: 2%}}
)");
  const auto count = [&](double noise, const std::string& name) {
    const std::string site = place.write(
        name, "backend: simulated\nname: " + name +
                  "\nsimulated: {nodes: 8, seed: 1, noise: " + std::to_string(noise) + "}\n");
    EXPECT_EQ(place.kneepoint({"run", plan, "--site", site, "--new"}).exit_code, 0);
    const json report = report_of(place, "early");
    std::size_t runs = 0;
    for (const json& point : report["cases"][0]["modes"]["strong"]["points"])
      runs += point["runs"].size();
    return runs;
  };
  EXPECT_EQ(count(0.001, "quiet"), 15U);
  EXPECT_GT(count(0.05, "noisy"), 15U);
  EXPECT_LE(count(0.3, "hopeless"), 60U);
}

}  // namespace
}  // namespace kneepoint
