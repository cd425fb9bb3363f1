// SPDX-License-Identifier: Apache-2.0
//
// Agents that see inside, in real pods: the profile of MPI calls of ranks in pods of their own,
// noise of their node, and records that arrive by push. The cluster's network leads nowhere, so
// pods reach the controller by a door that the test opens.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>

#include <set>

#include "agents/wire/record.h"
#include "orchestrator/io/subprocess.h"
#include "tests/fakes/cut_line.h"
#include "tests/kubernetes/kube_place.h"

namespace kneepoint {
namespace {

using nlohmann::json;
using testing_support::comes_true;
using testing_support::has;
using testing_support::KubePlace;

TEST(KubeInside, RanksInPodsHaveAProfileAndTheirNodeIsSampled) {
  KubePlace place;
  if (!place.lab.missing().empty()) GTEST_SKIP() << place.lab.missing();
  const std::string plan = place.write(
      "plan.yaml",
      "study: inside\nworker: rank\nscale: [1, 2]\nshape: {ranks_per_node: 1, bind: none}\n"
      "modes: [strong]\nworkloads:\n  - {name: cg, use: conjugate_gradient, size: 16, profile: "
      "mpi}\niterations: {warmup: 1, count: 2}\nrepeat: 1\nlimits: {oversubscribe: true}\n"
      "noise: {sample: 100ms, limit: {steal: 99%}}\n");
  const auto ended = place.run({"run", plan, "--site", place.site()});
  ASSERT_EQ(ended.exit_code, 0) << ended.output << ended.errors;
  const json report = json::parse(place.kneepoint({"report", "inside", "--json"}).output);
  const json& points = report.at("cases").at(0).at("modes").at("strong").at("points");
  ASSERT_EQ(points.size(), 2U);
  for (const json& point : points) {
    ASSERT_FALSE(point.at("mpi_profile").is_null()) << point.dump(1);
    std::set<std::string> names;
    for (const json& operation : point.at("mpi_profile").at("operations")) {
      names.insert(operation.at("name").get<std::string>());
    }
    EXPECT_EQ(names.count("MPI_Allreduce"), 1U) << point.at("mpi_profile").dump(1);
  }
  for (int run = 1; run <= 2; ++run) {
    const json story = place.story(run);
    const json& last = story.at("attempts").back();
    std::map<std::string, std::set<std::string>> scopes;  // of a fact
    for (const json& fact : last.at("provenance")) {
      scopes[fact.at("name")].insert(fact.at("scope").get<std::string>());
    }
    EXPECT_EQ(scopes["noise.samples"], std::set<std::string>{last.at("nodes").get<std::string>()})
        << last.dump(1);
    EXPECT_TRUE(scopes["noise.not_sampled"].empty()) << last.dump(1);
  }
  EXPECT_TRUE(place.lab.is_swept()) << place.lab.leftovers();
}

// From an address in the cluster's network to a port of this machine's loopback.
class Door {
 public:
  Door(const KubePlace& place, int inner_port, int port) : place_(place) {
    start("door-inside",
          {"nsenter", "--net=" + place.lab.folder() + "/netns", "--", "socat",
           "TCP-LISTEN:" + std::to_string(inner_port) + ",bind=10.244.0.1,fork,reuseaddr,nodelay",
           "UNIX-CONNECT:" + socket()});
    start("door-outside", {"socat", "UNIX-LISTEN:" + socket() + ",fork",
                           "TCP:127.0.0.1:" + std::to_string(port) + ",nodelay"});
  }
  ~Door() {
    for (const pid_t pid : pids_) {
      ::kill(-pid, SIGKILL);
      ::waitpid(pid, nullptr, 0);
    }
  }
  Door(const Door&) = delete;
  Door& operator=(const Door&) = delete;

 private:
  std::string socket() const { return place_.path() + "/door"; }
  void start(const std::string& log, const std::vector<std::string>& argv) {
    SpawnOptions options;
    options.argv = {"timeout", "900"};  // never left behind for long
    options.argv.insert(options.argv.end(), argv.begin(), argv.end());
    options.new_session = true;
    options.output_path = place_.path() + "/" + log;
    const auto pid = spawn(options);
    ASSERT_TRUE(pid) << pid.error().message;
    pids_.push_back(*pid);
  }

  const KubePlace& place_;
  std::vector<pid_t> pids_;
};

std::string sample(int iteration) {
  std::string line = record::to_line(-1, record::Sample{iteration, false, 30, 20, 10, 12, 5, 3});
  line.pop_back();
  return line;
}

TEST(KubeInside, RecordsArriveByPushAndByTheLogAndCountOnce) {
  KubePlace place;
  if (!place.lab.missing().empty()) GTEST_SKIP() << place.lab.missing();
  constexpr int kPort = 18443;  // of the cluster's own network: nobody else has it
  const testing_support::HeldPort port;
  const Door door(place, kPort, port.number());
  const std::string here = "'" + place.path();
  const std::string script =
      place.write("work.sh", "echo '" + sample(0) + "' >> \"$KNEEPOINT_RECORDS\"\nwhile [ ! -e " +
                                 here + "/go' ]; do sleep 0.1; done\necho '" + sample(1) +
                                 "' >> \"$KNEEPOINT_RECORDS\"\necho t=0.25\n");
  const std::string plan = place.write(
      "plan.yaml",
      "study: live\nworker: rank\nscale: [1]\nmodes: [strong]\nworkloads:\n  - name: wait\n"
      "    command: [/bin/sh, \"" +
          script +
          "\"]\n    mpi: false\n    metrics: {time: {pattern: \"t=([0-9.]+)\", unit: s}}\n"
          "repeat: 1\nlimits: {timeout: 10m}\n");
  const std::string site = place.write(
      "site.yaml", place.lab.site_text(place.path()) +
                       "push: {listen: \"127.0.0.1:" + std::to_string(port.number()) +
                       "\", address: \"https://10.244.0.1:" + std::to_string(kPort) + "\"}\n");
  const pid_t pid = place.start({"run", plan, "--site", site});
  const auto pushed = [&] {
    const json story = place.story();
    return story.contains("attempts") && !story.at("attempts").empty()
               ? story.at("attempts").back().value("pushed", json::object()).value("samples", 0)
               : 0;
  };
  EXPECT_TRUE(comes_true([&] { return pushed() == 1; })) << place.read("err");
  place.go();
  const auto ended = place.finish(pid);
  ASSERT_EQ(ended.exit_code, 0) << ended.output << ended.errors;
  const json attempt = place.attempt();
  EXPECT_EQ(attempt.at("state"), "succeeded");
  EXPECT_FALSE(attempt.contains("pushed"));
  EXPECT_EQ(attempt.at("samples").size(), 2U) << attempt.at("samples").dump();
  EXPECT_TRUE(place.lab.is_swept()) << place.lab.leftovers();
}

}  // namespace
}  // namespace kneepoint
