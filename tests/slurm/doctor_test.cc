// SPDX-License-Identifier: Apache-2.0
//
// `doctor` on real clusters, over the commands and over slurmrestd: a good site is examined to the
// end, what is wrong with another one is told with what to change. A test that hurts a cluster
// heals it again.
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/slurm/slurm_place.h"

namespace kneepoint {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing_support::comes_true;
using testing_support::Place;
using testing_support::slurm_keys;
using testing_support::SlurmPlace;

constexpr const char* kStarter = "starter: {kind: srun, mpi: pmix}\n";

std::map<std::string, std::string> grades(const Place::Ended& ended) {
  std::map<std::string, std::string> found;
  const json answer = json::parse(ended.output, nullptr, false);
  if (!answer.is_object()) return found;
  for (const json& one : answer.at("findings")) found[one.at("what")] = one.at("grade");
  return found;
}

void expect_nothing_is_left(const SlurmPlace& place) {
  // Slurm may still clean the nodes of one that is over.
  const std::string queue = place.slurm({"squeue", "-h", "-t", "PD,R", "-o", "%j"});
  EXPECT_EQ(queue.find("kp-doctor"), std::string::npos) << queue;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(place.path() + "/work", none)) {
    ADD_FAILURE() << "left behind: " << entry.path();
  }
}

void expect_ready(const Place::Ended& ended) {
  EXPECT_EQ(ended.exit_code, 0) << ended.output << ended.errors;
  const auto found = grades(ended);
  for (const char* what :
       {"agent", "reachable", "size", "limits", "work_dir", "job", "clock", "mpi"}) {
    const auto one = found.find(what);
    EXPECT_EQ(one == found.end() ? "not looked at" : one->second, "ok") << what << ended.output;
  }
  // How noisy this machine is, no test knows.
  EXPECT_EQ(found.count("noise"), 1U) << ended.output;
  EXPECT_NE(ended.output.find("7 runs of the same work"), std::string::npos) << ended.output;
}

TEST(SlurmDoctor, TwoAtOnceBothFindTheSiteReadyAndLeaveNothing) {
  SlurmPlace place("accounting");
  const std::string site =
      place.site(std::string(kStarter) + "slurm: {account: perf}\nlimits: {nodes: 8}\n");
  const pid_t one = place.start({"doctor", site, "--json"});
  SlurmPlace other("accounting");
  expect_ready(other.run({"doctor", site, "--json"}));
  expect_ready(place.finish(one));
  expect_nothing_is_left(place);
}

TEST(SlurmDoctor, TheLimitsOfTheSiteAreHeldAgainstThePartitions) {
  SlurmPlace place("accounting");
  auto told = place.run({"doctor", place.site(std::string(kStarter) + "limits: {nodes: 99}\n")});
  EXPECT_EQ(told.exit_code, 3) << told.output << told.errors;
  EXPECT_NE(told.output.find("limits.nodes of the site is 99: lower it to 8"), std::string::npos)
      << told.output;
  told = place.run({"doctor", place.site(std::string(kStarter) +
                                         "slurm: {partition: small}\nlimits: {nodes: 2}\n")});
  EXPECT_NE(told.output.find("at most 1 for a job, at most 10 min 00 s for a job"),
            std::string::npos)
      << told.output;
  EXPECT_EQ(told.output.find("a job on one node"), std::string::npos)
      << "nothing was tried after it";
}

TEST(SlurmDoctor, ALimitOfTheQosIsFoundBeforeAJobWaitsForEver) {
  SlurmPlace place("accounting");
  place.make_narrow_qos();
  const auto told = place.run(
      {"doctor", place.site(std::string(kStarter) +
                            "slurm: {account: perf, qos: narrow}\nlimits: {nodes: 8}\n")});
  EXPECT_EQ(told.exit_code, 3) << told.output << told.errors;
  EXPECT_NE(told.output.find("QOS 'narrow' allows a job 2 nodes, asked for 8"), std::string::npos)
      << told.output;
}

TEST(SlurmDoctor, AFolderThatTheNodeDoesNotSeeIsTold) {
  SlurmPlace place("plain");
  const std::string work = place.path() + "/work";
  fs::create_directories(work);
  const int hidden = place.cluster("hide", {"n2", work});
  if (hidden != 0 && ::geteuid() != 0) GTEST_SKIP() << "only root can hide a folder from a node";
  ASSERT_EQ(hidden, 0);
  const auto told =
      place.run({"doctor", place.site(std::string(kStarter) +
                                      "slurm: {options: [--nodelist=n2]}\nlimits: {nodes: 1}\n")});
  EXPECT_EQ(place.cluster("stop", {"n2", "KILL"}), 0);
  EXPECT_EQ(place.cluster("up"), 0);
  EXPECT_EQ(told.exit_code, 3) << told.output << told.errors;
  EXPECT_NE(told.output.find("BAD  job"), std::string::npos) << told.output;
  EXPECT_NE(told.output.find("is that folder there on the nodes, and writable?"), std::string::npos)
      << told.output;
  EXPECT_NE(told.output.find("name a work_dir that the nodes share"), std::string::npos)
      << told.output;
  expect_nothing_is_left(place);
}

TEST(SlurmDoctor, CtrlCCancelsItsJob) {
  SlurmPlace place("plain");
  const std::string blocker = place.slurm({"sbatch", "--parsable", "-N8", "--exclusive", "-o",
                                           "/dev/null", "--chdir=/tmp", "--wrap", "sleep 900"});
  const std::string site = place.site(kStarter);
  const pid_t doctor = place.start({"doctor", site});
  EXPECT_TRUE(comes_true([&] {
    return place.slurm({"squeue", "-h", "-t", "PD", "-o", "%j"}).find("kp-doctor") !=
           std::string::npos;
  })) << "its job does not get into the queue";
  ::kill(doctor, SIGINT);
  const auto ended = place.finish(doctor);
  place.slurm({"scancel", blocker.substr(0, blocker.find('\n'))});
  EXPECT_EQ(ended.exit_code, 130) << ended.output << ended.errors;
  expect_nothing_is_left(place);
}

TEST(SlurmDoctorSlow, AWrongMpiAndAJobThatWritesNothingAreToldWithWhatToChange) {
  SlurmPlace place("plain");
  auto told = place.run({"doctor", place.site("starter: {kind: srun, mpi: none}\n")});
  EXPECT_EQ(told.exit_code, 3) << told.output << told.errors;
  EXPECT_NE(told.output.find("BAD  mpi"), std::string::npos) << told.output;
  EXPECT_NE(told.output.find("mpi: pmix"), std::string::npos) << told.output;
  told = place.run(
      {"doctor", place.site(std::string(kStarter) + "slurm: {prologue: [\"exit 3\"]}\n")});
  EXPECT_EQ(told.exit_code, 3) << told.output << told.errors;
  EXPECT_NE(told.output.find("BAD  job"), std::string::npos) << told.output;
  EXPECT_NE(told.output.find("name a work_dir that the nodes share"), std::string::npos)
      << told.output;
  expect_nothing_is_left(place);
}

#ifdef KP_SLURMRESTD
TEST(SlurmDoctorRest, FindsTheSiteReadyAndLeavesNothing) {
  SlurmPlace place("accounting");
  const std::string keys = slurm_keys(place.rest_keys(), "account: perf");
  expect_ready(place.run({"doctor", place.site(kStarter + keys), "--json"}));
  expect_nothing_is_left(place);
}

// Every command line of every process now, the environment's token among them or not.
bool any_command_line_holds(const std::string& text) {
  std::error_code none;
  for (const auto& entry : fs::directory_iterator("/proc", none)) {
    std::stringstream line;
    line << std::ifstream(entry.path() / "cmdline").rdbuf();
    if (line.str().find(text) != std::string::npos) return true;
  }
  return false;
}

TEST(SlurmSecrets, TheTokenReachesNoCommandLineLogDatabaseOrReport) {
  SlurmPlace place("plain");
  const std::string keys = place.rest_keys();
  std::string token = place.read("token");
  token.resize(std::min(token.size(), token.find('\n')));
  ASSERT_GT(token.size(), 50U);
  fs::remove(place.path() + "/token");
  ::setenv("KP_TEST_TOKEN", token.c_str(), 1);
  const std::size_t file = keys.find("token_file: ");
  const std::string site =
      place.site(slurm_keys(keys.substr(0, file) + "token_env: KP_TEST_TOKEN}", "") +
                 "starter: {kind: none}\n");
  const std::string plan = place.write(
      "plan.yaml",
      "study: secret\nworker: node\nscale: [1]\nmodes: [strong]\nworkloads:\n  - name: w\n"
      "    command: [sh, -c, 'env; sleep 1; echo t=1']\n    mpi: false\n"
      "    metrics: {time: {pattern: \"t=(.)\", unit: s}}\nrepeat: 1\n");
  const pid_t run = place.start({"--log-level", "debug", "run", plan, "--site", site});
  bool seen = false;
  while (!place.ended_within(run, 50'000)) seen = seen || any_command_line_holds(token);
  const auto ended = place.wait(run);
  EXPECT_EQ(ended.exit_code, 0) << ended.output << ended.errors;
  EXPECT_FALSE(seen) << "the token was on a command line";
  std::string told = ended.output + ended.errors;
  for (const std::vector<std::string>& words :
       std::vector<std::vector<std::string>>{{"report", "--json"},
                                             {"report"},
                                             {"explain", "r1", "--json"},
                                             {"status", "--json"},
                                             {"logs", "r1"},
                                             {"doctor", site}}) {
    const auto answer = place.run(words);
    told += answer.output + answer.errors;
  }
  ::unsetenv("KP_TEST_TOKEN");
  EXPECT_EQ(told.find(token), std::string::npos);
  for (const auto& entry : fs::recursive_directory_iterator(place.path())) {
    if (!entry.is_regular_file()) continue;
    std::stringstream text;
    text << std::ifstream(entry.path()).rdbuf();
    EXPECT_EQ(text.str().find(token), std::string::npos) << entry.path();
  }
}
#endif

}  // namespace
}  // namespace kneepoint
