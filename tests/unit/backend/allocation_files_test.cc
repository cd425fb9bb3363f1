// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/backend/allocation_files.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>

#include "agents/wire/allocation.h"
#include "orchestrator/io/poller.h"
#include "orchestrator/io/subprocess.h"
#include "tests/fakes/patience.h"

namespace kneepoint {
namespace {

class LocalFiles : public testing::Test {
 protected:
  LocalFiles() {
    std::string folder = testing::TempDir() + "kp_local_files_XXXXXX";
    EXPECT_NE(::mkdtemp(folder.data()), nullptr);
    folder_ = folder;
  }
  ~LocalFiles() override { std::filesystem::remove_all(folder_); }
  std::string folder_;
};

TEST(AllocationText, TellsTheNextControllerWhatItNeeds) {
  AllocationFile file;
  file.cpus = {3};
  file.steps = {StepSpec{"r1-a1", "/w/r1-a1", {"x"}}};
  const auto known = read_back_allocation(allocation_text(file));
  ASSERT_TRUE(known);
  EXPECT_EQ(known->cpus, std::vector<int>{3});
  ASSERT_EQ(known->steps.size(), 1u);
  EXPECT_EQ(known->steps[0].attempt, "r1-a1");
  EXPECT_EQ(known->steps[0].run_dir, "/w/r1-a1");
  EXPECT_FALSE(read_back_allocation(""));
  EXPECT_FALSE(read_back_allocation("{\"v\":1}"));
  EXPECT_FALSE(read_back_allocation("[1]"));
}

TEST_F(LocalFiles, SeesTheLockOfAnotherDescription) {
  const std::string path = folder_ + "/a.json";
  ASSERT_TRUE(write_whole_file(path, "{}"));
  EXPECT_FALSE(is_locked(path));
  EXPECT_FALSE(is_locked(path + ".missing"));
  const int fd = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
  struct flock whole {};
  whole.l_type = F_WRLCK;
  ASSERT_EQ(::fcntl(fd, F_OFD_SETLK, &whole), 0);
  EXPECT_TRUE(is_locked(path));
  ::close(fd);
  EXPECT_FALSE(is_locked(path));
}

TEST_F(LocalFiles, FindsAnAgentByItsAllocationFile) {
  const std::string path = folder_ + "/kp-1.json";
  EXPECT_TRUE(find_agents(path).empty());
  SpawnOptions options;
  // Ends as an agent's does; what it forks has the same command line.
  options.argv = {"sh", "-c", "(: >\"$1\".forked; while :; do sleep 60; done); :", "run", path};
  options.new_session = true;
  const auto pid = spawn(options);
  ASSERT_TRUE(pid);
  // The kernel shows the command line a moment after the program was started.
  Poller poller;
  const Nanoseconds until = system_clock().steady() + kPatience;
  while ((find_agents(path).empty() || !path_exists(path + ".forked")) &&
         system_clock().steady() < until) {
    EXPECT_TRUE(poller.wait(kMillisecond));
  }
  const auto found = find_agents(path);
  EXPECT_TRUE(find_agents(folder_ + "/kp-2.json").empty());
  ::kill(-*pid, SIGKILL);
  ::waitpid(*pid, nullptr, 0);
  ASSERT_EQ(found.size(), 1u) << "a fork before its exec is no agent";
  EXPECT_EQ(found[0].pid, *pid);
}

TEST_F(LocalFiles, WhatIsWithdrawnStaysSoAndWhatIsHeldCannotBe) {
  const std::string path = folder_ + "/kp-1.json";
  ASSERT_TRUE(write_whole_file(path, "{}"));
  const int fd = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
  struct flock whole {};
  whole.l_type = F_WRLCK;
  ASSERT_EQ(::fcntl(fd, F_OFD_SETLK, &whole), 0);
  auto withdrawn = withdraw(path);
  ASSERT_TRUE(withdrawn) << withdrawn.error().message;
  EXPECT_FALSE(*withdrawn);
  EXPECT_FALSE(is_withdrawn(path));
  ::close(fd);
  for (int again = 0; again < 2; ++again) {
    withdrawn = withdraw(path);
    ASSERT_TRUE(withdrawn) << withdrawn.error().message;
    EXPECT_TRUE(*withdrawn);
    EXPECT_TRUE(is_withdrawn(path));
  }
  EXPECT_FALSE(is_locked(path)) << "an agent may come, see and go";
  EXPECT_EQ(**read_file_if_there(path, 100), "{}") << "an allocation file is never rewritten";
  withdrawn = withdraw(path + ".missing");
  ASSERT_TRUE(withdrawn) << withdrawn.error().message;
  EXPECT_TRUE(*withdrawn);
}

}  // namespace
}  // namespace kneepoint
