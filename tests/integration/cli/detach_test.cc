// SPDX-License-Identifier: Apache-2.0
//
// Studies that run on without us: detaching, watching, cancelling with and without a controller.
#include <gtest/gtest.h>
#include <signal.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "tests/fakes/kneepoint_process.h"

namespace kneepoint {
namespace {

using nlohmann::json;
using testing_support::Place;

std::string sleeping_plan(const std::string& seconds, int repeats) {
  return R"y(study: sleeping
worker: rank
scale: [1]
modes: [strong]
workloads:
  - name: sleep
    command: [/bin/sleep, ")y" +
         seconds + R"y("]
    mpi: false
    metrics: {time: {pattern: "t=([0-9.]+)", unit: s}}
repeat: )y" +
         std::to_string(repeats) + "\n";
}

// `run` of this plan, killed when its first run has begun.
void run_and_kill(const Place& place, const std::string& plan) {
  const pid_t pid = place.start({"run", plan});
  EXPECT_TRUE(place.wait_until(pid, [&] {
    std::error_code ignored;
    for (const auto& study : std::filesystem::directory_iterator(place.path() + "/runs", ignored)) {
      if (std::filesystem::exists(study.path() / "r1-a1")) return true;
    }
    return false;
  })) << place.read("err");
  ::kill(pid, SIGKILL);
  place.wait(pid);
}

std::string state_of(const Place& place) {
  const auto listed = place.kneepoint({"list", "--json"});
  return json::parse(listed.output)["studies"][0]["state"];
}

TEST(Detach, TheStudyGoesOnAndCanBeWatchedToItsEnd) {
  Place place;
  const std::string plan = place.write("plan.yaml", R"y(study: echo
worker: rank
scale: [1]
modes: [strong]
workloads:
  - name: echo
    command: [/bin/echo, "t=0.5"]
    mpi: false
    metrics: {time: {pattern: "t=([0-9.]+)", unit: s}}
repeat: 20
)y");
  const auto started = place.kneepoint({"run", plan, "--detach", "--json"});
  ASSERT_EQ(started.exit_code, 0) << started.errors;
  const json answer = json::parse(started.output);
  const auto watched = place.kneepoint({"watch", answer["study"].get<std::string>()});
  EXPECT_EQ(watched.exit_code, 0) << watched.output << watched.errors;
  EXPECT_NE(watched.output.find("finished: 20 succeeded of 20 runs"), std::string::npos)
      << watched.output;
  EXPECT_TRUE(std::filesystem::exists(answer["log"].get<std::string>()));
}

TEST(Detach, AControllerThatCannotStartIsSeen) {
  Place place;
  const std::string plan = place.write("plan.yaml", sleeping_plan("1", 1));
  const std::string site = place.write(
      "site.yaml", "backend: local\nname: odd\nagent: " + place.path() + "/no-such-agent\n");
  const auto without_agent = place.kneepoint({"run", plan, "--site", site, "--detach"});
  EXPECT_EQ(without_agent.exit_code, 3);
  EXPECT_NE(without_agent.errors.find("no-such-agent"), std::string::npos) << without_agent.errors;

  // A study that is there, so that its folder is too, with something in the way of the log.
  const json ran = json::parse(place.kneepoint({"run", plan, "--json"}).output);
  std::filesystem::create_directories(ran["work_dir"].get<std::string>() + "/controller.log");
  const auto without_log = place.kneepoint({"run", plan, "--retry-failed", "--detach"});
  EXPECT_NE(without_log.exit_code, 0);
  EXPECT_NE(without_log.errors.find("controller.log"), std::string::npos) << without_log.errors;
}

TEST(Cancel, ALivingControllerIsAsked) {
  Place place;
  const auto started = place.kneepoint(
      {"run", place.write("plan.yaml", sleeping_plan("60", 3)), "--detach", "--json"});
  ASSERT_EQ(started.exit_code, 0) << started.errors;
  const pid_t pid = json::parse(started.output)["pid"];
  const auto deleted = place.kneepoint({"delete", "sleeping", "--yes"});
  EXPECT_EQ(deleted.exit_code, 2) << "a study that runs can't be deleted";
  EXPECT_NE(deleted.errors.find(std::to_string(pid)), std::string::npos) << deleted.errors;
  const auto cancelled = place.kneepoint({"cancel", "sleeping", "--json"});
  EXPECT_EQ(cancelled.exit_code, 0) << cancelled.errors;
  EXPECT_EQ(json::parse(cancelled.output)["result"], "requested");
  const auto watched = place.kneepoint({"watch", "sleeping"});
  EXPECT_EQ(watched.exit_code, 4) << watched.output;
  EXPECT_EQ(state_of(place), "cancelled");
}

TEST(Cancel, WithoutAControllerItIsCarriedOutHere) {
  Place place;
  run_and_kill(place, place.write("plan.yaml", sleeping_plan("9999", 3)));
  EXPECT_EQ(place.kneepoint({"delete", "sleeping", "--yes"}).exit_code, 2) << "jobs may still run";
  const auto cancelled = place.kneepoint({"cancel", "sleeping", "--json"});
  ASSERT_EQ(cancelled.exit_code, 0) << cancelled.errors;
  EXPECT_EQ(json::parse(cancelled.output)["result"], "cancelled");
  EXPECT_EQ(state_of(place), "cancelled");
  const auto story = place.kneepoint({"explain", "r1"});
  EXPECT_NE(story.output.find("user_cancelled"), std::string::npos) << story.output;
  EXPECT_EQ(place.kneepoint({"delete", "sleeping", "--yes"}).exit_code, 0);
}

TEST(Watch, AStudyThatNobodyWorksOnIsSaidToBe) {
  Place place;
  run_and_kill(place, place.write("plan.yaml", sleeping_plan("9999", 3)));
  const auto watched = place.kneepoint({"watch", "sleeping"});
  EXPECT_EQ(watched.exit_code, 130);
  EXPECT_NE(watched.errors.find("nobody works on"), std::string::npos) << watched.errors;
}

}  // namespace
}  // namespace kneepoint
