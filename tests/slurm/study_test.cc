// SPDX-License-Identifier: Apache-2.0
//
// Whole studies on a real cluster. Every attempt that kneepoint tells of is compared with Slurm's
// own record: as many jobs, the same names, the same nodes, states that fit. A loaded machine may
// cost a retry; nothing may be missing, doubled or untold.
#include <signal.h>

#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
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

// Every run succeeded once, every attempt before that says why it did not; every job on Slurm's
// record was told by name in a run's story, every attempt has its job there.
void equals_the_record(const SlurmPlace& place, int runs, bool accounting) {
  std::map<std::string, Recorded> record;
  std::size_t attempts = 0;
  std::map<std::string, json> told;
  std::string events;
  for (int run = 1; run <= runs; ++run) {
    const auto answer = place.kneepoint({"explain", "r" + std::to_string(run), "--json"});
    ASSERT_EQ(answer.exit_code, 0) << answer.errors;
    const json story = json::parse(answer.output);
    int succeeded = 0;
    for (const json& attempt : story.at("attempts")) {
      ++attempts;
      told[attempt.at("allocation").get<std::string>()] = attempt;
      const bool good = attempt.at("state") == "succeeded";
      succeeded += good ? 1 : 0;
      EXPECT_TRUE(good || !attempt.at("sentence").get<std::string>().empty()) << answer.output;
    }
    EXPECT_EQ(succeeded, 1) << "run " << run << ": " << answer.output;
    for (const json& event : story.at("events")) {
      events += event.at("text").get<std::string>() + "\n";
    }
  }
  // Accounting lags some seconds behind.
  EXPECT_TRUE(comes_true([&] {
    record = record_of(place, accounting);
    return record.size() >= attempts && all_over(record);
  })) << record.size()
      << " jobs of " << attempts << " attempts are on record";
  const auto reported = place.reported();
  EXPECT_EQ(reported.size(), static_cast<std::size_t>(runs));
  for (const auto& [run, shown] : reported) {
    ASSERT_EQ(record.count(shown.allocation), 1u) << "run " << run << " of the report";
    EXPECT_EQ(shown.state, "succeeded") << run;
    EXPECT_EQ(record[shown.allocation].state, "COMPLETED") << run;
    EXPECT_EQ(record[shown.allocation].nodes, shown.nodes) << run;
  }
  for (const auto& [name, attempt] : told) {
    ASSERT_EQ(record.count(name), 1u) << name << " is not on Slurm's record";
    if (attempt.at("state") == "lost") {
      EXPECT_NE(record[name].state, "COMPLETED") << name << " was called lost, and was not";
    }
    if (attempt.at("state") != "succeeded") continue;
    EXPECT_EQ(record[name].state, "COMPLETED") << name;
    EXPECT_EQ(attempt.at("nodes").get<std::string>(), record[name].nodes) << name;
  }
  for (const auto& [name, job] : record) {
    EXPECT_NE(events.find(name), std::string::npos)
        << name << " (" << job.state << ") is on Slurm's record, but no run tells of it";
    // What never began was handed over again under another name.
    if (told.count(name) == 0) {
      EXPECT_NE(job.state, "COMPLETED") << name;
    }
  }
}

void run_whole_study(const SlurmPlace& place, const std::string& plan, int runs,
                     const std::string& starter, bool accounting) {
  const std::string file = plan.starts_with('/') ? plan : place.write("plan.yaml", plan);
  const auto ended =
      place.run({"run", file, "--site", place.site("starter: " + starter + "\n"), "--json"});
  ASSERT_EQ(ended.exit_code, 0) << ended.output << ended.errors;
  const json answer = json::parse(ended.output);
  EXPECT_EQ(answer.at("runs"), runs);
  EXPECT_EQ(answer.at("failed"), 0);
  equals_the_record(place, runs, accounting);
}

TEST(SlurmStudy, BySrunEqualsTheClustersOwnRecord) {
  SlurmPlace place("accounting");
  run_whole_study(place, plan_of("whole", "[1, 2, 4, 8]", 3, "0.1"), 24, "{kind: srun, mpi: pmix}",
                  true);
}

TEST(SlurmStudy, TheSamePlanAsElsewhereBySrunEqualsTheClustersOwnRecord) {
  SlurmPlace place("accounting");
  run_whole_study(place, KP_SOURCE_DIR "/tests/plans/whole.yaml", 12, "{kind: srun, mpi: pmix}",
                  true);
}

TEST(SlurmStudy, ByMpirunEqualsTheClustersOwnRecord) {
  SlurmPlace place("plain");
  run_whole_study(place, plan_of("whole", "[1, 2, 4, 8]", 3, "0.1"), 24, "{kind: mpirun}", false);
}

TEST(SlurmStudy, CtrlCLeavesTheJobsInTheQueueAndRunningAgainAdoptsThem) {
  SlurmPlace place("plain");
  const std::vector<std::string> run = {"run",
                                        place.waiting_plan("left", 4, "timeout: 10m, retries: 5"),
                                        "--site", place.site("slurm: {exclusive: false}\n")};
  const pid_t pid = place.start(run);
  ASSERT_TRUE(comes_true([&] { return place.executions().size() == 4; }));
  ::kill(pid, SIGINT);
  const auto ended = place.finish(pid);
  EXPECT_EQ(ended.exit_code, 130) << ended.errors;
  EXPECT_NE(ended.errors.find("4 jobs stay in the queue"), std::string::npos) << ended.errors;
  place.go();
  const auto again = place.run(run);
  EXPECT_EQ(again.exit_code, 0) << again.errors;
  EXPECT_EQ(place.executions().size(), 4u);
  for (const auto& [attempt, count] : place.executions()) EXPECT_EQ(count, 1) << attempt;
  equals_the_record(place, 4, false);
}

// kneepoint started inside somebody's allocation, by somebody whose defaults are not the site's.
TEST(SlurmStudy, WhatAnOuterAllocationSaysIsNotHandedOn) {
  SlurmPlace place("plain");
  const std::string plan = place.write(
      "plan.yaml",
      "study: inner\nworker: node\nscale: [1]\nmodes: [strong]\nworkloads:\n  - name: tell\n"
      "    command: [sh, -c, \"env > " +
          place.path() +
          "/seen; echo t=0.1\"]\n    mpi: false\n"
          "    metrics: {time: {pattern: \"t=([0-9.]+)\", unit: s}}\nrepeat: 1\n");
  const std::map<std::string, std::string> outer = {{"SBATCH_PARTITION", "nowhere"},
                                                    {"SBATCH_ACCOUNT", "nobody"},
                                                    {"SBATCH_ARRAY_INX", "0-3"},
                                                    {"SLURM_JOB_ID", "4711"},
                                                    {"SLURM_NTASKS", "99"},
                                                    {"SLURM_JOB_NODELIST", "x[1-9]"},
                                                    {"SQUEUE_FORMAT", "nothing of it"}};
  for (const auto& [name, value] : outer) ::setenv(name.c_str(), value.c_str(), 1);
  const auto ended = place.run({"run", plan, "--site", place.site("slurm: {exclusive: false}\n")});
  for (const auto& [name, value] : outer) ::unsetenv(name.c_str());
  ASSERT_EQ(ended.exit_code, 0) << ended.output << ended.errors;
  const std::string seen = place.read("seen");
  EXPECT_NE(seen.find("SLURM_JOB_ID="), std::string::npos) << "the job's own: " << seen;
  for (const auto& [name, value] : outer) {
    EXPECT_EQ(seen.find(name + "=" + value + "\n"), std::string::npos) << name;
  }
}

// Ended jobs leave this cluster's memory after 2 seconds, and nobody keeps accounts.
TEST(SlurmStudy, JobsThatSlurmHasForgottenAreKnownByTheirOwnEndRecord) {
  SlurmPlace place("forgetful");
  const std::vector<std::string> run = {
      "run", place.waiting_plan("forgotten", 2, "timeout: 10m, retries: 0"), "--site",
      place.site("slurm: {exclusive: false}\n")};
  const pid_t pid = place.start(run);
  ASSERT_TRUE(comes_true([&] { return place.executions().size() == 2; }));
  ::kill(pid, SIGKILL);
  place.finish(pid);
  place.go();
  // All its jobs end and are forgotten while nobody looks.
  ASSERT_TRUE(comes_true([&] { return record_of(place, false).empty(); }));
  const auto again = place.run(run);
  EXPECT_EQ(again.exit_code, 0) << again.output << again.errors;
  for (int number = 1; number <= 2; ++number) {
    const std::string name = "r" + std::to_string(number);
    EXPECT_EQ(place.executions()[name + "-a1"], 1) << name;
    const json story = json::parse(place.kneepoint({"explain", name, "--json"}).output);
    ASSERT_EQ(story.at("attempts").size(), 1u) << name;
    EXPECT_EQ(story.at("attempts").at(0).at("state"), "succeeded") << name;
    EXPECT_EQ(story.at("attempts").at(0).at("metrics").at(0).at("value"), 0.1) << name;
  }
}

// An attempt follows another one of its run only when that one's job was over by Slurm's record.
void expect_one_at_a_time(const SlurmPlace& place, int runs) {
  std::map<std::string, std::pair<long, long>> times;  // submitted, ended
  std::istringstream lines(place.slurm({"env", "SLURM_TIME_FORMAT=%s", "sacct", "-n", "-P", "-X",
                                        "-S", "now-1days", "-o", "JobName,Submit,End"}));
  for (std::string line; std::getline(lines, line);) {
    std::istringstream fields(line);
    std::string name, submitted, ended;
    std::getline(fields, name, '|');
    std::getline(fields, submitted, '|');
    std::getline(fields, ended, '|');
    times[name] = {std::atol(submitted.c_str()), std::atol(ended.c_str())};
  }
  for (int run = 1; run <= runs; ++run) {
    const json story =
        json::parse(place.kneepoint({"explain", "r" + std::to_string(run), "--json"}).output);
    const json& attempts = story.at("attempts");
    for (std::size_t i = 1; i < attempts.size(); ++i) {
      const auto before = times.find(attempts[i - 1].at("allocation").get<std::string>());
      const auto after = times.find(attempts[i].at("allocation").get<std::string>());
      ASSERT_TRUE(before != times.end() && after != times.end()) << story.dump(1);
      EXPECT_GT(before->second.second, 0) << story.dump(1);
      EXPECT_LE(before->second.second, after->second.first) << story.dump(1);
    }
  }
}

// So many kills, at instants drawn anew each time; a study that is through before that was too
// short.
void kill_the_controller(const SlurmPlace& place, int times, const std::string& packing) {
  const int runs = (packing.empty() ? 4 : 12) * times;  // more than are done between the kills
  place.go();
  std::vector<std::string> run = {
      "run",          place.waiting_plan("tormented", runs, "timeout: 10m, retries: 5"),
      "--site",       place.site("slurm: {exclusive: false}\n" + packing),
      "--concurrent", "2"};
  place.torment(run, times, runs);
  run.back() = "8";
  const auto last = place.run(run);
  ASSERT_EQ(last.exit_code, 0) << last.output << last.errors;
  EXPECT_GE(place.executions().size(), static_cast<std::size_t>(runs));
  for (const auto& [attempt, count] : place.executions()) EXPECT_EQ(count, 1) << attempt;
  if (packing.empty()) {
    equals_the_record(place, runs, true);
    expect_one_at_a_time(place, runs);
  }
}

TEST(SlurmStudy, AKilledControllerLosesNothingAndRunsNothingTwice) {
  SlurmPlace place("accounting");
  kill_the_controller(place, 10, "");
}

TEST(SlurmStudy, AKilledControllerOfPackedRunsLosesNothingAndRunsNothingTwice) {
  SlurmPlace place("accounting");
  kill_the_controller(place, 10, "packing: {mode: packed, steps: 4, allocations: 2}\n");
}

TEST(SlurmStudySlow, AControllerKilledFiftyTimesLosesNothingAndRunsNothingTwice) {
  SlurmPlace place("accounting");
  kill_the_controller(place, 50, "");
}

}  // namespace
}  // namespace kneepoint
