// SPDX-License-Identifier: Apache-2.0
//
// The simulated launcher as a whole: what the contract does not ask of every backend.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <map>

#include "agents/wire/record.h"
#include "orchestrator/backend/launcher.h"

namespace kneepoint {
namespace {

constexpr Nanoseconds kNoDeadline = INT64_MAX;

class SimulatedLauncher : public testing::Test {
 protected:
  SimulatedLauncher() {
    std::string folder = testing::TempDir() + "kp_simulated_XXXXXX";
    EXPECT_NE(::mkdtemp(folder.data()), nullptr);
    folder_ = folder;
    site_.backend = BackendKind::simulated;
  }
  ~SimulatedLauncher() override { std::filesystem::remove_all(folder_); }

  std::unique_ptr<Launcher> make() {
    auto made = make_launcher({site_, system_clock(), poller_, "/no/agent"});
    EXPECT_TRUE(made);
    return std::move(made).value();
  }

  AllocationRequest request_of(int run, const std::string& directory, int nodes = 1) {
    AllocationRequest request;
    request.name = "kp-0123abcd-1-" + std::to_string(run) + "-a1";
    request.directory = directory;
    request.shape.nodes = nodes;
    Step step;
    step.attempt = "r" + std::to_string(run) + "-a1";
    step.identity = "point/" + std::to_string(run);
    step.modelled_seconds = 1 + 0.001 * (run % 97);
    step.shape.nodes = step.shape.ranks = nodes;
    request.steps = {step};
    return request;
  }

  // Time and outcome of every run: what must not depend on anything but the plan and the seed.
  std::map<std::string, std::string> drive(const std::string& directory, int runs,
                                           int restart_every) {
    std::map<std::string, std::string> told;
    auto launcher = make();
    std::vector<AllocationRequest> requests;
    for (int i = 1; i <= runs; ++i) requests.push_back(request_of(i, directory, 1 + i % 3));
    std::vector<JobRef> open;
    for (const auto& answer : launcher->submit(requests, kNoDeadline))
      open.push_back(answer.value());
    for (int events = 0; !open.empty(); ++events) {
      if (restart_every > 0 && events % restart_every == 0) launcher = make();
      std::vector<JobRef> still;
      const auto all = launcher->observe(open, kNoDeadline).value();
      for (const auto& seen : all) {
        EXPECT_NE(seen.state, AllocationState::unknown);
        if (seen.state != AllocationState::ended) {
          still.push_back(seen.job);
          continue;
        }
        const auto artifacts = launcher->collect(seen.job, kNoDeadline).value();
        const auto records = record::parse(artifacts.steps[0].records);
        told[seen.job.name] = std::to_string(seen.ended_ns) + "/" + to_string(seen.reason) + "/" +
                              artifacts.steps[0].records;
        EXPECT_TRUE(records.problems.empty());
      }
      open = std::move(still);
    }
    return told;
  }

  Site site_;
  Poller poller_;
  std::string folder_;
};

TEST_F(SimulatedLauncher, IsTheSameHoweverOftenItIsStartedAgain) {
  site_.simulated = {.nodes = 5, .noise = 0.1, .failure_rate = 0.3, .queue_wait_seconds = 10};
  const auto undisturbed = drive(folder_ + "/a", 40, 0);
  ASSERT_EQ(undisturbed.size(), 40u);
  EXPECT_EQ(drive(folder_ + "/b", 40, 1), undisturbed);
  EXPECT_EQ(drive(folder_ + "/c", 40, 3), undisturbed);
}

TEST_F(SimulatedLauncher, KeepsItsPastWhenTheSiteFileChanges) {
  auto launcher = make();
  const auto request = request_of(1, folder_ + "/s");
  const JobRef job = launcher->submit({&request, 1}, kNoDeadline)[0].value();
  ASSERT_TRUE(launcher->observe({&job, 1}, kNoDeadline));
  site_.simulated.seed = 99;
  site_.simulated.noise = 0.5;
  site_.simulated.nodes = 64;
  launcher = make();
  const Observation seen = launcher->observe({&job, 1}, kNoDeadline)->at(0);
  EXPECT_EQ(seen.state, AllocationState::ended);
  EXPECT_EQ(seen.ended_ns - seen.started_ns, from_seconds(1.001));
  const auto big = request_of(2, folder_ + "/s", 20);
  const auto refused = launcher->submit({&big, 1}, kNoDeadline)[0];
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message,
            "submit kp-0123abcd-1-2-a1: it asks for 20 nodes and the simulated cluster has 16, "
            "the size it was made with; `run --new` makes one of the size the site says now");
}

TEST_F(SimulatedLauncher, RefusesWhatItCanNotRun) {
  auto launcher = make();
  auto request = request_of(1, folder_, 17);
  EXPECT_EQ(launcher->submit({&request, 1}, kNoDeadline)[0].error().message,
            "submit kp-0123abcd-1-1-a1: it asks for 17 nodes and the simulated cluster has 16; "
            "raise simulated.nodes of the site");
  request = request_of(1, folder_);
  request.steps[0].modelled_seconds = INFINITY;
  EXPECT_EQ(launcher->submit({&request, 1}, kNoDeadline)[0].error().code, ErrorCode::invalid);
  request.steps.clear();
  EXPECT_EQ(launcher->submit({&request, 1}, kNoDeadline)[0].error().code, ErrorCode::invalid);
}

TEST_F(SimulatedLauncher, TakesThousandsOfRunsInFewLooks) {
  site_.simulated.nodes = 4096;
  site_.simulated.noise = 0.05;
  const Nanoseconds before = system_clock().steady();
  auto launcher = make();
  std::vector<JobRef> open;
  constexpr int kRuns = 2000;
  int submitted = 0, ended = 0, looks = 0;
  while (ended < kRuns) {
    std::vector<AllocationRequest> requests;
    while (submitted < kRuns && open.size() + requests.size() < 256) {
      ++submitted;
      requests.push_back(request_of(submitted, folder_, 1 << (submitted % 13)));
    }
    for (const auto& answer : launcher->submit(requests, kNoDeadline))
      open.push_back(answer.value());
    std::vector<JobRef> still;
    ++looks;
    auto all = launcher->observe(open, kNoDeadline).value();
    for (auto& seen : all) {
      if (seen.state != AllocationState::ended) {
        still.push_back(std::move(seen.job));
      } else {
        ASSERT_FALSE(launcher->collect(seen.job, kNoDeadline)->steps[0].records.empty());
        ++ended;
      }
    }
    open = std::move(still);
  }
  const Nanoseconds ran = system_clock().steady();
  launcher = make();
  const auto job = JobRef{request_of(1, folder_).name, folder_, "", 0};
  EXPECT_EQ(launcher->observe({&job, 1}, kNoDeadline)->at(0).state, AllocationState::ended);
  const Nanoseconds replayed = system_clock().steady();
  RecordProperty("looks", looks);
  RecordProperty("run_ms", static_cast<int>((ran - before) / kMillisecond));
  RecordProperty("replay_ms", static_cast<int>((replayed - ran) / kMillisecond));
  EXPECT_LT(looks, 200);
  EXPECT_LT(std::filesystem::file_size(folder_ + "/simulated.journal"), 300u * kRuns);
}

}  // namespace
}  // namespace kneepoint
