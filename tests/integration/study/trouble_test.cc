// SPDX-License-Identifier: Apache-2.0
//
// What happens to a study when files vanish around it: nothing is taken for a result that is none,
// nothing is lost in silence, and Ctrl-C always ends it.
#include <gtest/gtest.h>
#include <signal.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "tests/fakes/kneepoint_process.h"

namespace kneepoint {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing_support::Place;

// `repeats` runs that each wait for the file "go", then print what is in the file "value".
std::string plan_of(const Place& place, int repeats) {
  return R"y(study: trouble
worker: rank
scale: [1]
modes: [strong]
workloads:
  - name: value
    command: [/bin/sh, -c, "until [ -e )y" +
         place.path() + "/go ]; do sleep 0.02; done; cat " + place.path() + R"y(/value"]
    mpi: false
    metrics: {time: {pattern: "t=([0-9.]+)", unit: s}}
repeat: )y" +
         std::to_string(repeats) + "\n";
}

double seconds_of(const Place& place) {
  const auto reported = place.kneepoint({"report", "trouble", "--json"});
  return json::parse(
      reported.output)["cases"][0]["modes"]["strong"]["points"][0]["runs"][0]["seconds"];
}

// The folder of the only study, once its first run has begun.
std::string begun_folder(const Place& place, pid_t pid) {
  std::string folder;
  place.wait_until(pid, [&] {
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(place.path() + "/runs", ignored)) {
      if (fs::exists(entry.path() / "r1-a1")) folder = entry.path().string();
    }
    return !folder.empty();
  });
  return folder;
}

TEST(Trouble, WhatAnotherDatabaseLeftOnDiskIsNeverTakenForAResult) {
  Place place;
  const std::string plan = place.write("plan.yaml", plan_of(place, 1));
  place.write("go", "");
  place.write("value", "t=1.5\n");
  ASSERT_EQ(place.kneepoint({"run", plan}).exit_code, 0);
  EXPECT_EQ(seconds_of(place), 1.5);
  place.write("value", "t=2.5\n");
  ASSERT_EQ(place.kneepoint({"delete", "trouble", "--yes", "--keep-files"}).exit_code, 0);
  ASSERT_EQ(place.kneepoint({"run", plan}).exit_code, 0);
  EXPECT_EQ(seconds_of(place), 2.5);
  place.write("value", "t=3.5\n");
  for (const char* end : {"", "-wal", "-shm"}) fs::remove(place.path() + "/kneepoint.db" + end);
  ASSERT_EQ(place.kneepoint({"run", plan}).exit_code, 0);
  EXPECT_EQ(seconds_of(place), 3.5);
}

TEST(Trouble, ARemovedDatabaseIsNoticedAndNotReportedAsSuccess) {
  Place place;
  place.write("value", "t=1\n");
  const pid_t pid = place.start({"run", place.write("plan.yaml", plan_of(place, 3))});
  ASSERT_NE(begun_folder(place, pid), "");
  for (const char* end : {"", "-wal", "-shm"}) fs::remove(place.path() + "/kneepoint.db" + end);
  place.write("go", "");
  const auto ended = place.wait(pid);
  EXPECT_EQ(ended.exit_code, 3) << ended.errors;
  EXPECT_NE(ended.errors.find("was removed or replaced"), std::string::npos) << ended.errors;
}

TEST(Trouble, ARemovedRunFolderCostsTheActiveRunAlone) {
  Place place;
  place.write("value", "t=1\n");
  const pid_t pid = place.start({"run", place.write("plan.yaml", plan_of(place, 3))});
  const std::string folder = begun_folder(place, pid);
  ASSERT_NE(folder, "");
  fs::rename(folder, folder + "-away");
  place.write("go", "");
  const auto ended = place.wait(pid);
  EXPECT_EQ(ended.exit_code, 0) << ended.errors;
  EXPECT_EQ(ended.errors.find("submit_refused"), std::string::npos) << ended.errors;
}

TEST(Trouble, AnInterruptEndsAStudyThatCanSubmitNothing) {
  Place place;
  place.write("value", "t=1\n");
  const std::string plan = place.write("plan.yaml", plan_of(place, 3));
  const pid_t pid = place.start({"run", plan});
  const std::string folder = begun_folder(place, pid);
  ASSERT_NE(folder, "");
  fs::rename(folder, folder + "-away");
  place.write("runs/" + fs::path(folder).filename().string(), "in the way");
  place.write("go", "");
  ASSERT_TRUE(
      place.wait_until(pid, [&] { return place.read("err").find("submit") != std::string::npos; }))
      << "it waits for somebody to mend this: " << place.read("err");
  ::kill(pid, SIGINT);
  ASSERT_TRUE(place.ends(pid));
  EXPECT_EQ(place.wait(pid).exit_code, 130);
  fs::remove(folder);
  const auto resumed = place.kneepoint({"run", plan});
  EXPECT_EQ(resumed.exit_code, 0) << resumed.errors;
}

TEST(Trouble, AStoppedAgentCanBeCancelled) {
  Place place;
  place.write("value", "t=1\n");
  const pid_t pid = place.start({"run", place.write("plan.yaml", plan_of(place, 1))});
  ASSERT_NE(begun_folder(place, pid), "");
  const std::string story = place.kneepoint({"explain", "r1", "--json"}).output;
  const std::string job = json::parse(story)["attempts"][0]["job"];
  ASSERT_EQ(::kill(std::stoi(job), SIGSTOP), 0) << story;
  ASSERT_EQ(place.kneepoint({"cancel", "trouble"}).exit_code, 0);
  EXPECT_TRUE(place.ends(pid));
  EXPECT_EQ(place.wait(pid).exit_code, 130);
}

}  // namespace
}  // namespace kneepoint
