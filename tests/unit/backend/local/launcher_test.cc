// SPDX-License-Identifier: Apache-2.0
//
// The local launcher where it refuses; what it does is in the contract suite.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>

#include "orchestrator/backend/launcher.h"

namespace kneepoint {
namespace {

constexpr Nanoseconds kNever = INT64_MAX;

class LocalLauncher : public testing::Test {
 protected:
  LocalLauncher() : path_(std::getenv("PATH")) {
    std::string folder = testing::TempDir() + "kp_local_XXXXXX";
    EXPECT_NE(::mkdtemp(folder.data()), nullptr);
    folder_ = folder;
    auto made = make_launcher({site_, system_clock(), poller_, folder_ + "/no-agent"});
    EXPECT_TRUE(made);
    launcher_ = std::move(made).value();
  }
  ~LocalLauncher() override {
    ::setenv("PATH", path_.c_str(), 1);
    std::filesystem::remove_all(folder_);
  }

  AllocationRequest request_of(StarterKind starter) {
    AllocationRequest request;
    request.name = "kp-1";
    request.directory = folder_ + "/study";
    Step step;
    step.attempt = "r1-a1";
    step.run_dir = request.directory + "/r1-a1";
    step.command.argv = {"true"};
    step.starter.kind = starter;
    request.steps = {step};
    return request;
  }

  std::string refusal(const AllocationRequest& request) {
    const auto answers = launcher_->submit({&request, 1}, kNever);
    return answers[0] ? "accepted" : answers[0].error().message;
  }

  const std::string path_;
  Site site_;
  Poller poller_;
  std::string folder_;
  std::unique_ptr<Launcher> launcher_;
};

TEST_F(LocalLauncher, MissesMpirunOnlyWhenSomethingNeedsIt) {
  ::setenv("PATH", folder_.c_str(), 1);
  EXPECT_EQ(refusal(request_of(StarterKind::mpirun)),
            "submit kp-1: mpirun is not in PATH; install Open MPI (Debian: openmpi-bin), or say "
            "`mpi: false` for workloads that are plain programs");
  EXPECT_FALSE(std::filesystem::exists(folder_ + "/study")) << "nothing was begun";
  EXPECT_EQ(refusal(request_of(StarterKind::none)),
            "submit kp-1: start '" + folder_ + "/no-agent': no such program; check the path");
}

TEST_F(LocalLauncher, TellsAnAgentThatNeverBeganFromOneThatEnded) {
  const AllocationRequest request = request_of(StarterKind::none);
  refusal(request);  // written, but no agent could be started
  const JobRef job{request.name, request.directory, "", 0};
  const auto seen = launcher_->observe({&job, 1}, kNever);
  ASSERT_TRUE(seen);
  EXPECT_EQ(seen->at(0).state, AllocationState::unknown);
  EXPECT_EQ(seen->at(0).detail, "its agent ended before it began a step; '" + request.directory +
                                    "/agent.log' may say why");
}

TEST_F(LocalLauncher, RefusesAnAllocationWithoutSteps) {
  AllocationRequest request = request_of(StarterKind::none);
  request.steps.clear();
  EXPECT_EQ(refusal(request), "submit kp-1: it has no step");
}

TEST_F(LocalLauncher, ShowsTheCommandAndItsRankfile) {
  const auto files = launcher_->emit(request_of(StarterKind::mpirun));
  ASSERT_EQ(files.size(), 3u);
  EXPECT_EQ(files[0].name, "kp-1.json");
  EXPECT_EQ(files[1].name, "kp-1.txt");
  EXPECT_EQ(files[1].content.find("# r1-a1: 1n x 1r x 1t\nmpirun -n 1 --rankfile "), 0u);
  EXPECT_EQ(files[2].content.find("rank 0=localhost slot="), 0u);
}

}  // namespace
}  // namespace kneepoint
