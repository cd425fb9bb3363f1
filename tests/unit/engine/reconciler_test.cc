// SPDX-License-Identifier: Apache-2.0
//
// The loop on a scripted launcher and a clock that moves on by itself: no process, no wait.
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>

#include "orchestrator/engine/engine.h"
#include "tests/fakes/scripted_launcher.h"
#include "tests/unit/store/store_fixture.h"

namespace kneepoint {
namespace {

using Fate = ScriptedLauncher::Fate;

class ReconcilerTest : public ::testing::Test {
 protected:
  ReconcilerTest() {
    study_.plan.study = "loop";
    study_.plan.repeat.min = study_.plan.repeat.max = 2;
    study_.plan.limits.retries = 0;
    study_.hash8 = "0a1b2c3d";
    for (const int k : {1, 2}) {
      Point point = make_point(k);
      point.own_harness = false;
      point.metrics = {{"time", "t=([0-9.]+)", "s", "stdout"}};
      study_.points.push_back(point);
    }
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

  std::string state() { return store_->find_study("loop").value().state; }

  static std::string name(int number, const std::string& rest = "-a1") {
    return "kp-0a1b2c3d-1-" + std::to_string(number) + rest;
  }

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

TEST_F(ReconcilerTest, EveryRunIsSubmittedOnceAndTheStudyIsFinished) {
  const EngineOutcome outcome = run();
  EXPECT_EQ(outcome.end, EngineEnd::finished);
  EXPECT_EQ(outcome.succeeded, 4);
  EXPECT_EQ(outcome.failed, 0);
  EXPECT_EQ(launcher_.calls.size(), 4U);
  EXPECT_EQ(launcher_.accepted.size(), 4U);
  EXPECT_EQ(state(), "finished");
}

TEST_F(ReconcilerTest, ARefusedRunFailsAndTheOthersGoOn) {
  launcher_.refuse = [](const std::string& job) -> std::optional<Error> {
    if (job != name(1)) return std::nullopt;
    return Error{ErrorCode::invalid, "no such partition"};
  };
  const EngineOutcome outcome = run();
  EXPECT_EQ(outcome.succeeded, 3);
  EXPECT_EQ(outcome.failed, 1);
  EXPECT_EQ(newest(1).reason, Reason::submit_refused);
  EXPECT_EQ(newest(1).detail, "no such partition");
}

TEST_F(ReconcilerTest, AnUnansweredSubmitIsAskedAgainUnderTheSameName) {
  int unanswered = 3;
  launcher_.refuse = [&](const std::string& job) -> std::optional<Error> {
    if (job != name(2) || unanswered-- <= 0) return std::nullopt;
    return Error{ErrorCode::timeout, "no answer"};
  };
  EXPECT_EQ(run().succeeded, 4);
  EXPECT_EQ(std::count(launcher_.calls.begin(), launcher_.calls.end(), name(2)), 4);
  EXPECT_EQ(launcher_.accepted[name(2)], 1);
  EXPECT_EQ(newest(2).number, 1);
  EXPECT_EQ(newest(2).submissions, 1);
}

TEST_F(ReconcilerTest, AStepThatNeverBeginsIsHandedOverThreeTimesUnderNamesOfItsOwn) {
  launcher_.fate = [](const std::string& job) {
    return job.starts_with(name(3)) ? Fate::never_begins : Fate::succeeds;
  };
  EXPECT_EQ(run().failed, 1);
  for (const char* rest : {"-a1", "-a1-s2", "-a1-s3"}) {
    EXPECT_EQ(launcher_.accepted[name(3, rest)], 1) << rest;
  }
  EXPECT_EQ(launcher_.accepted.size(), 6U);
  EXPECT_EQ(newest(3).state, AttemptState::lost);
  EXPECT_EQ(newest(3).number, 1);
}

TEST_F(ReconcilerTest, ALostAttemptIsTriedAgainAsOftenAsThePlanSays) {
  study_.plan.limits.retries = 1;
  launcher_.fate = [](const std::string& job) {
    return job.starts_with(name(3, "-a")) ? Fate::never_begins : Fate::succeeds;
  };
  EXPECT_EQ(run().failed, 1);
  EXPECT_EQ(newest(3).number, 2);
}

TEST_F(ReconcilerTest, AWaitBeyondTheLimitEndsTheRun) {
  study_.plan.limits.queue_wait = kMinute;
  launcher_.fate = [](const std::string& job) {
    return job == name(1) ? Fate::waits : Fate::succeeds;
  };
  const EngineOutcome outcome = run();
  EXPECT_EQ(outcome.end, EngineEnd::finished);
  EXPECT_EQ(outcome.failed, 1);
  EXPECT_TRUE(launcher_.cancelled.contains(name(1)));
  EXPECT_EQ(newest(1).reason, Reason::pending_too_long);
}

TEST_F(ReconcilerTest, ARunThatItsAgentDoesNotEndIsEndedByTheNet) {
  study_.plan.limits.timeout = kMinute;
  launcher_.fate = [](const std::string& job) {
    return job == name(4) ? Fate::runs_on : Fate::succeeds;
  };
  EXPECT_EQ(run().failed, 1);
  EXPECT_TRUE(launcher_.cancelled.contains(name(4)));
  EXPECT_EQ(newest(4).state, AttemptState::timed_out);
  EXPECT_EQ(newest(4).reason, Reason::time_limit);
}

TEST_F(ReconcilerTest, ARequestToCancelEndsTheActiveRunsUnfinished) {
  launcher_.fate = [](const std::string&) { return Fate::waits; };
  int looks = 0;
  launcher_.on_observe = [&] {
    if (++looks > 1) return;
    EXPECT_TRUE(store_->put_request(row_.row, RequestKind::cancel));
  };
  EXPECT_EQ(run().end, EngineEnd::cancelled);
  EXPECT_EQ(launcher_.cancelled.size(), 2U);
  EXPECT_EQ(newest(1).state, AttemptState::cancelled);
  EXPECT_EQ(state(), "cancelled");
}

TEST_F(ReconcilerTest, AnInterruptLetsTheActiveRunsEndAndResumingDoesTheRest) {
  ASSERT_TRUE(poller_.take_signals());
  int looks = 0;
  launcher_.on_observe = [&] {
    if (++looks == 1) ::raise(SIGINT);
  };
  launcher_.fate = [&](const std::string&) { return looks == 1 ? Fate::runs_on : Fate::succeeds; };
  const EngineOutcome first = run();
  EXPECT_EQ(first.end, EngineEnd::interrupted);
  EXPECT_EQ(first.succeeded, 2);
  EXPECT_EQ(state(), "interrupted");

  EXPECT_EQ(run().end, EngineEnd::finished);
  EXPECT_EQ(launcher_.accepted.size(), 4U);
  for (const auto& [job, times] : launcher_.accepted) EXPECT_EQ(times, 1) << job;
}

TEST_F(ReconcilerTest, ASecondInterruptCancelsWhatIsActiveAndResumingRunsItAgain) {
  ASSERT_TRUE(poller_.take_signals());
  int looks = 0;
  launcher_.fate = [](const std::string&) { return Fate::waits; };
  launcher_.on_observe = [&] {
    if (++looks <= 2) ::raise(SIGTERM);
  };
  EXPECT_EQ(run().end, EngineEnd::interrupted);
  EXPECT_EQ(launcher_.cancelled.size(), 2U);
  EXPECT_EQ(newest(1).state, AttemptState::cancelled);

  launcher_.fate = [](const std::string&) { return Fate::succeeds; };
  EXPECT_EQ(run().succeeded, 4);  // what was cancelled has cost no try, with no retries allowed
  EXPECT_EQ(newest(1).number, 2);
}

TEST_F(ReconcilerTest, TheBudgetStopsWhatWouldPassIt) {
  study_.points.resize(1);  // two runs, each expected to take 1.25 node-seconds
  study_.plan.limits.node_hours = 1.5 / 3600;
  const EngineOutcome outcome = run();
  EXPECT_EQ(outcome.end, EngineEnd::over_budget);
  EXPECT_EQ(outcome.succeeded, 1);
  EXPECT_EQ(state(), "interrupted");
}

}  // namespace
}  // namespace kneepoint
