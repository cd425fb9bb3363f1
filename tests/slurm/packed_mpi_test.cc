// SPDX-License-Identifier: Apache-2.0
//
// Packed studies of a real MPI program on a real cluster, ranks started by srun and by mpirun. What
// kneepoint tells of each run is compared with what Slurm recorded of the job and of its steps, and
// with what the ranks say themselves. A loaded machine may cost a retry; nothing may be untold.
#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "orchestrator/base/node_list.h"
#include "tests/slurm/slurm_place.h"

namespace kneepoint {
namespace {

using nlohmann::json;
using testing_support::comes_true;
using testing_support::SlurmPlace;
using Names = std::set<std::string>;

constexpr int kRuns = 24;
constexpr std::size_t kPoints = 8;
constexpr const char* kPlan = R"y(study: packed
worker: node
scale: [1, 2, 4, 8]
shape: {ranks_per_node: 1, bind: none}
modes: [strong, weak]
workloads:
  - name: model
    use: synthetic
    parameters: {work: sleep, s: 0.1, c: 0.01, seconds: 0.02}
iterations: {warmup: 1, count: 2}
repeat: 3
limits: {timeout: 90s, retries: 5}
)y";

Names names_of(const std::string& list) {
  const auto names = expand_node_list(list);
  return {names.begin(), names.end()};
}

struct ToldAttempt {  // one attempt, as `explain` tells it
  std::string point, state, nodes;
  int size = 0;
  long started = 0;
  Names hosts;  // by its ranks
};

// By allocation, in the order in which they started.
std::map<std::string, std::vector<ToldAttempt>> stories(const SlurmPlace& place) {
  std::map<std::string, std::vector<ToldAttempt>> told;
  for (int run = 1; run <= kRuns; ++run) {
    const auto answer = place.kneepoint({"explain", "r" + std::to_string(run), "--json"});
    EXPECT_EQ(answer.exit_code, 0) << answer.errors;
    const json story = json::parse(answer.output, nullptr, false);
    for (const json& attempt : story.at("attempts")) {
      ToldAttempt one;
      one.point = story.at("point").at("key").get<std::string>();
      one.size = story.at("point").at("nodes").get<int>();
      one.state = attempt.at("state").get<std::string>();
      one.nodes = attempt.value("nodes", "");
      one.started = attempt.value("started_ns", 0L);
      for (const json& rank : attempt.value("ranks", json::array())) {
        one.hosts.insert(rank.at("host").get<std::string>());
      }
      told[attempt.at("allocation").get<std::string>()].push_back(one);
    }
  }
  for (auto& [allocation, attempts] : told) {
    std::sort(attempts.begin(), attempts.end(),
              [](const ToldAttempt& a, const ToldAttempt& b) { return a.started < b.started; });
  }
  return told;
}

struct Recorded {
  std::string state, nodes;
  std::vector<std::string> steps;  // nodes of those that completed, in their order
};

std::vector<std::string> split(const std::string& line) {
  std::vector<std::string> fields;
  std::istringstream rest(line);
  for (std::string field; std::getline(rest, field, '|');) fields.push_back(field);
  fields.resize(5);
  return fields;
}

// Slurm's own record of the jobs of this place, by name.
std::map<std::string, Recorded> record_of(const SlurmPlace& place) {
  std::map<std::string, Recorded> jobs;
  std::map<std::string, std::string> names;  // by id
  std::istringstream lines(place.slurm(
      {"sacct", "-n", "-P", "-S", "now-1days", "-o", "JobID,JobName,State,NodeList,WorkDir"}));
  for (std::string line; std::getline(lines, line);) {
    const auto fields = split(line);
    const std::size_t dot = fields[0].find('.');
    if (dot == std::string::npos && fields[4].starts_with(place.path() + "/")) {
      EXPECT_EQ(jobs.count(fields[1]), 0U) << fields[1] << " was submitted twice";
      names[fields[0]] = fields[1];
      jobs[fields[1]] = {fields[2], fields[3], {}};
    } else if (const auto job = names.find(fields[0].substr(0, dot));
               dot != std::string::npos && job != names.end()) {
      const bool numbered = std::isdigit(static_cast<unsigned char>(fields[0][dot + 1])) != 0;
      if (numbered && fields[2] == "COMPLETED") jobs[job->second].steps.push_back(fields[3]);
    }
  }
  return jobs;
}

// The sets of one allocation: the right size, the ranks' own, nested, the same for every repeat.
void expect_nested(const std::vector<ToldAttempt>& attempts) {
  std::map<int, Names> sets;
  for (const ToldAttempt& one : attempts) {
    if (one.state != "succeeded") continue;
    const Names nodes = names_of(one.nodes);
    EXPECT_EQ(static_cast<int>(nodes.size()), one.size) << one.point << " on " << one.nodes;
    EXPECT_EQ(one.hosts, nodes) << one.point << ": what the ranks say";
    EXPECT_EQ(sets.try_emplace(one.size, nodes).first->second, nodes)
        << one.point << " had other nodes than the runs of its size before it";
  }
  const Names* smaller = nullptr;
  for (const auto& [size, nodes] : sets) {
    if (smaller != nullptr) {
      EXPECT_TRUE(std::includes(nodes.begin(), nodes.end(), smaller->begin(), smaller->end()))
          << "the nodes of a smaller run are not among those of " << size;
    }
    smaller = &nodes;
  }
}

// Every repeat of every point before the next repeat of any.
void expect_interleaved(const std::vector<ToldAttempt>& attempts) {
  for (std::size_t block = 0; block + kPoints <= attempts.size(); block += kPoints) {
    Names points;
    for (std::size_t i = block; i < block + kPoints; ++i) points.insert(attempts[i].point);
    EXPECT_EQ(points.size(), kPoints) << "a point twice among steps " << block << " and following";
  }
}

void run_packed(const std::string& starter) {
  SlurmPlace place("accounting");
  const std::string site = place.site("starter: " + starter + "\npacking: {mode: packed}\n");
  const auto ended = place.run({"run", place.write("plan.yaml", kPlan), "--site", site, "--json"});
  ASSERT_EQ(ended.exit_code, 0) << ended.output << ended.errors;
  const json answer = json::parse(ended.output, nullptr, false);
  EXPECT_EQ(answer.at("runs"), kRuns);
  EXPECT_EQ(answer.at("failed"), 0);

  const auto told = stories(place);
  std::size_t succeeded = 0;
  for (const auto& [allocation, attempts] : told) {
    for (const ToldAttempt& one : attempts) succeeded += one.state == "succeeded" ? 1 : 0;
    expect_nested(attempts);
  }
  EXPECT_EQ(succeeded, static_cast<std::size_t>(kRuns));
  if (told.size() == 1) expect_interleaved(told.begin()->second);
  EXPECT_GE(told.begin()->second.size(), 2U) << "nothing was packed";

  // Accounting lags some seconds behind.
  std::map<std::string, Recorded> record;
  EXPECT_TRUE(comes_true([&] {
    record = record_of(place);
    std::size_t steps = 0;
    bool over = record.size() >= told.size();
    for (const auto& [name, job] : record) {
      steps += job.steps.size();
      over = over && job.state != "PENDING" && job.state != "RUNNING" && job.state != "COMPLETING";
    }
    return over && steps >= succeeded;
  })) << "Slurm's record has "
      << record.size() << " jobs of " << told.size();
  for (const auto& [allocation, attempts] : told) {
    ASSERT_EQ(record.count(allocation), 1U) << allocation << " is not on Slurm's record";
    const Recorded& job = record.at(allocation);
    EXPECT_EQ(job.state, "COMPLETED") << allocation;
    std::vector<std::string> nodes;
    for (const ToldAttempt& one : attempts) {
      if (one.state == "succeeded") nodes.push_back(one.nodes);
      const Names whole = names_of(job.nodes), part = names_of(one.nodes);
      EXPECT_TRUE(std::includes(whole.begin(), whole.end(), part.begin(), part.end()))
          << one.nodes << " of " << job.nodes;
    }
    EXPECT_EQ(nodes, job.steps) << "steps of " << allocation << " in their order";
  }
  const auto reported = place.reported();
  EXPECT_EQ(reported.size(), static_cast<std::size_t>(kRuns));
  for (const auto& [run, shown] : reported) {
    ASSERT_EQ(record.count(shown.allocation), 1U) << "run " << run << " of the report";
    const auto& steps = record.at(shown.allocation).steps;
    EXPECT_NE(std::find(steps.begin(), steps.end(), shown.nodes), steps.end()) << run;
  }
  std::string events;
  for (int run = 1; run <= kRuns; ++run) events += place.events(run);
  for (const auto& [name, job] : record) {
    EXPECT_NE(events.find(name), std::string::npos)
        << name << " (" << job.state << ") is on Slurm's record, but no run tells of it";
    // What never began was handed over again under another name.
    EXPECT_TRUE(told.count(name) == 1 || job.state != "COMPLETED") << name;
  }
}

TEST(SlurmPackedMpi, BySrunEqualsTheClustersOwnRecord) {
  run_packed("{kind: srun, mpi: pmix}");
}

TEST(SlurmPackedMpi, ByMpirunEqualsTheClustersOwnRecord) {
  run_packed("{kind: mpirun}");
}

}  // namespace
}  // namespace kneepoint
