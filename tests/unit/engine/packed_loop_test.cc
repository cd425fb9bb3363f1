// SPDX-License-Identifier: Apache-2.0
//
// The loop with packed allocations, on a scripted launcher: two points of three repeats, six runs.
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>

#include "orchestrator/engine/engine.h"
#include "orchestrator/engine/requests.h"
#include "tests/fakes/scripted_launcher.h"
#include "tests/unit/store/store_fixture.h"

namespace kneepoint {
namespace {

using Fate = ScriptedLauncher::Fate;

class PackedLoop : public ::testing::Test {
 protected:
  PackedLoop() {
    study_.plan.study = "packed";
    study_.plan.repeat.min = study_.plan.repeat.max = 3;
    study_.plan.limits.retries = 1;
    study_.hash8 = "0a1b2c3d";
    for (const int k : {1, 2}) {
      Point point = make_point(k);
      point.shape.nodes = k;
      point.own_harness = false;
      point.metrics = {{"time", "t=([0-9.]+)", "s", "stdout"}};
      study_.points.push_back(point);
    }
    site_.packing.mode = PackingMode::packed;
    store_ = StudyStore::open(folder_.file("k.db"), StudyStore::Access::read_write, clock_).value();
    row_ = store_->create_study(study_, site_, 1, folder_.path()).value();
    options_.lease = {"here", 1, clock_.wall()};
    EXPECT_TRUE(store_->acquire_lease(row_.row, options_.lease, [](const Lease&) { return true; }));
  }

  EngineOutcome run() {
    auto outcome = run_study(*store_, row_, study_, site_, launcher_, poller_, clock_, options_);
    EXPECT_TRUE(outcome.has_value()) << outcome.error().message;
    return outcome ? *outcome : EngineOutcome{};
  }

  AttemptRow newest(int number) {
    const std::vector<RunRow> runs = store_->runs(row_.row).value();
    for (const RunRow& run : runs) {
      if (run.number == number && run.last) return *run.last;
    }
    ADD_FAILURE() << "r" << number << " has no attempt";
    return {};
  }

  std::vector<int> attempts() {
    std::vector<int> counts;
    for (const RunRow& run : store_->runs(row_.row).value()) counts.push_back(run.attempts);
    return counts;
  }

  std::string story_of(int number) {
    std::string text;
    for (const Event& event : store_->events(row_.row, number).value()) text += event.text + "\n";
    return text;
  }

  static std::string name(const std::string& rest = "1-a1") { return "kp-0a1b2c3d-1-" + rest; }

  TemporaryFolder folder_;
  HurryingClock clock_;
  Site site_ = make_site();
  Study study_;
  std::unique_ptr<StudyStore> store_;
  StudyRow row_;
  ScriptedLauncher launcher_;
  Poller poller_;
  EngineOptions options_;
};

TEST_F(PackedLoop, AllRunsGoInOneAllocationAndEachKeepsItsOwnOutcome) {
  const EngineOutcome outcome = run();
  EXPECT_EQ(outcome.end, EngineEnd::finished);
  EXPECT_EQ(outcome.succeeded, 6);
  ASSERT_EQ(launcher_.calls, std::vector<std::string>{name()});
  const AllocationRequest& request = launcher_.requests_of[name()];
  EXPECT_EQ(request.steps.size(), 6U);
  EXPECT_EQ(request.shape.nodes, 2);
  EXPECT_EQ(request.limit, 6 * (study_.plan.limits.timeout + kStepMargin));
  EXPECT_NE(story_of(1).find("step 1 of 6"), std::string::npos) << story_of(1);
}

TEST_F(PackedLoop, KilledInStepThreeTwoAreDoneOneIsLostAndTheRestGoesAgain) {
  launcher_.steps_done = 2;
  launcher_.fate = [](const std::string& job) {
    return job == name() ? Fate::dies : Fate::succeeds;
  };
  EXPECT_EQ(run().succeeded, 6);
  ASSERT_EQ(launcher_.calls.size(), 2U);
  // The lost one is tried again under a new number; the three behind it are still a1.
  std::vector<std::string> second = launcher_.steps_of[launcher_.calls[1]];
  std::sort(second.begin(), second.end());
  EXPECT_EQ(second, (std::vector<std::string>{"r3-a2", "r4-a1", "r5-a1", "r6-a1"}));
  std::vector<int> tried = attempts();
  std::sort(tried.begin(), tried.end());
  EXPECT_EQ(tried, (std::vector<int>{1, 1, 1, 1, 1, 2}));
}

TEST_F(PackedLoop, StepsThatEndAreKnownBeforeTheirAllocationEnds) {
  launcher_.steps_done = 0;
  int looks = 0;
  int seen_done = -1;
  options_.on_progress = [&](const Progress& p) {
    if (looks == 4) seen_done = p.done;
  };
  launcher_.on_observe = [&] {
    ++looks;
    launcher_.steps_done = static_cast<std::size_t>(std::min(looks, 5));
  };
  launcher_.fate = [&](const std::string&) { return looks < 6 ? Fate::runs_on : Fate::succeeds; };
  EXPECT_EQ(run().succeeded, 6);
  EXPECT_GE(seen_done, 1);
  EXPECT_LT(seen_done, 6);
  EXPECT_EQ(launcher_.calls.size(), 1U);
}

TEST_F(PackedLoop, AnAllocationThatNeverBeginsIsHandedOverThreeTimesThenItsRunsAreLost) {
  study_.plan.limits.retries = 0;
  launcher_.fate = [](const std::string&) { return Fate::never_begins; };
  const EngineOutcome outcome = run();
  EXPECT_EQ(outcome.failed, 6);
  EXPECT_EQ(launcher_.calls.size(), 3U);
  EXPECT_EQ(newest(6).state, AttemptState::lost);
}

TEST_F(PackedLoop, ManyAllocationsThatEndEarlyCostTheStepsBehindNoAttempt) {
  study_.plan.limits.retries = 6;
  launcher_.steps_done = 1;  // one ends, the next one dies, again and again
  launcher_.fate = [&](const std::string& job) {
    return launcher_.steps_of[job].size() > 1 ? Fate::dies : Fate::succeeds;
  };
  EXPECT_EQ(run().succeeded, 6);
  EXPECT_GE(launcher_.calls.size(), 5U);
  EXPECT_EQ(newest(6).state, AttemptState::succeeded);
}

TEST_F(PackedLoop, ARefusedAllocationFailsItsRunsWithTheBackendsWords) {
  study_.plan.limits.retries = 6;
  launcher_.steps_done = 1;  // one ends, the next one dies; what is left is refused
  launcher_.fate = [](const std::string&) { return Fate::dies; };
  launcher_.refuse = [&](const std::string&) -> std::optional<Error> {
    if (launcher_.calls.size() < 2) return std::nullopt;
    return Error{ErrorCode::invalid, "no such partition"};
  };
  const EngineOutcome outcome = run();
  EXPECT_EQ(outcome.succeeded, 1);
  EXPECT_EQ(outcome.failed, 5);
  EXPECT_EQ(launcher_.calls.size(), 2U) << "another attempt would be refused as well";
  EXPECT_EQ(newest(4).reason, Reason::submit_refused);
  EXPECT_EQ(newest(4).detail, "no such partition");
}

TEST_F(PackedLoop, AnUnansweredSubmitIsAskedAgainUnderTheSameNameWithTheSameSteps) {
  int unanswered = 3;
  launcher_.refuse = [&](const std::string&) -> std::optional<Error> {
    if (unanswered-- <= 0) return std::nullopt;
    return Error{ErrorCode::timeout, "no answer"};
  };
  EXPECT_EQ(run().succeeded, 6);
  EXPECT_EQ(launcher_.calls, std::vector<std::string>(4, name()));
  EXPECT_EQ(launcher_.steps_of[name()].size(), 6U);
}

TEST_F(PackedLoop, ASecondInterruptCancelsTheAllocationOnceAndResumingRunsTheRest) {
  ASSERT_TRUE(poller_.take_signals());
  int looks = 0;
  launcher_.steps_done = 2;
  launcher_.fate = [](const std::string&) { return Fate::runs_on; };
  launcher_.on_observe = [&] {
    if (++looks <= 2) ::raise(SIGTERM);
  };
  EXPECT_EQ(run().end, EngineEnd::interrupted);
  EXPECT_EQ(launcher_.cancelled, std::set<std::string>{name()});
  launcher_.fate = [](const std::string&) { return Fate::succeeds; };
  const EngineOutcome second = run();
  EXPECT_EQ(second.end, EngineEnd::finished);
  EXPECT_EQ(second.succeeded, 6);
  EXPECT_EQ(newest(1).number, 1) << "what had ended is not done again";
  EXPECT_EQ(newest(6).number, 2) << "what was cancelled is tried again at no cost";
}

TEST_F(PackedLoop, TheNetEndsTheStepThatHangsAndNotTheOnesBehindIt) {
  study_.plan.limits.timeout = kMinute;
  study_.plan.limits.retries = 0;
  site_.packing.limit = 10 * kMinute;  // the scripted job is seen to run for an hour
  launcher_.steps_done = 2;
  launcher_.fate = [](const std::string& job) {
    return job == name() ? Fate::runs_on : Fate::succeeds;
  };
  const EngineOutcome outcome = run();
  EXPECT_EQ(outcome.succeeded, 5);
  EXPECT_EQ(outcome.failed, 1);
  EXPECT_EQ(newest(3).state, AttemptState::timed_out);
}

TEST_F(PackedLoop, TwoAllocationsAtOnceShareTheRunsInWholeRepeats) {
  site_.packing.allocations = 2;
  EXPECT_EQ(run().succeeded, 6);
  EXPECT_EQ(launcher_.calls.size(), 2U);
  for (const std::string& call : launcher_.calls) EXPECT_EQ(launcher_.steps_of[call].size(), 3U);
}

TEST_F(PackedLoop, TheWholeAllocationIsPaidForWhileAnyOfItsStepsRuns) {
  double spent = 0;
  options_.on_progress = [&](const Progress& p) { spent = p.node_seconds; };
  run();
  EXPECT_DOUBLE_EQ(spent, 6 * 1.0 * 2) << "six steps of a second, two nodes each time";
}

}  // namespace
}  // namespace kneepoint
