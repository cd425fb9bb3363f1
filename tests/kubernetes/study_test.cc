// SPDX-License-Identifier: Apache-2.0
//
// Whole studies on a real cluster. Every attempt that kneepoint tells of is compared with what the
// API server's own watch told of its Jobs and pods. A loaded machine may cost a retry; nothing may
// be missing, doubled, untold or left over.
#include <gtest/gtest.h>
#include <signal.h>

#include <set>
#include <sstream>

#include "tests/kubernetes/kube_place.h"

namespace kneepoint {
namespace {

using nlohmann::json;
using testing_support::comes_true;
using testing_support::equals_the_record;
using testing_support::has;
using testing_support::KubePlace;
using testing_support::KubeRecord;

constexpr int kWholeRuns = 12;  // of whole.yaml: K = 1, 2, 4 in two modes, twice

// One pod for each rank, each with its own address.
void expect_pods_for_ranks(const KubePlace& place, const KubeRecord& record) {
  const auto jobs = record.jobs();
  std::map<std::size_t, int> seen;  // runs by K
  for (int run = 1; run <= kWholeRuns; ++run) {
    const json story = place.story(run);
    const json& last = story.at("attempts").back();
    const auto ranks = story.at("point").at("ranks").get<std::size_t>();
    const auto& pods = jobs.at(last.at("allocation").get<std::string>()).addresses;
    std::set<std::string> addresses;
    for (const auto& [index, address] : pods) addresses.insert(address);
    EXPECT_EQ(pods.size(), ranks) << "run " << run;
    EXPECT_EQ(addresses.size(), ranks) << "run " << run;
    EXPECT_EQ(last.at("ranks").size(), ranks) << "run " << run;
    ++seen[ranks];
  }
  EXPECT_EQ(seen, (std::map<std::size_t, int>{{1, 4}, {2, 4}, {4, 4}}));
}

TEST(KubeStudy, TheSamePlanAsElsewhereEqualsTheApiServersRecord) {
  KubePlace place;
  if (!place.lab.missing().empty()) GTEST_SKIP() << place.lab.missing();
  const KubeRecord record(place);
  const auto ended =
      place.run({"run", KP_SOURCE_DIR "/tests/plans/whole.yaml", "--site", place.site(), "--json"});
  ASSERT_EQ(ended.exit_code, 0) << ended.output << ended.errors;
  const json answer = json::parse(ended.output);
  EXPECT_EQ(answer.at("runs"), kWholeRuns);
  EXPECT_EQ(answer.at("failed"), 0);
  equals_the_record(place, record, kWholeRuns);
  expect_pods_for_ranks(place, record);
}

std::multiset<std::string> lines_of(const std::string& text) {
  std::multiset<std::string> lines;
  std::istringstream from(text);
  for (std::string line; std::getline(from, line);) lines.insert(line);
  return lines;
}

TEST(KubeStudy, EveryRankRunsInAPodOfItsOwn) {
  KubePlace place;
  if (!place.lab.missing().empty()) GTEST_SKIP() << place.lab.missing();
  const KubeRecord record(place);
  const std::string metrics = "    metrics: {time: {pattern: \"t=([0-9.]+)\", unit: s}}\n";
  const std::string plan = place.write(
      "plan.yaml",
      "study: apart\nworker: rank\nscale: [4]\nshape: {ranks_per_node: 1, bind: none}\n"
      "modes: [strong]\nworkloads:\n  - name: mpi\n    command: [sh, -c, \"echo "
      "$OMPI_COMM_WORLD_RANK $(hostname) $(hostname -i) >> " +
          place.path() + "/ranks; echo t=1\"]\n" + metrics +
          "  - name: plain\n    mpi: false\n    command: [sh, -c, \"echo $RANK $(hostname) "
          "$(hostname -i) >> " +
          place.path() + "/ranks; echo $WORLD_SIZE $NODE_RANK $LOCAL_RANK $MASTER_PORT >> " +
          place.path() + "/worlds; echo t=1\"]\n" + metrics + "repeat: 1\n");
  const auto ended = place.run({"run", plan, "--site", place.site()});
  ASSERT_EQ(ended.exit_code, 0) << ended.output << ended.errors;
  const auto jobs = record.jobs();
  ASSERT_EQ(jobs.size(), 2u);
  std::multiset<std::string> expected;
  for (const auto& [allocation, job] : jobs) {
    for (const auto& [index, address] : job.addresses) {
      expected.insert(std::to_string(index) + " " + job.name + "-" + std::to_string(index) + " " +
                      address);
    }
  }
  EXPECT_EQ(expected.size(), 8u);
  EXPECT_EQ(lines_of(place.read("ranks")), expected);
  EXPECT_EQ(
      lines_of(place.read("worlds")),
      (std::multiset<std::string>{"4 0 0 29500", "4 1 0 29500", "4 2 0 29500", "4 3 0 29500"}));
  EXPECT_TRUE(place.lab.is_swept()) << place.lab.leftovers();
}

TEST(KubeStudy, RealWorkInPodsOfLessThanACoreIsMarkedOversubscribed) {
  KubePlace place;
  if (!place.lab.missing().empty()) GTEST_SKIP() << place.lab.missing();
  const std::string text =
      "study: shared\nworker: rank\nscale: [1, 4]\nshape: {ranks_per_node: 1, bind: none}\n"
      "modes: [strong, weak]\nworkloads:\n  - name: jacobi\n    use: jacobi3d\n"
      "    size: {strong: 32, weak: 32}\niterations: {warmup: 1, count: 5}\nrepeat: 1\n";
  const std::string site = place.site("  cpu: 200m\n");
  const auto refused = place.run({"run", place.write("plan.yaml", text), "--site", site});
  EXPECT_EQ(refused.exit_code, 2) << refused.errors;
  EXPECT_TRUE(has(refused.errors, "in each pod, `cpu` of the site asks for 0.2")) << refused.errors;
  const auto ended = place.run(
      {"run", place.write("plan.yaml", text + "limits: {oversubscribe: true}\n"), "--site", site});
  ASSERT_EQ(ended.exit_code, 0) << ended.output << ended.errors;
  const json report = json::parse(place.kneepoint({"report", "shared", "--json"}).output);
  std::size_t runs = 0;
  for (const auto& [mode, curve] : report.at("cases").at(0).at("modes").items()) {
    for (const json& point : curve.at("points")) {
      for (const json& run : point.at("runs")) {
        EXPECT_EQ(run.at("oversubscribed"), true) << run.dump();
        ++runs;
      }
    }
  }
  EXPECT_EQ(runs, 4u);
  EXPECT_TRUE(place.lab.is_swept()) << place.lab.leftovers();
}

TEST(KubeStudy, CtrlCLeavesTheJobsThereAndRunningAgainAdoptsThem) {
  KubePlace place;
  if (!place.lab.missing().empty()) GTEST_SKIP() << place.lab.missing();
  const KubeRecord record(place);
  const std::vector<std::string> run = {
      "run", place.waiting_plan("left", 3, "timeout: 10m, retries: 5"), "--site", place.site()};
  const pid_t pid = place.start(run);
  ASSERT_TRUE(comes_true([&] { return place.executions().size() == 3; }));
  ::kill(pid, SIGINT);
  const auto ended = place.finish(pid);
  EXPECT_EQ(ended.exit_code, 130) << ended.errors;
  EXPECT_TRUE(has(ended.errors, "3 jobs stay in the queue")) << ended.errors;
  place.go();
  const auto again = place.run(run);
  EXPECT_EQ(again.exit_code, 0) << again.errors;
  EXPECT_EQ(place.executions().size(), 3u);
  for (const auto& [attempt, count] : place.executions()) EXPECT_EQ(count, 1) << attempt;
  equals_the_record(place, record, 3);
}

void kill_the_controller(int times) {
  KubePlace place;
  if (!place.lab.missing().empty()) GTEST_SKIP() << place.lab.missing();
  const KubeRecord record(place);
  const int runs = 4 * times;  // more than are done between the kills
  place.go();
  std::vector<std::string> run = {
      "run",          place.waiting_plan("tormented", runs, "timeout: 10m, retries: 5"),
      "--site",       place.site(),
      "--concurrent", "2"};
  place.torment(run, times, runs);
  run.back() = "8";
  const auto last = place.run(run);
  ASSERT_EQ(last.exit_code, 0) << last.output << last.errors;
  EXPECT_GE(place.executions().size(), static_cast<std::size_t>(runs));
  for (const auto& [attempt, count] : place.executions()) EXPECT_EQ(count, 1) << attempt;
  equals_the_record(place, record, runs);
}

TEST(KubeStudy, AKilledControllerLosesNothingAndRunsNothingTwice) {
  kill_the_controller(10);
}

TEST(KubeStudySlow, AControllerKilledFiftyTimesLosesNothingAndRunsNothingTwice) {
  kill_the_controller(50);
}

}  // namespace
}  // namespace kneepoint
