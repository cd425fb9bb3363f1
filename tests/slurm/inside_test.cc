// SPDX-License-Identifier: Apache-2.0
//
// Agents that see inside, on a real cluster: the profile of MPI calls of ranks that srun and mpirun
// started on several nodes, and records that arrive by push while the run goes on.
#include <set>

#include "agents/wire/record.h"
#include "tests/slurm/slurm_place.h"

namespace kneepoint {
namespace {

using nlohmann::json;
using testing_support::comes_true;
using testing_support::has;
using testing_support::SlurmPlace;

// One of our own programs and one that knows nothing of us.
void expect_profiles(const std::string& starter) {
  SlurmPlace place("plain");
  const std::string plan = place.write(
      "plan.yaml",
      "study: inside\nworker: node\nscale: [1, 2]\nshape: {ranks_per_node: 1, bind: none}\n"
      "modes: [strong]\nworkloads:\n  - {name: cg, use: conjugate_gradient, size: 16, profile: "
      "mpi}\n  - name: app\n    command: [\"" KP_PROFILE_PROGRAMS
      "/kp-test-reduce_loop\", \"20\"]\n    profile: mpi\n    metrics: {time: {from: mpi}}\n"
      "iterations: {warmup: 1, count: 2}\nrepeat: 1\nlimits: {timeout: 5m, retries: 5}\n");
  const auto ended = place.run(
      {"run", plan, "--site", place.site("starter: " + starter + "\npacking: {mode: packed}\n")});
  ASSERT_EQ(ended.exit_code, 0) << ended.output << ended.errors;
  const json report = json::parse(place.kneepoint({"report", "inside", "--json"}).output);
  int points = 0;
  for (const json& one : report.at("cases")) {
    for (const json& point : one.at("modes").at("strong").at("points")) {
      ++points;
      ASSERT_FALSE(point.at("mpi_profile").is_null()) << point.dump(1);
      std::set<std::string> names;
      for (const json& operation : point.at("mpi_profile").at("operations")) {
        EXPECT_GT(operation.at("calls").get<double>(), 0);
        names.insert(operation.at("name").get<std::string>());
      }
      EXPECT_EQ(names.count("MPI_Allreduce"), 1U) << point.at("mpi_profile").dump(1);
      EXPECT_FALSE(point.at("breakdown").is_null());
    }
  }
  EXPECT_EQ(points, 4);
  EXPECT_TRUE(has(place.kneepoint({"report", "inside"}).output, "MPI calls"));
  for (int run = 1; run <= 4; ++run) {
    const json story = place.story(run);
    const json& last = story.at("attempts").back();
    std::string profile;
    for (const json& fact : last.at("provenance")) {
      if (fact.at("name") == "profile") profile = fact.at("value");
    }
    EXPECT_EQ(profile, "mpi") << last.dump(1);
    ASSERT_TRUE(last.contains("mpi_profile")) << last.dump(1);
    EXPECT_EQ(last.at("mpi_profile").at("ranks").size(), last.at("ranks").size());
    EXPECT_FALSE(last.at("mpi_profile").at("operations").empty());
    EXPECT_EQ(last.at("ranks").size(), story.at("point").at("ranks").get<std::size_t>());
  }
}

TEST(SlurmInside, RanksBySrunHaveAProfileInTheReport) {
  expect_profiles("{kind: srun, mpi: pmix}");
}

TEST(SlurmInside, RanksByMpirunHaveAProfileInTheReport) {
  expect_profiles("{kind: mpirun}");
}

std::string sample(int iteration) {
  std::string line = record::to_line(-1, record::Sample{iteration, false, 30, 20, 10, 12, 5, 3});
  line.pop_back();
  return line;
}

// The run waits for a file, so that what is known of it meanwhile has come by push alone: the
// backend collects a run's files when it is over.
TEST(SlurmInside, RecordsArriveByPushWhileTheRunGoesOnAndCountOnce) {
  SlurmPlace place("plain");
  const std::string here = "'" + place.path();
  const std::string script =
      place.write("work.sh", "echo begun >> " + here + "/trace'\necho '" + sample(0) +
                                 "' >> \"$KNEEPOINT_RECORDS\"\nwhile [ ! -e " + here +
                                 "/go' ]; do sleep 0.1; done\necho '" + sample(1) +
                                 "' >> \"$KNEEPOINT_RECORDS\"\necho t=0.25\n");
  const std::string plan = place.write(
      "plan.yaml",
      "study: live\nworker: node\nscale: [1]\nmodes: [strong]\nworkloads:\n  - name: wait\n"
      "    command: [/bin/sh, \"" +
          script +
          "\"]\n    mpi: false\n    metrics: {time: {pattern: \"t=([0-9.]+)\", unit: s}}\n"
          "repeat: 1\nlimits: {timeout: 10m}\n");
  const pid_t pid = place.start({"run", plan, "--site", place.site("push: {}\n")});
  const auto pushed = [&] {
    const json story = place.story();
    return story.contains("attempts") && !story.at("attempts").empty()
               ? story.at("attempts").back().value("pushed", json::object()).value("samples", 0)
               : 0;
  };
  EXPECT_TRUE(comes_true([&] { return pushed() == 1; })) << place.read("err");
  EXPECT_EQ(place.attempt().at("state"), "running");
  EXPECT_TRUE(place.attempt().at("samples").empty());
  place.go();
  const auto ended = place.finish(pid);
  ASSERT_EQ(ended.exit_code, 0) << ended.output << ended.errors;
  EXPECT_TRUE(has(ended.errors, "live reports: agents push to https://")) << ended.errors;
  const json attempt = place.attempt();
  EXPECT_EQ(attempt.at("state"), "succeeded");
  EXPECT_FALSE(attempt.contains("pushed")) << "pushed records stay only while they are needed";
  ASSERT_EQ(attempt.at("samples").size(), 2U) << attempt.at("samples").dump();
  EXPECT_EQ(attempt.at("metrics").size(), 1U);
  EXPECT_EQ(place.read("trace"), "begun\n");
}

}  // namespace
}  // namespace kneepoint
