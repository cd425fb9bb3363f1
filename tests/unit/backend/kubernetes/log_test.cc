// SPDX-License-Identifier: Apache-2.0
//
// Pod 0's log as it may come: followed, broken off, rotated, read again.
#include "orchestrator/backend/kubernetes/session.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "tests/fakes/scripted_kube.h"

namespace kneepoint {
namespace {

class Log : public testing::Test {
 protected:
  Log() {
    std::string folder = testing::TempDir() + "kp_kube_log_XXXXXX";
    EXPECT_NE(::mkdtemp(folder.data()), nullptr);
    folder_ = folder;
    log_ = std::make_unique<KubeLog>(
        "p-0", std::vector<KnownStep>{{"r1-a1", folder_ + "/r1-a1"}, {"r2-a1", folder_ + "/r2"}});
    // Ten lines of the agent's: one of r1-a1's records each.
    for (int i = 0; i < 10; ++i) {
      const std::string line = "line " + std::to_string(i) + "\n";
      lines_.push_back(writer_.append("r1-a1/records.ndjson", line));
    }
  }
  ~Log() override {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }

  std::string lines(int from, int to) const {
    std::string text;
    for (int i = from; i < to; ++i) text += lines_[static_cast<std::size_t>(i)];
    return text;
  }
  void follow() { ASSERT_TRUE(log_->follow(kube_, "perf")); }
  bool read_whole(const std::string& text, int status = 200) {
    kube_.answers.push_back({status, text});
    const auto there = log_->read_whole(kube_, "perf", 0);
    EXPECT_TRUE(there) << there.error().message;
    return there && *there;
  }
  // How many of the ten lines are stored, as they were written.
  int stored() const {
    std::ifstream file(folder_ + "/r1-a1/records.ndjson");
    int count = 0;
    for (std::string line; std::getline(file, line); ++count) {
      EXPECT_EQ(line, "line " + std::to_string(count));
    }
    return count;
  }

  std::string folder_;
  ScriptedKube kube_;
  std::unique_ptr<KubeLog> log_;
  record::FrameWriter writer_;
  std::vector<std::string> lines_;
};

TEST_F(Log, IsFollowedAsItComesAndTheRunHasBegunWithItsFirstLine) {
  kube_.streams.push_back({{"", 0}, {lines(0, 2) + lines_[2].substr(0, 9)}, {lines_[2].substr(9)}});
  follow();
  EXPECT_FALSE(std::filesystem::exists(folder_ + "/r1-a1"));
  follow();
  EXPECT_EQ(stored(), 2);
  follow();
  EXPECT_EQ(stored(), 3);
  EXPECT_EQ(kube_.follows,
            (std::vector<std::string>{
                "/api/v1/namespaces/perf/pods/p-0/log?container=agent&follow=true"}));
}

TEST_F(Log, AFollowThatBreaksOffIsResumedWithoutALineTwice) {
  kube_.streams.push_back({{lines(0, 4) + lines_[4].substr(0, 5)}, {"", 200, false, true}});
  kube_.streams.push_back({{lines(0, 7)}, {lines(7, 10), 200, true}});
  follow();
  EXPECT_EQ(stored(), 4);
  follow();  // broken
  EXPECT_FALSE(log_->is_followed());
  follow();
  EXPECT_EQ(stored(), 7);
  follow();
  EXPECT_EQ(stored(), 10);
  follow();  // it has ended: not asked for again
  EXPECT_EQ(kube_.follows.size(), 2U);
}

TEST_F(Log, WhatWasRotatedAwayIsKnownIfItWasFollowed) {
  kube_.streams.push_back({{lines(0, 6)}, {"", 200, false, true}});
  follow();
  follow();
  EXPECT_TRUE(read_whole(lines(4, 10)));
  EXPECT_EQ(stored(), 10);
  EXPECT_FALSE(log_->has_gap());
}

TEST_F(Log, ARotationThatNobodySawIsAGapAndNothingIsMadeUp) {
  kube_.streams.push_back({{lines(0, 3)}, {"", 200, false, true}});
  follow();
  follow();
  EXPECT_TRUE(read_whole(lines(6, 10)));
  EXPECT_TRUE(log_->has_gap());
  EXPECT_EQ(stored(), 3);
  EXPECT_TRUE(read_whole(lines(2, 10))) << "an older file of the log, while it is there";
  EXPECT_EQ(stored(), 10);
}

TEST_F(Log, AMangledLineIsNotBelieved) {
  std::string mangled = lines_[1];
  mangled[mangled.size() - 3] ^= 1;
  EXPECT_TRUE(read_whole(lines_[0] + mangled + lines(2, 10)));
  EXPECT_EQ(stored(), 1);
  EXPECT_TRUE(log_->has_gap());
  EXPECT_TRUE(read_whole(lines(0, 10)));
  EXPECT_EQ(stored(), 10);
}

TEST_F(Log, WordsOfOthersAreLeftAloneAndNoFileClimbsOut) {
  EXPECT_TRUE(read_whole(
      "warning: from a library\n" + lines(0, 1) + writer_.append("r1-a1/../../evil", "x\n") +
      writer_.append("r9-a9/records.ndjson", "x\n") + writer_.append("r1-a1/.hidden", "x\n")));
  EXPECT_EQ(stored(), 1);
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder_)) {
    files += entry.is_regular_file() ? 1 : 0;
  }
  EXPECT_EQ(files, 1U);
}

TEST_F(Log, APodWhoseLogIsGoneOrNotThereYetSaysSo) {
  EXPECT_FALSE(read_whole(R"({"kind":"Status","code":404})", 404));
  EXPECT_FALSE(read_whole(R"({"kind":"Status","code":400,"message":"ContainerCreating"})", 400));
  kube_.answers.push_back({500, "etcdserver: request timed out"});
  EXPECT_FALSE(log_->read_whole(kube_, "perf", 0)) << "trouble is no answer";
}

}  // namespace
}  // namespace kneepoint
