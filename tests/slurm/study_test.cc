// SPDX-License-Identifier: Apache-2.0
//
// Whole studies on a real cluster. Every attempt that kneepoint tells of is compared with Slurm's
// own record: as many jobs, the same names, the same nodes, states that fit. A loaded machine may
// cost a retry; nothing may be missing, doubled or untold.
#include <signal.h>

#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "tests/slurm/slurm_place.h"

namespace kneepoint {
namespace {

using nlohmann::json;
using testing_support::comes_true;
using testing_support::SlurmPlace;

std::string plan_of(const std::string& name, const std::string& scale, int repeat,
                    const std::string& seconds) {
  return "study: " + name + "\nworker: node\nscale: " + scale +
         "\nshape: {ranks_per_node: 1, bind: none}\nmodes: [strong, weak]\nworkloads:\n"
         "  - name: model\n    use: synthetic\n    parameters: {work: sleep, s: 0.1, c: 0.01, "
         "seconds: " +
         seconds + "}\niterations: {warmup: 1, count: 2}\nrepeat: " + std::to_string(repeat) +
         "\nlimits: {timeout: 10m, retries: 5}\n";
}

struct Recorded {
  std::string state, nodes;
};

// Slurm's own record of all jobs of a folder, by name; a name twice is a failure.
std::map<std::string, Recorded> record_of(const SlurmPlace& place, bool accounting) {
  std::map<std::string, Recorded> jobs;
  std::istringstream lines(accounting
                               ? place.slurm({"sacct", "-n", "-P", "-X", "-S", "now-1days", "-o",
                                              "JobName,State,NodeList,WorkDir"})
                               : place.slurm({"squeue", "-h", "-t", "all", "-o", "%j|%T|%N|%Z"}));
  for (std::string line; std::getline(lines, line);) {
    if (line.find("|" + place.path() + "/") == std::string::npos) continue;
    std::istringstream fields(line);
    std::string name, state, nodes;
    std::getline(fields, name, '|');
    std::getline(fields, state, '|');
    std::getline(fields, nodes, '|');
    EXPECT_EQ(jobs.count(name), 0u) << name << " was submitted twice";
    jobs[name] = {state, nodes};
  }
  return jobs;
}

bool all_over(const std::map<std::string, Recorded>& jobs) {
  for (const auto& [name, job] : jobs) {
    if (job.state == "PENDING" || job.state == "RUNNING" || job.state == "COMPLETING") return false;
  }
  return true;
}

// Every run succeeded, every attempt has one job, every job has an attempt.
void equals_the_record(const SlurmPlace& place, int runs, bool accounting) {
  std::map<std::string, Recorded> record;
  std::size_t attempts = 0;
  std::map<std::string, json> told;
  for (int run = 1; run <= runs; ++run) {
    const auto answer = place.kneepoint({"explain", "r" + std::to_string(run), "--json"});
    ASSERT_EQ(answer.exit_code, 0) << answer.errors;
    const json story = json::parse(answer.output);
    bool succeeded = false;
    for (const json& attempt : story.at("attempts")) {
      ++attempts;
      told[attempt.at("allocation").get<std::string>()] = attempt;
      succeeded = succeeded || attempt.at("state") == "succeeded";
    }
    EXPECT_TRUE(succeeded) << "run " << run << ": " << answer.output;
  }
  // Accounting lags some seconds behind.
  EXPECT_TRUE(comes_true([&] {
    record = record_of(place, accounting);
    return record.size() >= attempts && all_over(record);
  })) << record.size()
      << " jobs of " << attempts << " attempts are on record";
  for (const auto& [name, attempt] : told) {
    ASSERT_EQ(record.count(name), 1u) << name << " is not on Slurm's record";
    const Recorded& job = record[name];
    if (attempt.at("state") == "succeeded") {
      EXPECT_EQ(job.state, "COMPLETED") << name;
      EXPECT_EQ(attempt.at("nodes").get<std::string>(), job.nodes) << name;
    }
    record.erase(name);
  }
  // What never began was handed over again as -s2; it must be told in the events.
  for (const auto& [name, job] : record) {
    EXPECT_NE(job.state, "COMPLETED")
        << name << " is on Slurm's record, but kneepoint knows it not";
  }
}

void run_whole_study(const std::string& starter, const std::string& cluster) {
  SlurmPlace place(cluster);
  const std::string plan = place.write("plan.yaml", plan_of("whole", "[1, 2, 4, 8]", 3, "0.1"));
  const auto ended =
      place.run({"run", plan, "--site", place.site("starter: " + starter + "\n"), "--json"});
  ASSERT_EQ(ended.exit_code, 0) << ended.output << ended.errors;
  const json answer = json::parse(ended.output);
  EXPECT_EQ(answer.at("runs"), 24);
  EXPECT_EQ(answer.at("failed"), 0);
  equals_the_record(place, 24, cluster == "accounting");
}

TEST(SlurmStudy, BySrunEqualsTheClustersOwnRecord) {
  run_whole_study("{kind: srun, mpi: pmix}", "accounting");
}

TEST(SlurmStudy, ByMpirunEqualsTheClustersOwnRecord) {
  run_whole_study("{kind: mpirun}", "plain");
}

TEST(SlurmStudy, CtrlCLeavesTheJobsInTheQueueAndRunningAgainAdoptsThem) {
  SlurmPlace place("plain");
  const std::vector<std::string> run = {"run",
                                        place.write("plan.yaml", plan_of("left", "[1]", 4, "1")),
                                        "--site", place.site("starter: {kind: srun, mpi: pmix}\n")};
  const pid_t pid = place.start(run);
  ASSERT_TRUE(comes_true([&] { return !record_of(place, false).empty(); }));
  ::kill(pid, SIGINT);
  const auto ended = place.finish(pid);
  if (ended.exit_code != 0) {  // it was over before the signal came, on a quick day
    EXPECT_EQ(ended.exit_code, 130) << ended.errors;
    EXPECT_NE(ended.errors.find("jobs stay in the queue"), std::string::npos) << ended.errors;
  }
  const auto again = place.run(run);
  EXPECT_EQ(again.exit_code, 0) << again.errors;
  equals_the_record(place, 8, false);
}

// Ended jobs leave this cluster's memory after 2 seconds, and nobody keeps accounts.
TEST(SlurmStudy, JobsThatSlurmHasForgottenAreKnownByTheirOwnEndRecord) {
  SlurmPlace place("forgetful");
  const std::vector<std::string> run = {
      "run", place.write("plan.yaml", plan_of("forgotten", "[1, 2]", 2, "0.1")), "--site",
      place.site("starter: {kind: srun, mpi: pmix}\nslurm: {exclusive: false}\n")};
  const pid_t pid = place.start(run);
  ASSERT_TRUE(comes_true([&] { return !record_of(place, false).empty(); }));
  ::kill(pid, SIGKILL);
  place.finish(pid);
  // All its jobs end and are forgotten while nobody looks.
  ASSERT_TRUE(comes_true([&] { return record_of(place, false).empty(); }));
  const auto again = place.run(run);
  EXPECT_EQ(again.exit_code, 0) << again.output << again.errors;
}

TEST(SlurmStudy, AKilledControllerLosesNothingAndRunsNothingTwice) {
  SlurmPlace place("accounting");
  const int runs = 2 * KP_KILLS;
  const std::string trace = place.path() + "/trace";
  const std::string plan =
      place.write("plan.yaml",
                  "study: tormented\nworker: node\nscale: [1]\nmodes: [strong]\nworkloads:\n"
                  "  - name: count\n    command: [sh, -c, \"echo $KNEEPOINT_ATTEMPT >> " +
                      trace +
                      "; echo t=0.1\"]\n    mpi: false\n    metrics: {time: {pattern: "
                      "\"t=([0-9.]+)\", unit: s}}\nrepeat: " +
                      std::to_string(runs) + "\nlimits: {timeout: 10m, retries: 5}\n");
  const std::vector<std::string> run = {"run", plan, "--site",
                                        place.site("slurm: {exclusive: false}\n")};
  int kills = 0;
  for (int i = 0; i < KP_KILLS; ++i) {
    const pid_t pid = place.start(run);
    // From before the first sbatch to some time after it.
    if (place.ended_within(pid, 50'000 + 150'000L * (i % 10))) {
      place.finish(pid);
      break;
    }
    ::kill(pid, SIGKILL);
    place.finish(pid);
    ++kills;
  }
  RecordProperty("kills", kills);
  const auto last = place.run(run);
  ASSERT_EQ(last.exit_code, 0) << last.output << last.errors;
  std::map<std::string, int> executions;
  std::istringstream lines(place.read("trace"));
  for (std::string line; std::getline(lines, line);) ++executions[line];
  for (const auto& [attempt, count] : executions) EXPECT_EQ(count, 1) << attempt;
  EXPECT_GE(executions.size(), static_cast<std::size_t>(runs));
  equals_the_record(place, runs, true);
}

}  // namespace
}  // namespace kneepoint
