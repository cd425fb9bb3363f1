// SPDX-License-Identifier: Apache-2.0
//
// `doctor` and `check --site` on real clusters, over the commands and over slurmrestd: what is
// wrong is told in one sentence, before anything is submitted. A test that hurts a cluster heals it
// again.
#include <signal.h>

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
using testing_support::SlurmPlace;

constexpr const char* kStarter = "starter: {kind: srun, mpi: pmix}\n";

// The keys that make a site talk to slurmrestd, with a token made now.
std::string rest_keys(const SlurmPlace& place, const std::string& cluster) {
  std::string url;
  std::ifstream(KP_SLURM_FOLDER "/" + cluster + "/rest.url") >> url;
  const std::string token = place.slurm({"scontrol", "token", "lifespan=7200"});
  place.write("token", token.substr(token.find('=') + 1));
  return "transport: rest, rest: {url: \"" + url + "\", token_file: " + place.path() + "/token}";
}

std::string slurm_keys(const std::string& first, const std::string& second) {
  return "slurm: {" + first + (first.empty() || second.empty() ? "" : ", ") + second + "}\n";
}

// The cluster has this one: two nodes and five minutes for a job, said by no sbatch --test-only.
void make_narrow_qos(const SlurmPlace& place) {
  place.slurm({"sacctmgr", "-i", "add", "qos", "narrow", "set", "MaxTRESPerJob=node=2",
               "MaxWall=00:05:00"});
  place.slurm({"sacctmgr", "-i", "modify", "user", "where", "account=perf", "set", "qos+=narrow"});
}

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
  make_narrow_qos(place);
  const auto told = place.run(
      {"doctor", place.site(std::string(kStarter) +
                            "slurm: {account: perf, qos: narrow}\nlimits: {nodes: 8}\n")});
  EXPECT_EQ(told.exit_code, 3) << told.output << told.errors;
  EXPECT_NE(told.output.find("QOS 'narrow' allows a job 2 nodes, asked for 8"), std::string::npos)
      << told.output;
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

// What `check` must tell of a wrong site, over both transports.
struct Wrong {
  std::string slurm;  // keys of the site
  std::string plan;   // more lines of the plan
  int nodes;          // what K asks for
  int exit_code;
  std::string of_slurm;   // Slurm's own words, or its fact
  std::string of_rest;    // the same over slurmrestd
  std::string to_change;  // the key to change
};

const std::vector<Wrong>& wrong_sites() {
  static const std::vector<Wrong> all = {
      {"partition: nowhere", "", 1, 3, "no partition 'nowhere'", "no partition 'nowhere'",
       "slurm.partition"},
      {"account: nobody", "", 1, 2, "Invalid account", "no account 'nobody'", "slurm.account"},
      {"account: perf, qos: nosuch", "", 1, 2, "Invalid qos", "no QOS 'nosuch'", "slurm.qos"},
      {"account: perf, qos: narrow", "", 4, 2, "QOS 'narrow' allows a job 2 nodes",
       "QOS 'narrow' allows a job 2 nodes", "slurm.qos"},
      {"account: perf", "", 9, 2, "Node count specification invalid", "gives at most 8 nodes",
       "`scale`"},
      {"account: perf, partition: small", "", 2, 2, "ode count", "gives at most 1 nodes",
       "slurm.partition"},
      {"account: perf, partition: small", "limits: {timeout: 2h}\n", 1, 2, "time limit",
       "allows 10 min 00 s", "limits.timeout"},
  };
  return all;
}

std::string plan_of(int nodes, const std::string& more) {
  return "study: wrong\nworker: node\nscale: [" + std::to_string(nodes) +
         "]\nmodes: [strong]\nworkloads:\n  - name: w\n    command: [\"true\"]\n    mpi: false\n"
         "    metrics: {time: {pattern: \"(.)\", unit: s}}\n" +
         more;
}

void check_all(SlurmPlace& place, const std::string& transport) {
  make_narrow_qos(place);
  for (const Wrong& wrong : wrong_sites()) {
    SCOPED_TRACE(wrong.slurm + (transport.empty() ? " over commands" : " over rest"));
    const std::string plan = place.write("plan.yaml", plan_of(wrong.nodes, wrong.plan));
    const auto told =
        place.run({"check", plan, "--site", place.site(slurm_keys(transport, wrong.slurm))});
    const std::string all = told.output + told.errors;
    EXPECT_EQ(told.exit_code, wrong.exit_code) << all;
    EXPECT_NE(all.find(transport.empty() ? wrong.of_slurm : wrong.of_rest), std::string::npos)
        << all;
    EXPECT_NE(all.find(wrong.to_change), std::string::npos) << all;
  }
  const std::string plan = place.write("plan.yaml", plan_of(8, ""));
  const auto good =
      place.run({"check", plan, "--site", place.site(slurm_keys(transport, "account: perf"))});
  EXPECT_EQ(good.exit_code, 0) << good.output << good.errors;
  const std::string queue = place.slurm({"squeue", "-h", "-t", "all", "-o", "%j"});
  EXPECT_EQ(queue.find("wrong"), std::string::npos) << "check submitted something: " << queue;
  EXPECT_FALSE(fs::exists(place.path() + "/kneepoint.db"));
}

TEST(SlurmCheck, WrongSitesAreToldOverTheCommands) {
  SlurmPlace place("accounting");
  check_all(place, "");
}

// One sentence: one line on stderr.
void expect_sentence(const Place::Ended& told, const std::vector<std::string>& words) {
  EXPECT_EQ(told.exit_code, 3) << told.output << told.errors;
  EXPECT_EQ(std::count(told.errors.begin(), told.errors.end(), '\n'), 1) << told.errors;
  for (const std::string& word : words) {
    EXPECT_NE(told.errors.find(word), std::string::npos) << "no '" << word << "': " << told.errors;
  }
}

// The same in the table of doctor.
void expect_finding(const Place::Ended& told, const std::vector<std::string>& words) {
  EXPECT_EQ(told.exit_code, 3) << told.output << told.errors;
  EXPECT_NE(told.output.find("BAD  reachable"), std::string::npos) << told.output;
  for (const std::string& word : words) {
    EXPECT_NE(told.output.find(word), std::string::npos) << "no '" << word << "': " << told.output;
  }
}

// Without `check` before it: nothing fails, and the mended site goes on.
TEST(SlurmCheck, RunningOnAWrongSiteIsOneSentenceAndLosesNothing) {
  SlurmPlace place("accounting");
  const std::string plan = place.waiting_plan("mended", 3, "timeout: 5m, retries: 2");
  place.go();
  for (const bool account : {true, false}) {
    const std::string keys = account ? "account: nobody" : "account: perf, qos: nosuch";
    SCOPED_TRACE(keys);
    const auto told = place.run({"run", plan, "--site", place.site(slurm_keys("", keys))});
    EXPECT_EQ(told.exit_code, 2) << told.output << told.errors;
    const std::string words = account ? "Invalid account" : "Invalid qos";
    const std::size_t first = told.errors.find(words);
    EXPECT_NE(first, std::string::npos) << told.errors;
    EXPECT_EQ(told.errors.find(words, first + 1), std::string::npos) << told.errors;
    EXPECT_NE(told.errors.find(account ? "slurm.account" : "slurm.qos"), std::string::npos)
        << told.errors;
  }
  const auto mended =
      place.run({"run", plan, "--site", place.site(slurm_keys("", "account: perf"))});
  EXPECT_EQ(mended.exit_code, 0) << mended.output << mended.errors;
  EXPECT_EQ(place.executions(),
            (std::map<std::string, int>{{"r1-a1", 1}, {"r2-a1", 1}, {"r3-a1", 1}}));
}

TEST(SlurmCheck, MissingMungeIsToldInItsOwnWords) {
  SlurmPlace place("plain");
  const std::string plan = place.write("plan.yaml", plan_of(1, ""));
  const std::string site = place.site("");
  EXPECT_EQ(place.cluster("stop", {"munged", "TERM"}), 0);
  const auto checked = place.run({"check", plan, "--site", site});
  const auto examined = place.run({"doctor", site});
  EXPECT_EQ(place.cluster("up"), 0);
  expect_sentence(checked, {"Munge encode failed", "munged runs on this host"});
  expect_finding(examined, {"Munge encode failed", "munged runs on this host"});
}

TEST(SlurmCheck, AnUnreachableControllerIsTold) {
  SlurmPlace place("plain");
  const std::string plan = place.write("plan.yaml", plan_of(1, ""));
  std::vector<std::string> sites;
#ifdef KP_SLURMRESTD
  place.site(slurm_keys(rest_keys(place, "plain"), ""));
  sites.push_back(place.write("rest.yaml", place.read("site.yaml")));
#endif
  sites.push_back(place.site(""));
  EXPECT_EQ(place.cluster("stop", {"slurmctld", "TERM"}), 0);
  std::vector<Place::Ended> told;
  for (const std::string& site : sites) told.push_back(place.run({"check", plan, "--site", site}));
  EXPECT_EQ(place.cluster("up"), 0);
  for (const Place::Ended& one : told) expect_sentence(one, {"slurmctld"});
  EXPECT_NE(told.back().errors.find("is DOWN"), std::string::npos) << told.back().errors;
}

#ifdef KP_SLURMRESTD
TEST(SlurmDoctorRest, FindsTheSiteReadyAndLeavesNothing) {
  SlurmPlace place("accounting");
  const std::string keys = slurm_keys(rest_keys(place, "accounting"), "account: perf");
  expect_ready(place.run({"doctor", place.site(kStarter + keys), "--json"}));
  expect_nothing_is_left(place);
}

TEST(SlurmCheckRest, WrongSitesAreTold) {
  SlurmPlace place("accounting");
  check_all(place, rest_keys(place, "accounting"));
}

TEST(SlurmCheckRest, TokensAndServersThatDontServeAreTold) {
  SlurmPlace place("plain");
  const std::string plan = place.write("plan.yaml", plan_of(1, ""));
  const std::string keys = rest_keys(place, "plain");
  const std::string site = place.site(slurm_keys(keys, ""));
  const auto check = [&] { return place.run({"check", plan, "--site", site}); };
  // {"exp":1000000000,"sun":"me"}, then {"exp":9999999999,"sun":"me"} that nobody signed.
  place.write("token", "x.eyJleHAiOjEwMDAwMDAwMDAsInN1biI6Im1lIn0.s");
  expect_sentence(check(), {"expired at 2001-09-09", "scontrol token"});
  expect_finding(place.run({"doctor", site}), {"expired at 2001-09-09", "scontrol token"});
  place.write("token", "x.eyJleHAiOjk5OTk5OTk5OTksInN1biI6Im1lIn0.s");
  expect_sentence(check(), {"token of user 'me' is not accepted", "scontrol token"});
  fs::remove(place.path() + "/token");
  expect_sentence(check(), {place.path() + "/token"});
  rest_keys(place, "plain");
  place.site(slurm_keys("transport: rest, rest: {url: \"http://127.0.0.1:9\", token_file: " +
                            place.path() + "/token}",
                        ""));
  expect_sentence(check(), {"127.0.0.1:9", "slurm.rest"});
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
  const std::string keys = rest_keys(place, "plain");
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
