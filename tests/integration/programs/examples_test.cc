// SPDX-License-Identifier: Apache-2.0
//
// The example plans for programs of one's own are valid as they are shipped, and those that this
// machine can run do run, with smaller sizes; torchrun is a stand-in (tests/fakes/fake_torchrun).
#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/fakes/kneepoint_process.h"

namespace kneepoint {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing_support::Place;

std::string shipped(const std::string& name) {
  std::stringstream text;
  text << std::ifstream(KP_SOURCE_DIR "/plans/" + name).rdbuf();
  return text.str();
}

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  const std::size_t at = text.find(what);
  EXPECT_NE(at, std::string::npos) << what;
  return at == std::string::npos ? text : text.replace(at, what.size(), by);
}

// The plan beside a copy of plans/programs, so that its inputs are found.
std::string put(const Place& place, const std::string& name, const std::string& text) {
  fs::copy(KP_SOURCE_DIR "/plans/programs", place.path() + "/programs",
           fs::copy_options::recursive | fs::copy_options::overwrite_existing);
  return place.write(name, text);
}

json report_of(const Place& place, const std::string& study) {
  const auto reported = place.kneepoint({"report", study, "--json"});
  EXPECT_EQ(reported.exit_code, 0) << reported.errors;
  return json::parse(reported.output);
}

json story_of(const Place& place, const std::string& run) {
  const auto told = place.kneepoint({"explain", run, "--json"});
  EXPECT_EQ(told.exit_code, 0) << told.errors;
  return json::parse(told.output);
}

void expect_runs_well(const Place& place, const std::string& plan, const std::string& study) {
  const auto ran = place.kneepoint({"run", plan});
  ASSERT_EQ(ran.exit_code, 0) << ran.output << ran.errors;
  for (const json& point : report_of(place, study)["cases"][0]["modes"]["strong"]["points"]) {
    for (const json& run : point["runs"]) EXPECT_EQ(run["state"], "succeeded");
  }
}

TEST(Examples, AreValidAsTheyAreShipped) {
  const Place place;
  for (const char* name : {"own-mpi", "own-python", "own-timing"}) {
    const auto checked =
        place.kneepoint({"check", std::string(KP_SOURCE_DIR "/plans/") + name + ".yaml"});
    EXPECT_EQ(checked.exit_code, 0) << name << checked.errors;
  }
  const auto checked = place.kneepoint({"check", KP_SOURCE_DIR "/plans/own-torchrun.yaml", "--site",
                                        KP_SOURCE_DIR "/plans/sites/simulated.yaml"});
  EXPECT_EQ(checked.exit_code, 0) << checked.errors;
}

TEST(Examples, APlainMpiProgram) {
  const Place place;
  std::string text = shipped("own-mpi.yaml");
  text = replaced(text, "[plans/programs/ring,", "[" KP_TEST_DIR "/example_ring,");
  text = replaced(text, "{from: 1, to: site, by: doubling}", "[1, 2]");
  text = replaced(text, "repeat: 5", "repeat: 1");
  text = replaced(text, "timeout: 2m", "timeout: 2m, oversubscribe: true");
  expect_runs_well(place, place.write("plan.yaml", text), "own-mpi");
  const json metrics = story_of(place, "own-mpi/r1")["attempts"][0]["metrics"];
  const auto rate = std::find_if(metrics.begin(), metrics.end(),
                                 [](const json& one) { return one["name"] == "rate"; });
  ASSERT_NE(rate, metrics.end());
  EXPECT_EQ((*rate)["better"], "higher");
  EXPECT_EQ((*rate)["unit"], "M/s");
}

TEST(Examples, APythonScriptUnderMpirun) {
  const Place place;
  std::string text = shipped("own-python.yaml");
  text = replaced(text, "{from: 1, to: site, by: doubling}", "[1, 2]");
  text =
      replaced(text, "strong: 2000000, weak: \"1000000 * K\"", "strong: 20000, weak: \"9000 * K\"");
  text = replaced(text, "repeat: 3", "repeat: 1");
  text = replaced(text, "timeout: 2m", "timeout: 2m, oversubscribe: true");
  expect_runs_well(place, put(place, "plan.yaml", text), "own-python");
}

TEST(Examples, AnApplicationWithItsOwnTimingFile) {
  const Place place;
  std::string text = replaced(shipped("own-timing.yaml"), "size: 20000", "size: 400");
  text = replaced(text, "repeat: 3", "repeat: 1");
  expect_runs_well(place, put(place, "plan.yaml", text), "own-timing");
  const json attempt = story_of(place, "own-timing/r1")["attempts"][0];
  ASSERT_EQ(attempt["kept"].size(), 2u) << attempt;
  for (const json& kept : attempt["kept"]) EXPECT_TRUE(fs::exists(kept.get<std::string>())) << kept;
  EXPECT_FALSE(fs::exists(attempt["folder"].get<std::string>() + "/work"));
  const auto logs = place.kneepoint({"logs", "own-timing/r1"});
  EXPECT_NE(logs.errors.find("kept/results/timing.json"), std::string::npos) << logs.errors;
}

TEST(Examples, ATorchrunLaunchLineWithAStandIn) {
  const Place place;
  fs::create_directory(place.path() + "/bin");
  fs::copy(KP_SOURCE_DIR "/tests/fakes/fake_torchrun", place.path() + "/bin/torchrun");
  std::string text = shipped("own-torchrun.yaml");
  text = replaced(text, "{from: 1, to: site, by: doubling}", "[1]");
  text = replaced(text, "threads_per_rank: 8, gpus_per_node: 8,", "");
  text = replaced(text, "--nproc-per-node={gpus_per_node}", "--nproc-per-node=2");
  text = replaced(text, "repeat: 5", "repeat: 1");
  const char* path = std::getenv("PATH");
  text = replaced(
      text, "NCCL_DEBUG: WARN",
      "PATH: \"" + place.path() + "/bin:" + (path == nullptr ? "/usr/bin:/bin" : path) + "\"");
  expect_runs_well(place, put(place, "plan.yaml", text), "own-torchrun");
  const auto logs = place.kneepoint({"logs", "own-torchrun/r1", "--stderr"});
  EXPECT_NE(logs.output.find("STAND-IN for torchrun"), std::string::npos) << logs.output;
}

}  // namespace
}  // namespace kneepoint
