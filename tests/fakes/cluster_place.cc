// SPDX-License-Identifier: Apache-2.0
//
// Instants of kills are drawn anew each time, in shares of the time that a first run takes; the
// seed is printed.
#include "tests/fakes/cluster_place.h"

#include <gtest/gtest.h>
#include <signal.h>

#include <iostream>
#include <random>
#include <sstream>

#include "orchestrator/base/clock.h"
#include "orchestrator/io/poller.h"
#include "orchestrator/io/subprocess.h"

namespace kneepoint::testing_support {

using nlohmann::json;

ProgramOutput run_program(const std::vector<std::string>& argv, int seconds) {
  SpawnOptions options;
  options.argv = argv;
  const auto ended = run_captured(options, seconds * kSecond);
  if (ended) return {ended->exit_code, ended->output, ended->errors};
  ADD_FAILURE() << ended.error().message;
  return {-1, "", ended.error().message};
}

Place::Ended ClusterPlace::ask(const std::vector<std::string>& arguments) const {
  std::vector<std::string> argv = {"env", "KNEEPOINT_DB=" + path() + "/kneepoint.db",
                                   KP_BIN_DIR "/kneepoint"};
  argv.insert(argv.end(), arguments.begin(), arguments.end());
  const ProgramOutput told = run_program(argv, 120);
  Ended answer;
  answer.exit_code = told.exit_code;
  answer.output = told.output;
  answer.errors = told.errors;
  return answer;
}

Place::Ended ClusterPlace::finish(pid_t pid) const {
  if (!ended_within(pid, 900'000'000)) {
    ADD_FAILURE() << "kneepoint did not end within 15 minutes";
    ::kill(pid, SIGKILL);
  }
  return wait(pid);
}

Place::Ended ClusterPlace::run(const std::vector<std::string>& arguments) const {
  return finish(start(arguments));
}

std::string ClusterPlace::waiting_plan(const std::string& study, int runs,
                                       const std::string& limits) const {
  return write("plan.yaml",
               "study: " + study +
                   "\nworker: node\nscale: [1]\nmodes: [strong]\nworkloads:\n  - name: wait\n"
                   "    command: [sh, -c, \"echo $KNEEPOINT_ATTEMPT >> " +
                   path() + "/trace; while [ ! -e " + path() +
                   "/go ]; do sleep 0.2; done; echo t=0.1\"]\n    mpi: false\n"
                   "    metrics: {time: {pattern: \"t=([0-9.]+)\", unit: s}}\nrepeat: " +
                   std::to_string(runs) + "\nlimits: {" + limits + "}\n");
}

std::map<std::string, int> ClusterPlace::executions() const {
  std::map<std::string, int> counts;
  std::istringstream lines(read("trace"));
  for (std::string line; std::getline(lines, line);) ++counts[line];
  return counts;
}

json ClusterPlace::story(int run) const {
  const auto told = ask({"explain", "r" + std::to_string(run), "--json"});
  return told.exit_code == 0 ? json::parse(told.output) : json::object();
}

json ClusterPlace::attempt(std::size_t number, int run) const {
  const json told = story(run);
  if (!told.contains("attempts") || told.at("attempts").size() < number) return json::object();
  return told.at("attempts").at(number - 1);
}

std::string ClusterPlace::events(int run) const {
  std::string text;
  const json told = story(run);
  if (!told.contains("events")) return text;
  for (const json& event : told.at("events")) {
    text += event.at("kind").get<std::string>() + ": " + event.at("text").get<std::string>() + "\n";
  }
  return text;
}

void ClusterPlace::tell_stories() const {
  for (const auto& command : {"status", "list"}) std::cout << ask({command}).output;
  for (int run = 1; run <= 30; ++run) {
    const Ended told = ask({"explain", "r" + std::to_string(run)});
    if (told.exit_code != 0) break;
    if (!has(told.output, "succeeded") || has(told.output, "-a2")) std::cout << told.output;
  }
}

namespace {

void gather_runs(const json& node, std::map<int, ClusterPlace::ReportedRun>& runs) {
  if (node.is_object() && node.contains("run") && node.contains("volatile")) {
    const json& where = node.at("volatile");
    ClusterPlace::ReportedRun run{node.at("state").get<std::string>(),
                                  where.at("allocation").get<std::string>(),
                                  where.at("nodes").get<std::string>()};
    const auto read = [](const json& from, const char* key, double& into) {
      if (from.contains(key) && from.at(key).is_number()) into = from.at(key).get<double>();
    };
    read(node, "seconds", run.seconds);
    read(where, "queue_wait", run.queue_wait);
    const auto [entry, is_new] = runs.try_emplace(node.at("run").get<int>(), run);
    EXPECT_TRUE(is_new) << "run " << entry->first << " is in the report twice";
  }
  if (!node.is_structured()) return;
  for (const json& part : node) gather_runs(part, runs);
}

}  // namespace

std::map<int, ClusterPlace::ReportedRun> ClusterPlace::reported() const {
  const Ended answer = ask({"report", "--json"});
  EXPECT_EQ(answer.exit_code, 0) << answer.errors;
  std::map<int, ReportedRun> runs;
  gather_runs(json::parse(answer.output, nullptr, false), runs);
  return runs;
}

void ClusterPlace::torment(const std::vector<std::string>& run, int times, int runs) const {
  const Nanoseconds before = system_clock().steady();
  pid_t pid = start(run);
  ASSERT_TRUE(comes_true([&] { return !executions().empty(); }));
  Nanoseconds span = system_clock().steady() - before;
  const unsigned seed = std::random_device()();
  testing::Test::RecordProperty("seed", std::to_string(seed));
  std::cout << "seed " << seed << ", a first run takes " << to_seconds(span) << " s\n";
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> share(0.02, 1.5);
  int kills = 0;
  bool is_through = false;
  while (kills < times && !is_through) {
    const bool ahead = executions().size() * static_cast<std::size_t>(times) >
                       static_cast<std::size_t>(runs) * static_cast<std::size_t>(kills + 1);
    if (ahead) span /= 2;
    const auto instant = static_cast<long>(to_seconds(span) * share(random) * 1e6);
    is_through = ended_within(pid, instant);
    ::kill(pid, SIGKILL);
    finish(pid);
    if (!is_through && ++kills < times) pid = start(run);
  }
  EXPECT_EQ(kills, times) << "the study was too short to be tormented";
  EXPECT_GT(executions().size(), 1u) << "nothing was done between the kills";
}

bool comes_true(const std::function<bool()>& is_so, int seconds) {
  Poller poller;
  const Nanoseconds until = system_clock().steady() + seconds * kSecond;
  while (!is_so()) {
    if (system_clock().steady() > until) return false;
    if (!poller.wait(100 * kMillisecond)) return false;
  }
  return true;
}

}  // namespace kneepoint::testing_support
