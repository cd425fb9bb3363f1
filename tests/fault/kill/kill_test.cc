// SPDX-License-Identifier: Apache-2.0
//
// kill -9 of the controller at random instants of one study: every run ends exactly once, no job is
// submitted twice, and the report is that of an undisturbed run. KP_KILLS says how often.
#include <gtest/gtest.h>
#include <signal.h>

#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>

#include "orchestrator/base/random.h"
#include "tests/fakes/kneepoint_process.h"

namespace kneepoint {
namespace {

using nlohmann::json;
using testing_support::Place;

// Removes what may differ between two runs of the same study: wall-clock times, attempt counts.
void drop_volatile(json& value) {
  if (value.is_object()) {
    value.erase("volatile");
    for (auto& [key, inner] : value.items()) drop_volatile(inner);
  } else if (value.is_array()) {
    for (json& inner : value) drop_volatile(inner);
  }
}

std::string comparable(const std::string& report) {
  json value = json::parse(report);
  drop_volatile(value);
  return value.dump();
}

// Starts the study and kills it after a random time, until that has happened often enough. Returns
// how many kills hit a live controller.
int torment(const Place& place, const std::vector<std::string>& arguments, long longest_us) {
  Random random(20261116, "kill instants");
  int kills = 0;
  while (kills < KP_KILLS) {
    const pid_t pid = place.start(arguments);
    const bool by_itself = place.ended_within(pid, static_cast<long>(random.below(longest_us)));
    if (!by_itself) ::kill(pid, SIGKILL);
    const auto ended = place.wait(pid);
    if (by_itself) {
      EXPECT_EQ(ended.exit_code, 0) << ended.errors;
      break;  // the study was over before all kills were dealt
    }
    ++kills;
  }
  return kills;
}

// Torments a study in a fresh place. How far a controller gets in a given time depends on the
// machine: if the study was over before half of the kills, it is done again with shorter sittings.
// `write` prepares the place and gives the arguments of `run`.
template <typename Write>
std::unique_ptr<Place> tormented(const Write& write, long longest_us) {
  for (;; longest_us /= 2) {
    auto place = std::make_unique<Place>();
    const std::vector<std::string> run = write(*place);
    const int kills = torment(*place, run, longest_us);
    if (kills < KP_KILLS / 2 && longest_us > 2) continue;
    EXPECT_GE(kills, KP_KILLS / 2) << "the study ended too soon to be tormented";
    ::testing::Test::RecordProperty("kills", kills);
    const auto last = place->kneepoint(run);
    EXPECT_EQ(last.exit_code, 0) << last.errors;
    return place;
  }
}

TEST(Kill, ASimulatedStudyReportsTheSameBytesAsAnUndisturbedOne) {
  const std::string plan = R"(study: tormented
worker: node
scale: [1, 2, 4, 8, 16]
modes: [strong, weak]
workloads:
  - name: model
    use: synthetic
    parameters: {s: [0.05, 0.1], c: 0.01, seconds: 60}
repeat: )" + std::to_string(50 + 5 * KP_KILLS) +
                           "\nlimits: {concurrent: 16, retries: 20}\n";
  const std::string site = R"(backend: simulated
name: sim
simulated: {nodes: 64, noise: 0.02, failure_rate: 0.05, queue_wait: 60s, seed: 4}
)";
  Place calm;
  const std::vector<std::string> calm_run = {"run", calm.write("plan.yaml", plan), "--site",
                                             calm.write("site.yaml", site)};
  const auto undisturbed = calm.kneepoint(calm_run);
  ASSERT_EQ(undisturbed.exit_code, 0) << undisturbed.errors;

  // Long enough for a controller to get somewhere: its start takes what resuming a finished study
  // takes, and every sitting should do its share.
  const double start = calm.kneepoint(calm_run).seconds;
  const long span = static_cast<long>((start + undisturbed.seconds / KP_KILLS) * 1.5e6);
  const auto place = tormented(
      [&](Place& at) -> std::vector<std::string> {
        return {"run", at.write("plan.yaml", plan), "--site", at.write("site.yaml", site)};
      },
      span);

  const auto expected = calm.kneepoint({"report", "tormented", "--json"});
  const auto actual = place->kneepoint({"report", "tormented", "--json"});
  ASSERT_EQ(expected.exit_code, 0) << expected.errors;
  ASSERT_EQ(actual.exit_code, 0) << actual.errors;
  EXPECT_EQ(comparable(actual.output), comparable(expected.output));
}

TEST(Kill, ALocalStudyRunsEveryAttemptOnce) {
  const int runs = 2 * KP_KILLS;
  const auto write = [&](Place& place) -> std::vector<std::string> {
    const std::string plan = R"y(study: tormented
worker: rank
scale: [1]
modes: [strong]
workloads:
  - name: count
    command: [")y" KP_TEST_DIR R"y(/counting_program", ")y" +
                             place.path() + R"y(/trace", "20"]
    mpi: false
    metrics: {time: {pattern: "t=([0-9.]+)", unit: s}}
repeat: )y" + std::to_string(runs) +
                             "\n";
    return {"run", place.write("plan.yaml", plan)};
  };
  const auto place = tormented(write, 90'000);

  // Agents outlive their controller, so nothing was lost and nothing repeated: as many lines as
  // runs, each another run's first attempt.
  std::map<std::string, int> executions;
  std::istringstream lines(place->read("trace"));
  for (std::string line; std::getline(lines, line);) ++executions[line];
  EXPECT_EQ(executions.size(), static_cast<std::size_t>(runs));
  for (const auto& [attempt, count] : executions) {
    EXPECT_EQ(count, 1) << attempt;
    EXPECT_TRUE(attempt.ends_with("-a1")) << attempt;
  }
}

}  // namespace
}  // namespace kneepoint
