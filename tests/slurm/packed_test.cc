// SPDX-License-Identifier: Apache-2.0
//
// Studies whose runs share a job, and studies over slurmrestd, on a real cluster. What every run
// says of its nodes is compared with what was promised: nested sets, one job for many runs.
#include <signal.h>

#include <algorithm>
#include <filesystem>
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

// Every rank leaves the name of its node in a file of its attempt.
std::string plan_of(const SlurmPlace& place, const std::string& pause) {
  return R"y(study: packed
worker: node
scale: [1, 2, 4, 8]
shape: {ranks_per_node: 1, bind: none}
modes: [strong, weak]
workloads:
  - name: where
    command: [sh, -c, 'echo $SLURMD_NODENAME >>"$1/$KNEEPOINT_ATTEMPT.nodes"; sleep )y" +
         pause + R"y(; echo t=0.5', sh, ")y" + place.path() + R"y("]
    metrics: {time: {pattern: "t=([0-9.]+)", unit: s}}
repeat: 3
limits: {timeout: 5m, retries: 5}
)y";
}

[[maybe_unused]] std::string rest_of(const SlurmPlace& place) {
  return "slurm: {" + place.rest_keys() + "}\n";
}

struct ToldRun {
  std::map<std::string, std::set<std::string>> attempts_of;  // by allocation
  std::map<int, std::set<std::string>> nodes_of;  // by number of nodes, of successful attempts
  int succeeded = 0;
};

ToldRun stories(const SlurmPlace& place, int runs) {
  ToldRun told;
  for (int run = 1; run <= runs; ++run) {
    const auto answer = place.kneepoint({"explain", "r" + std::to_string(run), "--json"});
    EXPECT_EQ(answer.exit_code, 0) << answer.errors;
    const json story = json::parse(answer.output, nullptr, false);
    for (const json& attempt : story.at("attempts")) {
      const std::string name =
          "r" + std::to_string(run) + "-a" + std::to_string(attempt.at("number").get<int>());
      told.attempts_of[attempt.at("allocation").get<std::string>()].insert(name);
      if (attempt.at("state") != "succeeded") continue;
      ++told.succeeded;
      std::set<std::string> nodes;
      std::istringstream lines(place.read(name + ".nodes"));
      for (std::string line; std::getline(lines, line);) nodes.insert(line);
      const int size = static_cast<int>(nodes.size());
      EXPECT_TRUE(told.nodes_of.try_emplace(size, nodes).first->second == nodes ||
                  told.attempts_of.size() > 1)
          << name << " had other nodes than the runs of its size before it";
    }
  }
  return told;
}

[[maybe_unused]] std::set<std::string> jobs_on_record(const SlurmPlace& place) {
  std::set<std::string> names;
  std::istringstream lines(place.slurm({"squeue", "-h", "-t", "all", "-o", "%j|%T|%Z"}));
  for (std::string line; std::getline(lines, line);) {
    if (line.find("|" + place.path() + "/") == std::string::npos) continue;
    EXPECT_TRUE(names.insert(line.substr(0, line.find('|'))).second) << line << " twice";
  }
  return names;
}

[[maybe_unused]] void expect_nested(const ToldRun& told) {
  const std::set<std::string>* smaller = nullptr;
  for (const auto& [size, nodes] : told.nodes_of) {
    if (smaller != nullptr) {
      EXPECT_TRUE(std::includes(nodes.begin(), nodes.end(), smaller->begin(), smaller->end()))
          << "the nodes of a smaller run are not among those of " << size;
    }
    smaller = &nodes;
  }
  EXPECT_EQ(told.nodes_of.size(), 4U) << "K = 1, 2, 4, 8";
}

// Both builds of a pair are neighbours in one job, on the same nodes.
TEST(SlurmPacked, TwoBuildsAreInTurnsInOneJob) {
  SlurmPlace place("plain");
  const auto build = [&](const std::string& name, const std::string& seconds) {
    const std::string path =
        place.write(name, "#!/bin/sh\necho $SLURMD_NODENAME >>\"" + place.path() +
                              "/$KNEEPOINT_ATTEMPT.nodes\"\necho t=" + seconds + "\n");
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
    return path;
  };
  const std::string plan = place.write("plan.yaml", R"y(study: turns
worker: node
scale: [1, 2, 4, 8]
shape: {ranks_per_node: 1, bind: none}
modes: [strong]
workloads:
  - name: app
    command: ["{build}"]
    metrics: {time: {pattern: "t=([0-9.]+)", unit: s}}
repeat: 5
limits: {timeout: 5m}
)y");
  const auto ended = place.run({"run", plan, "--site", place.site("starter: {kind: srun}\n"),
                                "--ab", "old=" + build("before", "1.00"), "--ab",
                                "new=" + build("after", "1.10"), "--json"});
  ASSERT_EQ(ended.exit_code, 1) << ended.output << ended.errors;
  const json answer = json::parse(ended.output, nullptr, false);
  EXPECT_EQ(answer["report"]["builds"]["verdict"], "REGRESSED") << answer["report"]["builds"];
  EXPECT_EQ(answer["report"]["builds"]["curves"][0]["pairs"], 20);
  const ToldRun told = stories(place, 40);
  EXPECT_EQ(told.succeeded, 40);
  EXPECT_EQ(told.attempts_of.size(), 1U) << "one job";
  expect_nested(told);
}

#ifdef KP_SLURMRESTD
void run_packed_by_rest(const std::string& cluster, const std::string& starter) {
  SlurmPlace place(cluster);
  const std::string site =
      place.site("starter: " + starter + "\npacking: {mode: packed}\n" + rest_of(place));
  const auto ended =
      place.run({"run", place.write("plan.yaml", plan_of(place, "0")), "--site", site});
  ASSERT_EQ(ended.exit_code, 0) << ended.output << ended.errors;
  const ToldRun told = stories(place, 24);
  EXPECT_EQ(told.succeeded, 24);
  // One job, unless the loaded machine cost a retry; every job told of is on Slurm's record.
  const auto jobs = jobs_on_record(place);
  for (const auto& [allocation, attempts] : told.attempts_of) {
    EXPECT_EQ(jobs.count(allocation), 1U) << allocation;
  }
  EXPECT_GE(told.attempts_of.begin()->second.size(), 2U) << "nothing was packed";
  EXPECT_LE(jobs.size(), 12U);
  if (told.attempts_of.size() == 1) expect_nested(told);
}

TEST(SlurmRestStudy, PackedBySrun) {
  run_packed_by_rest("plain", "{kind: srun, mpi: pmix}");
}

TEST(SlurmRestStudy, PackedByMpirunWithAccounting) {
  run_packed_by_rest("accounting", "{kind: mpirun}");
}
#endif

bool any_rank_began(const SlurmPlace& place) {
  for (const auto& entry : std::filesystem::directory_iterator(place.path())) {
    if (entry.path().extension() == ".nodes") return true;
  }
  return false;
}

// Every run waits until the last of the kills has struck.
TEST(SlurmPacked, AControllerThatIsKilledFindsItsAllocationAgain) {
  SlurmPlace place("plain");
  const std::string wait = "0; while [ ! -e " + place.path() + "/go ]; do sleep 0.1; done";
  const std::vector<std::string> run = {
      "run", place.write("plan.yaml", plan_of(place, wait)), "--site",
      place.site("starter: {kind: srun, mpi: pmix}\npacking: {mode: packed}\n")};
  for (int kills = 0; kills < 3; ++kills) {
    const pid_t pid = place.start(run);
    // The first one before anything runs, the others while a step does.
    if (kills > 0) {
      ASSERT_TRUE(comes_true([&] { return any_rank_began(place); }));
    }
    EXPECT_FALSE(place.ended_within(pid, kills == 0 ? 300'000 : 1'500'000));
    ::kill(pid, SIGKILL);
    EXPECT_EQ(place.wait(pid).exit_code, 128 + SIGKILL) << "it was not killed";
  }
  place.go();
  const auto last = place.run(run);
  ASSERT_EQ(last.exit_code, 0) << last.output << last.errors;
  const ToldRun told = stories(place, 24);
  EXPECT_EQ(told.succeeded, 24);
  EXPECT_GE(told.attempts_of.begin()->second.size(), 2U) << "nothing was packed";
  for (const auto& [allocation, attempts] : told.attempts_of) {
    for (const std::string& attempt : attempts) {
      std::istringstream lines(place.read(attempt + ".nodes"));
      std::map<std::string, int> ranks;
      for (std::string line; std::getline(lines, line);) ++ranks[line];
      for (const auto& [node, count] : ranks) {
        EXPECT_EQ(count, 1) << attempt << " ran twice on " << node;
      }
    }
  }
}

#ifdef KP_SLURMRESTD
TEST(SlurmRestStudySlow, OneJobPerRunEqualsTheClustersRecord) {
  SlurmPlace place("plain");
  const std::string site = place.site("starter: {kind: srun, mpi: pmix}\n" + rest_of(place));
  const auto ended =
      place.run({"run", place.write("plan.yaml", plan_of(place, "0")), "--site", site});
  ASSERT_EQ(ended.exit_code, 0) << ended.output << ended.errors;
  const ToldRun told = stories(place, 24);
  EXPECT_EQ(told.succeeded, 24);
  const auto jobs = jobs_on_record(place);
  for (const auto& [allocation, attempts] : told.attempts_of) {
    EXPECT_EQ(attempts.size(), 1U) << allocation;
    EXPECT_EQ(jobs.count(allocation), 1U) << allocation;
  }
}

TEST(SlurmRestStudy, CheckFindsWhatWouldBeRefused) {
  SlurmPlace place("plain");
  std::string rest = rest_of(place);
  const std::string plan = place.write("plan.yaml", plan_of(place, "0"));
  const auto good = place.run({"check", plan, "--site", place.site(rest)});
  EXPECT_EQ(good.exit_code, 0) << good.output << good.errors;
  EXPECT_EQ(good.output.find("would be refused"), std::string::npos) << good.output;
  const std::string wrong = rest.substr(0, rest.rfind('}')) + ", partition: nope}\n";
  const auto partition = place.run({"check", plan, "--site", place.site(wrong)});
  EXPECT_NE((partition.output + partition.errors).find("nope"), std::string::npos)
      << partition.output << partition.errors;
  place.write("token", "x.eyJleHAiOjEwMDAwMDAwMDAsInN1biI6Im1lIn0.s");  // of 2001
  const auto expired = place.run({"check", plan, "--site", place.site(rest)});
  EXPECT_NE(expired.exit_code, 0);
  EXPECT_NE(expired.errors.find("expired at 2001-09-09"), std::string::npos) << expired.errors;
  EXPECT_NE(expired.errors.find("scontrol token"), std::string::npos) << expired.errors;
}
#endif

}  // namespace
}  // namespace kneepoint
