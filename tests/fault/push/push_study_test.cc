// SPDX-License-Identifier: Apache-2.0
//
// Real studies whose agents push: seen while they run, and the same result when the controller is
// killed, away for the whole run, or no longer knows the token. Workloads wait for a file, so that
// the test decides when they end.
#include <gtest/gtest.h>
#include <signal.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "agents/wire/record.h"
#include "orchestrator/base/clock.h"
#include "orchestrator/store/study_store.h"
#include "tests/fakes/kneepoint_process.h"

namespace kneepoint {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing_support::Place;

class PushStudyTest : public ::testing::Test {
 protected:
  PushStudyTest() {
    const std::string here = "'" + place_.path();
    const std::string script = place_.write(
        "work.sh", "echo begun >> " + here + "/trace'\necho '" + sample(0) +
                       "' >> \"$KNEEPOINT_RECORDS\"\nwhile [ ! -e " + here +
                       "/gate' ]; do\n  if [ -e " + here +
                       "/more' ] && [ -z \"$more\" ]; then\n    more=1\n    echo '" + sample(1) +
                       "' >> \"$KNEEPOINT_RECORDS\"\n  fi\n  sleep 0.05\ndone\necho t=0.25\n");
    run_ = {"run", place_.write("plan.yaml", R"y(study: live
worker: rank
scale: [1]
modes: [strong]
workloads:
  - name: wait
    command: [/bin/sh, ")y" + script + R"y("]
    mpi: false
    metrics: {time: {pattern: "t=([0-9.]+)", unit: s}}
repeat: 1
)y"),
            "--site", place_.write("site.yaml", "backend: local\npush: {}\n")};
  }

  static std::string sample(int iteration) {
    std::string line = record::to_line(-1, record::Sample{iteration, false, 30, 20, 10, 12, 5, 3});
    line.pop_back();
    return line;
  }

  // What the database holds of the one run, as another process sees it.
  struct Seen {
    int records = 0, samples = 0;
    AttemptState state = AttemptState::planned;
    std::size_t attempts = 0, metrics = 0, kept_samples = 0;
    std::string events;
  };
  Seen look() const {
    Seen seen;
    auto store = StudyStore::open(place_.path() + "/kneepoint.db", StudyStore::Access::read_only,
                                  system_clock());
    if (!store) return seen;
    const auto studies = (*store)->studies();
    if (!studies || studies->empty()) return seen;
    const auto runs = (*store)->runs(studies->front().row);
    if (!runs || runs->empty() || !runs->front().last) return seen;
    const AttemptRow attempt = *runs->front().last;
    seen.state = attempt.state;
    seen.attempts = (*store)->attempts(attempt.run)->size();
    const auto so_far = (*store)->pushed_so_far(attempt.row);
    if (so_far) seen.records = so_far->records, seen.samples = so_far->samples;
    seen.metrics = (*store)->metrics(attempt.row)->size();
    seen.kept_samples = (*store)->samples(attempt.row)->size();
    for (const Event& event : (*store)->events(studies->front().row, 0).value()) {
      seen.events += event.kind + ": " + event.text + "\n";
    }
    return seen;
  }

  bool wait_for_pushes(pid_t pid) const {
    return place_.wait_until(pid, [this] { return look().samples > 0; });
  }

  fs::path allocation_file() const {
    for (const auto& entry : fs::recursive_directory_iterator(place_.path() + "/runs")) {
      const std::string name = entry.path().filename().string();
      if (name.starts_with("kp-") && name.ends_with(".json")) return entry.path();
    }
    return {};
  }
  std::string token() const {
    std::ifstream file(allocation_file());
    return json::parse(file).at("push").at("token");
  }

  void open_gate() const { place_.write("gate", ""); }

  void expect_one_good_run(std::size_t samples = 1) const {
    const Seen seen = look();
    EXPECT_EQ(seen.state, AttemptState::succeeded) << seen.events;
    EXPECT_EQ(seen.attempts, 1U) << seen.events;
    EXPECT_EQ(seen.metrics, 1U);
    EXPECT_EQ(seen.kept_samples, samples);
    EXPECT_EQ(seen.records, 0) << "pushed records stay only while they are needed";
    EXPECT_EQ(place_.read("trace"), "begun\n");
  }

  // In no file below the place but the allocation's own.
  void expect_secret_nowhere(const std::string& secret) const {
    ASSERT_EQ(secret.size(), 64U);
    int looked_at = 0;
    for (const auto& entry : fs::recursive_directory_iterator(place_.path())) {
      if (!entry.is_regular_file() || entry.path() == allocation_file()) continue;
      if (entry.path().filename() == "key") continue;
      std::ifstream file(entry.path(), std::ios::binary);
      const std::string text{std::istreambuf_iterator<char>(file), {}};
      EXPECT_EQ(text.find(secret), std::string::npos) << entry.path();
      ++looked_at;
    }
    EXPECT_GE(looked_at, 5);
  }

  Place place_;
  std::vector<std::string> run_;
};

TEST_F(PushStudyTest, RecordsAreSeenWhileTheRunGoesOnAndCountOnceWhenItIsOver) {
  const pid_t pid = place_.start(run_);
  ASSERT_TRUE(wait_for_pushes(pid)) << place_.read("err");
  EXPECT_EQ(look().state, AttemptState::running);
  const std::string token_now = token();
  EXPECT_EQ(fs::status(allocation_file()).permissions() & fs::perms::all,
            fs::perms::owner_read | fs::perms::owner_write);
  open_gate();
  const auto ended = place_.wait(pid);
  EXPECT_EQ(ended.exit_code, 0) << ended.errors;
  EXPECT_NE(ended.errors.find("live reports: agents push to https://127.0.0.1:"), std::string::npos)
      << ended.errors;
  expect_one_good_run();
  for (const char* command : {"status", "explain r1", "report"}) {
    const std::string word = command;
    const std::size_t blank = word.find(' ');
    std::vector<std::string> arguments = {word.substr(0, blank)};
    if (blank != std::string::npos) arguments.push_back(word.substr(blank + 1));
    const auto told = place_.kneepoint(arguments);
    EXPECT_EQ(told.output.find(token_now), std::string::npos) << command;
  }
  expect_secret_nowhere(token_now);
}

TEST_F(PushStudyTest, AControllerThatIsKilledAndComesBackIsPushedToAgain) {
  const pid_t first = place_.start(run_);
  ASSERT_TRUE(wait_for_pushes(first)) << place_.read("err");
  ::kill(first, SIGKILL);
  place_.wait(first);
  const pid_t second = place_.start(run_);
  place_.write("more", "");
  ASSERT_TRUE(place_.wait_until(second, [this] { return look().samples == 2; }))
      << place_.read("err");
  open_gate();
  const auto ended = place_.wait(second);
  EXPECT_EQ(ended.exit_code, 0) << ended.errors;
  expect_one_good_run(2);
}

TEST_F(PushStudyTest, AControllerThatIsAwayForTheWholeRunMissesNothing) {
  const pid_t first = place_.start(run_);
  ASSERT_TRUE(place_.wait_until(first, [this] { return !place_.read("trace").empty(); }));
  ::kill(first, SIGKILL);
  place_.wait(first);
  open_gate();
  // The agent ends although nobody is there to push to.
  const auto second = place_.kneepoint(run_);
  EXPECT_EQ(second.exit_code, 0) << second.errors;
  expect_one_good_run();
}

TEST_F(PushStudyTest, AWrongTokenIsRefusedAndTheRunCountsAllTheSame) {
  const pid_t first = place_.start(run_);
  ASSERT_TRUE(wait_for_pushes(first)) << place_.read("err");
  ::kill(first, SIGKILL);
  place_.wait(first);
  const std::string before = token();
  const std::string key_file = place_.path() + "/kneepoint.db.push/key";
  ASSERT_TRUE(fs::exists(key_file));
  std::ofstream(key_file) << std::string(64, 'a') << "\n";
  const pid_t second = place_.start(run_);
  place_.write("more", "");
  ASSERT_TRUE(place_.wait_until(second, [this] {
    return look().events.find("wrong token") != std::string::npos;
  })) << place_.read("err");
  open_gate();
  const auto ended = place_.wait(second);
  EXPECT_EQ(ended.exit_code, 0) << ended.errors;
  const std::string name = allocation_file().stem().string();
  EXPECT_NE(ended.errors.find("wrong token"), std::string::npos) << ended.errors;
  EXPECT_NE(ended.errors.find(name), std::string::npos) << ended.errors;
  EXPECT_NE(look().events.find("for " + name + " refused: wrong token"), std::string::npos)
      << look().events;
  expect_one_good_run(2);
  expect_secret_nowhere(before);
  expect_secret_nowhere(std::string(64, 'a'));
}

TEST_F(PushStudyTest, AnAgentWithoutItsPusherReportsByItsFiles) {
  // A worker installation without kneepoint-push: the agent alone in a folder.
  const std::string folder = place_.path() + "/bin";
  fs::create_directory(folder);
  fs::copy_file(KP_BIN_DIR "/kneepoint-agent", folder + "/kneepoint-agent");
  run_.back() = place_.write("site.yaml",
                             "backend: local\nagent: " + folder + "/kneepoint-agent\npush: {}\n");
  open_gate();
  const auto ended = place_.kneepoint(run_);
  EXPECT_EQ(ended.exit_code, 0) << ended.errors;
  expect_one_good_run();
}

TEST_F(PushStudyTest, APortThatIsTakenCostsOnlyTheLiveReports) {
  const pid_t first = place_.start(run_);
  ASSERT_TRUE(wait_for_pushes(first)) << place_.read("err");
  std::ifstream file(allocation_file());
  const std::string url = json::parse(file).at("push").at("url");
  Place other;
  const auto second =
      other.kneepoint({"run", other.write("plan.yaml", R"y(study: other
worker: rank
scale: [1]
modes: [strong]
workloads:
  - name: quick
    command: [/bin/echo, t=1]
    mpi: false
    metrics: {time: {pattern: "t=([0-9.]+)", unit: s}}
repeat: 1
)y"),
                       "--site",
                       other.write("site.yaml", "backend: local\npush: {listen: \"" +
                                                    url.substr(url.rfind('/') + 1) + "\"}\n")});
  EXPECT_EQ(second.exit_code, 0) << second.errors;
  EXPECT_NE(second.errors.find("no live reports: listen on"), std::string::npos) << second.errors;
  open_gate();
  EXPECT_EQ(place_.wait(first).exit_code, 0);
}

}  // namespace
}  // namespace kneepoint
