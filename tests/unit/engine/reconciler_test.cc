// SPDX-License-Identifier: Apache-2.0
//
// The loop on a scripted launcher and a clock that moves on by itself: no process, no wait.
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <set>

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

TEST_F(ReconcilerTest, ASiteThatRefusesEverythingEndsTheStudyWithItsFirstSentenceAndFailsNothing) {
  bool refuses = true;
  launcher_.refuse = [&](const std::string&) -> std::optional<Error> {
    if (!refuses) return std::nullopt;
    return Error{ErrorCode::invalid, "no such account"};
  };
  const auto ended = run_study(*store_, row_, study_, site_, launcher_, poller_, clock_, options_);
  ASSERT_FALSE(ended);
  EXPECT_EQ(ended.error().message, "no such account");
  EXPECT_EQ(launcher_.calls.size(), 2U) << "no more than was asked at once";
  EXPECT_EQ(newest(1).state, AttemptState::submitting);
  refuses = false;  // somebody mends the site
  EXPECT_EQ(run().succeeded, 4);
}

TEST_F(ReconcilerTest, ASiteOnWhichNothingCanBeginEndsTheStudyAfterTheFirstAndFailsNothing) {
  launcher_.fate = [](const std::string&) { return Fate::can_not_begin; };
  const auto ended = run_study(*store_, row_, study_, site_, launcher_, poller_, clock_, options_);
  ASSERT_FALSE(ended);
  EXPECT_EQ(ended.error().message, "pod p-0: ErrImagePull: no such image");
  EXPECT_EQ(launcher_.calls.size(), 2U) << "no more than was asked at once";
  EXPECT_EQ(newest(1).state, AttemptState::cancelled);
  EXPECT_EQ(newest(1).reason, Reason::image_missing);
  launcher_.fate = [](const std::string&) { return Fate::succeeds; };  // the image is there now
  EXPECT_EQ(run().succeeded, 4);
}

TEST_F(ReconcilerTest, AnImageThatIsMissingForOneRunIsThatRunsAlone) {
  launcher_.fate = [](const std::string& job) {
    return job == name(3) ? Fate::can_not_begin : Fate::succeeds;
  };
  const EngineOutcome outcome = run();
  EXPECT_EQ(outcome.succeeded, 3);
  EXPECT_EQ(outcome.failed, 1);
  EXPECT_EQ(newest(3).reason, Reason::image_missing);
}

TEST_F(ReconcilerTest, ARightThatIsTakenAwayInMidStudyIsWaitedForAndFailsNothing) {
  // Runs 1 and 2 are taken, 3 and 4 refused twice.
  launcher_.refuse = [&](const std::string&) -> std::optional<Error> {
    const std::size_t call = launcher_.calls.size();
    if (call <= 2 || call > 6) return std::nullopt;
    return Error{ErrorCode::permission, "create jobs: not allowed (403)", false};
  };
  EXPECT_EQ(run().succeeded, 4);
  EXPECT_EQ(std::count(launcher_.calls.begin(), launcher_.calls.end(), name(3)), 3);
  EXPECT_EQ(newest(3).number, 1);
  EXPECT_EQ(newest(3).submissions, 1);
  std::vector<std::string> silences;
  for (const Event& event : store_->events(row_.row, 0).value()) {
    if (event.kind == "silence") silences.push_back(event.text);
  }
  ASSERT_EQ(silences.size(), 2U);
  EXPECT_EQ(silences[0], "run 3: create jobs: not allowed (403); trying again until it works");
  EXPECT_TRUE(silences[1].starts_with("it answers again after ")) << silences[1];
}

TEST_F(ReconcilerTest, WithoutTheRightFromTheStartTheSiteIsRefusedAndRunningAgainGoesOn) {
  bool refuses = true;
  launcher_.refuse = [&](const std::string&) -> std::optional<Error> {
    if (!refuses) return std::nullopt;
    return Error{ErrorCode::permission, "create jobs: not allowed (403)", false};
  };
  const auto ended = run_study(*store_, row_, study_, site_, launcher_, poller_, clock_, options_);
  ASSERT_FALSE(ended);
  EXPECT_EQ(ended.error().message, "create jobs: not allowed (403)");
  EXPECT_EQ(newest(1).state, AttemptState::submitting);
  refuses = false;
  EXPECT_EQ(run().succeeded, 4);
}

TEST_F(ReconcilerTest, ANameThatIsTakenCostsNoAttemptAndAnotherOneIsTried) {
  launcher_.refuse = [](const std::string& job) -> std::optional<Error> {
    if (job.ends_with("-s2")) return std::nullopt;
    return Error{ErrorCode::conflict, "there is one already"};
  };
  EXPECT_EQ(run().succeeded, 4);
  EXPECT_EQ(launcher_.accepted.size(), 4U);
  EXPECT_EQ(newest(1).number, 1);
  EXPECT_EQ(newest(1).submissions, 2);
}

TEST_F(ReconcilerTest, NamesThatAreAllTakenEndTheRunsWithTheBackendsWords) {
  launcher_.refuse = [](const std::string&) -> std::optional<Error> {
    return Error{ErrorCode::conflict, "there is one already"};
  };
  EXPECT_EQ(run().failed, 4);
  EXPECT_EQ(newest(1).reason, Reason::submit_refused);
  EXPECT_EQ(launcher_.calls.size(), 12U) << "three names each";
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

TEST_F(ReconcilerTest, ABudgetOfMoneyStopsTooAndALargerOneGoesOn) {
  study_.points.resize(1);
  options_.price = StudyPrice{"p.yaml", "EUR", false, {}};
  options_.price->item.per_node_hour = 3'600'000'000;  // 1 a node-second
  study_.plan.limits.amount_micros = 1'500'000;
  study_.plan.limits.currency = "EUR";
  const EngineOutcome outcome = run();
  EXPECT_EQ(outcome.end, EngineEnd::over_budget);
  EXPECT_EQ(outcome.succeeded, 1);
  EXPECT_NE(outcome.why.find("the budget of 1.50 EUR: "), std::string::npos) << outcome.why;
  study_.plan.limits.amount_micros = 100'000'000;
  EXPECT_EQ(run().end, EngineEnd::finished);
}

TEST_F(ReconcilerTest, ARunAtTheEndOfTheBudgetGetsTheTimeThatIsPaidForAndIsCutThere) {
  study_.points.resize(1);  // two runs that are expected to take 1.25 s
  study_.plan.limits.node_hours = 3.5 / 3600;
  options_.concurrent = 1;
  launcher_.cut = [](const std::string& job) { return job.starts_with(name(2)); };
  const EngineOutcome outcome = run();
  EXPECT_EQ(outcome.end, EngineEnd::over_budget);
  EXPECT_EQ(outcome.succeeded, 1);
  EXPECT_EQ(launcher_.requests_of.at(name(1)).steps[0].limit, newest(1).limit_ns);
  const AttemptRow cut = newest(2);
  EXPECT_NEAR(to_seconds(cut.limit_ns), 2.5, 0.01) << "1 s of 3.5 is spent";
  EXPECT_EQ(launcher_.requests_of.at(name(2)).steps[0].limit, cut.limit_ns);
  EXPECT_EQ(cut.state, AttemptState::cancelled);
  EXPECT_EQ(cut.reason, Reason::over_budget);
  EXPECT_EQ(cut.detail,
            "cut short after 2.5 s, which is what the budget could pay; its time limit is 20 "
            "min 00 s");
  EXPECT_LE(store_->evidence(row_.row).value().node_seconds, 3.5);
  EXPECT_EQ(state(), "interrupted");

  study_.plan.limits.node_hours = 1;  // raised: with no retries allowed it is tried again
  launcher_.cut = nullptr;
  EXPECT_EQ(run().end, EngineEnd::finished);
  EXPECT_EQ(newest(2).number, 2);
  EXPECT_EQ(newest(2).limit_ns, 0) << "the plan's limit";
}

TEST_F(ReconcilerTest, ARunThatWasCutNeedsTwiceTheTimeAndElseStaysOpen) {
  study_.points.resize(1);
  study_.plan.limits.node_hours = 6.0 / 3600;
  options_.concurrent = 1;
  launcher_.cut = [](const std::string& job) { return job.starts_with(name(2)); };
  EXPECT_EQ(run().end, EngineEnd::over_budget);
  EXPECT_EQ(newest(2).number, 1) << "3.75 s of 5 went, and 7.5 are not there";
  EXPECT_EQ(run().end, EngineEnd::over_budget) << "the same when resumed";
  EXPECT_EQ(newest(2).number, 1);
}

TEST_F(ReconcilerTest, AnAdaptiveSearchPutsWhatItAsksForAndSaysWhatItLeftOut) {
  study_.points.clear();
  for (const int k : {1, 2, 4, 8, 16}) {  // every run takes as long: efficiency is 1/K
    Point point = make_point(k);
    point.own_harness = false;
    point.metrics = {{"time", "t=([0-9.]+)", "s", "stdout"}};
    study_.points.push_back(point);
  }
  study_.plan.repeat.min = study_.plan.repeat.max = 5;
  study_.plan.search.adaptive = true;
  EXPECT_EQ(run().end, EngineEnd::finished);
  const StudyEvidence evidence = store_->evidence(row_.row).value();
  ASSERT_EQ(evidence.points.size(), 3U);  // K=8 and 16 were never asked for
  EXPECT_EQ(evidence.points[0].runs.size(), 5U);
  EXPECT_EQ(evidence.points[2].runs.size(), 2U);
  ASSERT_EQ(evidence.caveats.size(), 1U);
  EXPECT_EQ(evidence.caveats[0].code, "adaptive_search");
  EXPECT_NE(evidence.caveats[0].message.find("Left out K=8, 16;"), std::string::npos)
      << evidence.caveats[0].message;
  std::vector<std::string> told;
  for (const Event& event : store_->events(row_.row, 0).value()) {
    if (event.kind == "round") told.push_back(event.text);
  }
  ASSERT_EQ(told.size(), 3U);
  EXPECT_EQ(told[0], "round 0: K=1 x 2, K=2 x 2, K=4 x 2: coarse doubling from K=1");
  EXPECT_TRUE(told[1].starts_with("round 1: K=1 x 3, K=2 x 3: ")) << told[1];
  EXPECT_TRUE(told[2].starts_with("search over: ")) << told[2];
}

// Refuses to be looked at for a while; a job of `theirs` was cancelled by somebody else.
class TroubledLauncher : public ScriptedLauncher {
 public:
  Result<std::vector<Observation>> observe(std::span<const JobRef> jobs,
                                           Deadline deadline) override {
    if (silent-- > 0) return Error{ErrorCode::unavailable, "nobody answers", true};
    auto seen = ScriptedLauncher::observe(jobs, deadline);
    for (Observation& one : *seen) {
      if (one.job.name != theirs) continue;
      one.state = AllocationState::ended;
      one.reason = Reason::user_cancelled;
      one.detail = "cancelled by user 1042";
    }
    return seen;
  }
  int silent = 0;
  std::string theirs;
};

TEST_F(ReconcilerTest, ASilentSiteIsToldOnceWhenItBeginsAndOnceWhenItIsOver) {
  TroubledLauncher launcher;
  launcher.silent = 5;
  std::vector<std::string> lines;
  std::set<std::string> waiting;
  options_.on_line = [&](const std::string& line) { lines.push_back(line); };
  options_.on_progress = [&](const Progress& p) { waiting.insert(p.waiting); };
  const auto outcome = run_study(*store_, row_, study_, site_, launcher, poller_, clock_, options_);
  ASSERT_TRUE(outcome) << outcome.error().message;
  EXPECT_EQ(outcome->succeeded, 4);
  const auto told = [&](const std::string& words) {
    return std::count_if(lines.begin(), lines.end(), [&](const std::string& line) {
      return line.find(words) != std::string::npos;
    });
  };
  EXPECT_EQ(told("observe: nobody answers; trying again until it works"), 1);
  EXPECT_EQ(told("it answers again after "), 1);
  EXPECT_TRUE(waiting.contains("observe: nobody answers")) << "the live view says so too";
  int events = 0;
  for (const Event& event : store_->events(row_.row, 0).value()) {
    events += event.kind == "silence" ? 1 : 0;
  }
  EXPECT_EQ(events, 2);
}

TEST_F(ReconcilerTest, WhatSomebodyElseCancelledLeavesTheStudyOpenUntilItIsRunAgain) {
  TroubledLauncher launcher;
  launcher.theirs = name(2);
  launcher.fate = [](const std::string& job) {
    return job == name(2) ? Fate::never_begins : Fate::succeeds;
  };
  auto outcome = run_study(*store_, row_, study_, site_, launcher, poller_, clock_, options_);
  ASSERT_TRUE(outcome) << outcome.error().message;
  EXPECT_EQ(outcome->end, EngineEnd::interrupted);
  EXPECT_EQ(outcome->succeeded, 3);
  EXPECT_EQ(outcome->failed, 0);
  EXPECT_EQ(state(), "interrupted");
  EXPECT_EQ(newest(2).state, AttemptState::cancelled);
  EXPECT_EQ(launcher.calls.size(), 4U) << "it is not put into the queue again unasked";
  launcher.theirs.clear();
  outcome = run_study(*store_, row_, study_, site_, launcher, poller_, clock_, options_);
  EXPECT_EQ(outcome->end, EngineEnd::finished);
  EXPECT_EQ(newest(2).number, 2);
  EXPECT_EQ(newest(2).state, AttemptState::succeeded);
}

}  // namespace
}  // namespace kneepoint
