// SPDX-License-Identifier: Apache-2.0
//
// What is wrong with a site, on real clusters, over the commands and over slurmrestd: `check
// --site` finds it before anything is submitted, and without it the first call that fails tells it
// in one sentence. A test that hurts a cluster heals it again.
#include <algorithm>
#include <filesystem>
#include <map>

#include "tests/slurm/slurm_place.h"

namespace kneepoint {
namespace {

namespace fs = std::filesystem;
using testing_support::Place;
using testing_support::slurm_keys;
using testing_support::SlurmPlace;

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
  place.make_narrow_qos();
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

// The same without `check` before it: the first call that fails says it, once, in Slurm's own
// words.
void run_all(SlurmPlace& place, const std::string& transport) {
  place.make_narrow_qos();
  for (const Wrong& wrong : wrong_sites()) {
    if (wrong.slurm.find("narrow") != std::string::npos) continue;  // taken, and waits for ever
    SCOPED_TRACE(wrong.slurm + (transport.empty() ? " over commands" : " over rest"));
    const std::string plan = place.write("plan.yaml", plan_of(wrong.nodes, wrong.plan));
    const auto told =
        place.run({"run", plan, "--site", place.site(slurm_keys(transport, wrong.slurm)), "--new"});
    EXPECT_EQ(told.exit_code, wrong.exit_code) << told.output << told.errors;
    // What is larger than the partition is known without asking.
    const int most = wrong.slurm.find("small") != std::string::npos ? 1 : 8;
    const std::string change = wrong.nodes > most ? "Lower `scale`" : wrong.to_change;
    const std::string words =
        wrong.nodes > most ? "the site has " + std::to_string(most) : wrong.of_slurm;
    const std::size_t first = told.errors.find(change);
    EXPECT_NE(first, std::string::npos) << told.errors;
    EXPECT_EQ(told.errors.find(change, first + 1), std::string::npos) << told.errors;
    EXPECT_NE(told.errors.find(words), std::string::npos) << told.errors;
  }
  const std::string queue = place.slurm({"squeue", "-h", "-t", "all", "-o", "%j|%Z"});
  EXPECT_EQ(queue.find("|" + place.path()), std::string::npos) << "something was taken: " << queue;
}

TEST(SlurmCheck, RunningOnWrongSitesIsOneSentenceOverTheCommands) {
  SlurmPlace place("accounting");
  run_all(place, "");
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
  place.site(slurm_keys(place.rest_keys(), ""));
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
TEST(SlurmCheckRest, WrongSitesAreTold) {
  SlurmPlace place("accounting");
  check_all(place, place.rest_keys());
}

TEST(SlurmCheckRest, RunningOnWrongSitesIsOneSentence) {
  SlurmPlace place("accounting");
  run_all(place, place.rest_keys());
}

TEST(SlurmCheckRest, TokensAndServersThatDontServeAreTold) {
  SlurmPlace place("plain");
  const std::string plan = place.write("plan.yaml", plan_of(1, ""));
  const std::string keys = place.rest_keys();
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
  place.rest_keys();
  place.site(slurm_keys("transport: rest, rest: {url: \"http://127.0.0.1:9\", token_file: " +
                            place.path() + "/token}",
                        ""));
  expect_sentence(check(), {"127.0.0.1:9", "slurm.rest"});
}
#endif

}  // namespace
}  // namespace kneepoint
