// SPDX-License-Identifier: Apache-2.0
//
// A whole study of the NCCL workloads on this machine: on stand-ins, whose figures are nowhere
// shown as a GPU's, and on the real libraries, which find no GPU.
#include <filesystem>
#include <nlohmann/json.hpp>

#include "tests/fakes/kneepoint_process.h"
#include "tests/integration/nccl/stand_ins.h"

namespace kneepoint::workloads {
namespace {

using nlohmann::json;
using testing_support::Place;

std::string plan(const std::string& scale, const std::string& library_path) {
  return "study: gpus\n"
         "worker: gpu\n"
         "scale: " +
         scale +
         "\n"
         "shape: {gpus_per_node: 4, bind: none}\n"
         "modes: [strong, weak]\n"
         "environment: {LD_LIBRARY_PATH: \"" +
         library_path +
         "\"}\n"
         "workloads:\n"
         "  - name: collective\n"
         "    use: nccl_allreduce\n"
         "    size: {strong: 4096, weak: \"1024 * K\"}\n"
         "    parameters: {repeats: 2}\n"
         "  - name: training\n"
         "    use: nccl_data_parallel\n"
         "    size: {strong: 16, weak: \"8 * K\"}\n"
         "    parameters: {width: 16, layers: 2}\n"
         "iterations: {warmup: 1, count: 2}\n"
         "repeat: 1\n"
         "limits: {oversubscribe: true, retries: 0, timeout: 1m}\n";
}

void expect_in(const std::string& text, const std::string& words) {
  EXPECT_NE(text.find(words), std::string::npos) << words << "\nnot in\n" << text;
}

TEST_F(NcclTest, AStudyOnStandInsSaysSoInEveryOutput) {
  const Place place;
  const auto ran =
      place.kneepoint({"run", place.write("plan.yaml", plan("[1, 2, 4]", stand_ins()))});
  ASSERT_EQ(ran.exit_code, 0) << ran.output << ran.errors;
  const char* caveat = "no figure here is one of a GPU";
  const auto report = place.kneepoint({"report", "gpus"});
  expect_in(report.output, caveat);
  expect_in(report.output, "collective, strong, CPU stand-in, no GPU");
  const json told = json::parse(place.kneepoint({"report", "gpus", "--json"}).output);
  for (const auto& entry : told["cases"]) {
    for (const auto& mode : entry["modes"]) {
      EXPECT_EQ(mode["stand_in"], true);
      for (const auto& point : mode["points"]) {
        EXPECT_EQ(point["runs_valid"], 1);
        EXPECT_NE(point["flags"].dump().find("CPU stand-in, no GPU"), std::string::npos);
      }
    }
  }
  expect_in(told["headline"].get<std::string>(), "(CPU stand-in, no GPU)");
  expect_in(place.kneepoint({"report", "gpus", "--csv"}).output, "CPU stand-in, no GPU");
  expect_in(place.kneepoint({"report", "gpus", "--markdown"}).output, caveat);
  expect_in(place.kneepoint({"status", "gpus"}).output, caveat);
  expect_in(place.kneepoint({"status", "gpus", "--json"}).output, caveat);
  expect_in(place.kneepoint({"predict", "gpus", "--to", "8"}).output, caveat);
  const auto story = place.kneepoint({"explain", "gpus/r1"});
  expect_in(story.output, std::string("caveat: ran on a CPU stand-in"));
  expect_in(story.output, "CPU stand-in (no GPU)");
}

TEST_F(NcclTest, AStudyWithoutAGpuFailsByItsName) {
  if (std::filesystem::exists("/dev/nvidiactl")) GTEST_SKIP() << "this machine has a GPU";
  const Place place;
  const auto ran = place.kneepoint({"run", place.write("plan.yaml", plan("[2]", ""))});
  EXPECT_EQ(ran.exit_code, 4) << ran.output << ran.errors;
  const auto story = place.kneepoint({"explain", "gpus/r1"});
  expect_in(story.output, "failed (no_device): no GPU was found where one was asked for");
  expect_in(story.output, "no CUDA device on ");
  const json told = json::parse(place.kneepoint({"explain", "gpus/r1", "--json"}).output);
  EXPECT_EQ(told["attempts"][0]["reason"], "no_device");
  EXPECT_EQ(told["attempts"][0]["exit_code"], 4);
  expect_in(place.kneepoint({"status", "gpus"}).output, "failed (no_device)");
  expect_in(place.kneepoint({"report", "gpus"}).output, "no_device");
}

}  // namespace
}  // namespace kneepoint::workloads
