// SPDX-License-Identifier: Apache-2.0
//
// The loop with a spool that the test fills: pushed records are a second way home, and never count
// twice.
#include <gtest/gtest.h>

#include <algorithm>

#include "orchestrator/engine/engine.h"
#include "orchestrator/store/push_spool.h"
#include "tests/fakes/scripted_launcher.h"
#include "tests/unit/store/store_fixture.h"

namespace kneepoint {
namespace {

using Fate = ScriptedLauncher::Fate;

class PushBookTest : public ::testing::Test {
 protected:
  PushBookTest() {
    study_.plan.study = "live";
    study_.plan.repeat.min = study_.plan.repeat.max = 1;
    study_.plan.limits.retries = 0;
    study_.plan.limits.timeout = 10 * kHour;
    study_.hash8 = "0a1b2c3d";
    Point point = make_point(1);
    point.own_harness = false;
    point.metrics = {{"time", "t=([0-9.]+)", "s", "stdout"}};
    study_.points.push_back(point);
    store_ = StudyStore::open(folder_.file("k.db"), StudyStore::Access::read_write, clock_).value();
    row_ = store_->create_study(study_, site_, 1, folder_.path()).value();
    options_.lease = {"here", 1, clock_.wall()};
    options_.live.spool = folder_.file("spool");
    options_.live.target = [](const std::string& name) {
      return PushTarget{"https://here:1", "token of " + name, "ca"};
    };
    EXPECT_TRUE(store_->acquire_lease(row_.row, options_.lease, [](const Lease&) { return true; }));
    // Each job is seen running a few times, and then as the test says.
    launcher_.on_observe = [this] {
      ++looks_;
      if (on_look) on_look(looks_);
    };
    launcher_.fate = [this](const std::string&) { return looks_ < 4 ? Fate::runs_on : last_fate_; };
  }

  void push(const std::string& allocation, const std::string& attempt, const std::string& lines) {
    auto writer = SpoolWriter::open(options_.live.spool);
    ASSERT_TRUE(writer);
    ASSERT_TRUE(writer->append({{allocation, attempt, lines}}));
  }

  AttemptRow run() {
    auto outcome = run_study(*store_, row_, study_, site_, launcher_, poller_, clock_, options_);
    EXPECT_TRUE(outcome.has_value()) << outcome.error().message;
    return store_->runs(row_.row).value().front().last.value();
  }

  static std::string line(const std::string& records, int number) {
    std::size_t at = 0;
    for (int i = 0; i < number; ++i) at = records.find('\n', at) + 1;
    return records.substr(at, records.find('\n', at) + 1 - at);
  }

  const std::string allocation_ = "kp-0a1b2c3d-1-1-a1";
  const std::string records_ = good_records("r1-a1");
  TemporaryFolder folder_;
  HurryingClock clock_;
  Site site_ = make_site();
  Study study_;
  std::unique_ptr<StudyStore> store_;
  StudyRow row_;
  ScriptedLauncher launcher_;
  Poller poller_;
  EngineOptions options_;
  std::function<void(int)> on_look;
  int looks_ = 0;
  Fate last_fate_ = Fate::dies;
};

TEST_F(PushBookTest, TheAgentIsToldWhereToPush) {
  last_fate_ = Fate::succeeds;
  run();
  const PushTarget target = launcher_.requests_of.at(allocation_).push;
  EXPECT_EQ(target.url, "https://here:1");
  EXPECT_EQ(target.token, "token of " + allocation_);
}

TEST_F(PushBookTest, WhatTheNodeTookWithItWasPushedBefore) {
  on_look = [&](int look) {
    if (look == 1) push(allocation_, "r1-a1", records_);
  };
  const AttemptRow attempt = run();
  EXPECT_EQ(attempt.state, AttemptState::succeeded) << attempt.detail;
  EXPECT_EQ(store_->metrics(attempt.row).value().size(), 1U);
  EXPECT_EQ(store_->pushed_so_far(attempt.row)->records, 0) << "they have become the result";
}

TEST_F(PushBookTest, WithoutPushesTheSameRunIsLost) {
  EXPECT_EQ(run().state, AttemptState::lost);
}

TEST_F(PushBookTest, DoubledAndReorderedPushesCountOnce) {
  on_look = [&](int look) {
    if (look == 1) push(allocation_, "r1-a1", line(records_, 2));
    if (look == 2) push(allocation_, "r1-a1", line(records_, 1) + line(records_, 2));
    if (look == 3) push(allocation_, "r1-a1", records_ + line(records_, 0));
  };
  const AttemptRow attempt = run();
  EXPECT_EQ(attempt.state, AttemptState::succeeded) << attempt.detail;
  EXPECT_EQ(store_->metrics(attempt.row).value().size(), 1U);
}

TEST_F(PushBookTest, PushedAndCollectedIsStillOneRun) {
  last_fate_ = Fate::succeeds;
  on_look = [&](int look) {
    if (look == 1) push(allocation_, "r1-a1", records_);
  };
  const AttemptRow attempt = run();
  EXPECT_EQ(attempt.state, AttemptState::succeeded);
  EXPECT_EQ(store_->metrics(attempt.row).value().size(), 1U);
}

TEST_F(PushBookTest, AnotherAllocationsTokenAndUnknownAttemptsAndGarbageChangeNothing) {
  on_look = [&](int look) {
    if (look != 1) return;
    push("kp-0a1b2c3d-1-2-a1", "r1-a1", records_);
    push(allocation_, "r7-a1", records_);
    push(allocation_, "r1-a1", "garbage\n{\"v\":1}\n\n");
  };
  EXPECT_EQ(run().state, AttemptState::lost);
}

TEST_F(PushBookTest, AnAttemptWhoseRecordsArriveIsRunningWithSamplesSoFar) {
  launcher_.fate = [this](const std::string&) { return looks_ < 4 ? Fate::waits : Fate::succeeds; };
  AttemptState seen = AttemptState::planned;
  int samples = 0;
  on_look = [&](int look) {
    const AttemptRow attempt = store_->runs(row_.row).value().front().last.value();
    if (look == 1) {
      push(allocation_, "r1-a1", line(records_, 0) + record::to_line(1, record::Sample{}));
    } else if (look == 3) {
      seen = attempt.state;
      samples = store_->pushed_so_far(attempt.row)->samples;
    }
  };
  run();
  EXPECT_EQ(seen, AttemptState::running);
  EXPECT_EQ(samples, 1);
}

TEST_F(PushBookTest, WhatTheEndpointHasToTellIsInTheStory) {
  last_fate_ = Fate::succeeds;
  bool told = false;
  options_.live.news = [&]() -> std::vector<std::string> {
    if (told) return {};
    told = true;
    return {"1 push for kp-x refused: wrong token"};
  };
  run();
  const auto events = store_->events(row_.row, 0).value();
  EXPECT_TRUE(std::any_of(events.begin(), events.end(), [](const Event& event) {
    return event.kind == "push" && event.text == "1 push for kp-x refused: wrong token";
  }));
}

}  // namespace
}  // namespace kneepoint
