// SPDX-License-Identifier: Apache-2.0
#include <limits>

#include "tests/unit/store/store_fixture.h"

namespace kneepoint {
namespace {

using S = AttemptState;

class AttemptsTest : public StoreTest {
 protected:
  void SetUp() override {
    store_ = open();
    study_ = create(*store_).row;
    put_matrix(*store_, study_);
    run_ = store_->runs(study_).value().front().row;
  }
  RunRow first_run() { return store_->runs(study_).value().front(); }

  std::unique_ptr<StudyStore> store_;
  RowId study_ = 0, run_ = 0;
};

TEST_F(AttemptsTest, AnAttemptIsPutOnce) {
  const auto first = store_->put_attempt(run_, 1, "kp-a").value();
  EXPECT_EQ(first.state, S::planned);
  EXPECT_EQ(first.run, run_);
  EXPECT_EQ(first.number, 1);
  EXPECT_EQ(first.allocation, "kp-a");
  const auto again = store_->put_attempt(run_, 1, "kp-b").value();
  EXPECT_EQ(again.row, first.row);
  EXPECT_EQ(again.allocation, "kp-a");
  EXPECT_EQ(store_->attempts(run_).value().size(), 1U);
  EXPECT_EQ(store_->put_attempt(9999, 1, "kp-a").error().code, ErrorCode::not_found);
}

TEST_F(AttemptsTest, AChangeWritesEveryColumn) {
  auto a = store_->put_attempt(run_, 1, "kp-a").value();
  a.state = S::submitting;
  a.allocation = "kp-b";
  a.submissions = 2;
  ASSERT_TRUE(store_->change_attempt(a, S::planned));
  a.state = S::failed;
  a.reason = Reason::oom;
  a.detail = "rank 3 was killed";
  a.job_id = "4711:99";
  a.submitted_ns = 10;
  a.started_ns = 20;
  a.ended_ns = 30;
  a.exit_code = 137;
  a.signal = 9;
  ASSERT_TRUE(store_->change_attempt(a, S::submitting));

  const auto read = store_->attempts(run_).value().at(0);
  EXPECT_EQ(read.row, a.row);
  EXPECT_EQ(read.state, S::failed);
  EXPECT_EQ(read.reason, Reason::oom);
  EXPECT_EQ(read.detail, "rank 3 was killed");
  EXPECT_EQ(read.allocation, "kp-b");
  EXPECT_EQ(read.submissions, 2);
  EXPECT_EQ(read.job_id, "4711:99");
  EXPECT_EQ(read.submitted_ns, 10);
  EXPECT_EQ(read.started_ns, 20);
  EXPECT_EQ(read.ended_ns, 30);
  EXPECT_EQ(read.exit_code, 137);
  EXPECT_EQ(read.signal, 9);
}

TEST_F(AttemptsTest, AChangeFromAStateThatIsNotTheStoredOneIsAConflict) {
  auto a = store_->put_attempt(run_, 1, "kp-a").value();
  a.state = S::running;
  auto refused = store_->change_attempt(a, S::queued);
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code, ErrorCode::conflict);
  EXPECT_EQ(refused.error().message,
            "attempt r1-a1 is planned, not queued as expected: somebody changed it");
  EXPECT_EQ(store_->attempts(run_).value().at(0).state, S::planned);
  a.row = 9999;
  EXPECT_EQ(store_->change_attempt(a, S::queued).error().code, ErrorCode::not_found);
}

TEST_F(AttemptsTest, AnIllegalChangeIsABug) {
  auto a = store_->put_attempt(run_, 1, "kp-a").value();
  a.state = S::succeeded;
  EXPECT_DEATH((void)store_->change_attempt(a, S::planned), "model/attempt.h");
}

TEST_F(AttemptsTest, EveryStateAndReasonIsAcceptedByTheSchema) {
  for (int i = 0; i <= static_cast<int>(Reason::output_flood); ++i) {
    const auto attempt = store_->put_attempt(run_, i + 1, "kp").value();
    drive(*store_, attempt, static_cast<S>(static_cast<int>(S::succeeded) + i % 7),
          static_cast<Reason>(i));
    EXPECT_EQ(store_->attempts(run_).value().back().reason, static_cast<Reason>(i));
  }
  auto a = store_->put_attempt(run_, 100, "kp").value();
  a.state = S::submitting;
  ASSERT_TRUE(store_->change_attempt(a, S::planned));
  a.state = S::queued;
  ASSERT_TRUE(store_->change_attempt(a, S::submitting));
  EXPECT_EQ(first_run().last->state, S::queued);
}

AttemptResult full_result() {
  AttemptResult r;
  r.samples = {{0, true, 90, 80, 70, 50, 20, 10},
               {0, false, 9, 8, 7, 5, 2, 1},
               {1, false, 19, 18, 17, 15, 12, 11}};
  r.ranks = {{0, "n1", "0-1", 100, 200, 12.5}, {1, "n2", "2-3", 101, 201, 12.25}};
  r.metrics = {{"bandwidth", 1e10, "B/s"}, {"time", 0.25, "s"}};
  r.facts = {{"n1", "cpu.model", "some"}, {"run", "mpi.version", "4.1"}};
  r.seconds = 0.0625;
  r.work_total = 24.75;
  r.work_min = 12.25;
  r.work_max = 12.5;
  r.compute_seconds = 0.05;
  r.communication_seconds = 0.01;
  r.hosts = "n1,n2";
  r.oversubscribed = true;
  r.binding_differs = true;
  return r;
}

TEST_F(AttemptsTest, AResultReadsBackWhole) {
  const auto a = store_->put_attempt(run_, 1, "kp-a").value();
  ASSERT_TRUE(store_->put_result(a.row, full_result()));
  const auto samples = store_->samples(a.row).value();
  ASSERT_EQ(samples.size(), 3U);
  EXPECT_TRUE(samples[0].warmup);
  EXPECT_EQ(samples[0].max_ns, 90);
  EXPECT_EQ(samples[2].iteration, 1);
  EXPECT_EQ(samples[2].mean_ns, 18);
  EXPECT_EQ(samples[2].min_ns, 17);
  EXPECT_EQ(samples[2].compute_ns, 15);
  EXPECT_EQ(samples[2].communication_ns, 12);
  EXPECT_EQ(samples[2].other_ns, 11);
  const auto ranks = store_->ranks(a.row).value();
  ASSERT_EQ(ranks.size(), 2U);
  EXPECT_EQ(ranks[1].rank, 1);
  EXPECT_EQ(ranks[1].host, "n2");
  EXPECT_EQ(ranks[1].cpus, "2-3");
  EXPECT_EQ(ranks[1].compute_ns, 101);
  EXPECT_EQ(ranks[1].communication_ns, 201);
  EXPECT_EQ(ranks[1].work, 12.25);
  const auto metrics = store_->metrics(a.row).value();
  ASSERT_EQ(metrics.size(), 2U);
  EXPECT_EQ(metrics[0].name, "bandwidth");
  EXPECT_EQ(metrics[0].value, 1e10);
  EXPECT_EQ(metrics[0].unit, "B/s");
  const auto facts = store_->facts(a.row).value();
  ASSERT_EQ(facts.size(), 2U);
  EXPECT_EQ(facts[1].scope, "run");
  EXPECT_EQ(facts[1].name, "mpi.version");
  EXPECT_EQ(facts[1].value, "4.1");
}

TEST_F(AttemptsTest, TheFirstResultStands) {
  const auto a = store_->put_attempt(run_, 1, "kp-a").value();
  ASSERT_TRUE(store_->put_result(a.row, full_result()));
  AttemptResult other = full_result();
  other.seconds = 99;
  other.samples.push_back({7, false, 1, 1, 1, 1, 0, 0});
  EXPECT_TRUE(store_->put_result(a.row, other).has_value());
  EXPECT_EQ(store_->samples(a.row).value().size(), 3U);
  EXPECT_EQ(store_->evidence(study_).value().points[0].runs[0].seconds, 0.0625);
  EXPECT_EQ(store_->put_result(9999, other).error().code, ErrorCode::not_found);
}

TEST_F(AttemptsTest, AResultThatCantBeStoredLeavesNothingAndCanBePutAgain) {
  const auto a = store_->put_attempt(run_, 1, "kp-a").value();
  AttemptResult bad = full_result();
  bad.metrics[0].value = std::numeric_limits<double>::quiet_NaN();
  auto put = store_->put_result(a.row, bad);
  ASSERT_FALSE(put.has_value());
  EXPECT_EQ(put.error().code, ErrorCode::invalid);
  EXPECT_TRUE(put.error().message.starts_with("store metric bandwidth: ")) << put.error().message;
  EXPECT_TRUE(store_->samples(a.row).value().empty());
  ASSERT_TRUE(store_->put_result(a.row, full_result()));
  EXPECT_EQ(store_->samples(a.row).value().size(), 3U);
}

TEST_F(AttemptsTest, WhatARecordSaysTwiceIsKeptOnce) {
  const auto a = store_->put_attempt(run_, 1, "kp-a").value();
  AttemptResult twice = full_result();
  const AttemptResult once = twice;
  twice.samples.insert(twice.samples.end(), once.samples.begin(), once.samples.end());
  twice.ranks.insert(twice.ranks.end(), once.ranks.begin(), once.ranks.end());
  twice.metrics.push_back({"time", 77, "s"});
  twice.facts.insert(twice.facts.end(), once.facts.begin(), once.facts.end());
  ASSERT_TRUE(store_->put_result(a.row, twice));
  EXPECT_EQ(store_->samples(a.row).value().size(), 3U);
  EXPECT_EQ(store_->ranks(a.row).value().size(), 2U);
  EXPECT_EQ(store_->metrics(a.row).value().at(1).value, 0.25);
  EXPECT_EQ(store_->facts(a.row).value().size(), 2U);
}

TEST_F(AttemptsTest, ARunIsNotFinishedWhileItsNewestAttemptGoesOn) {
  drive(*store_, store_->put_attempt(run_, 1, "kp-1").value(), S::lost, Reason::agent_died);
  ASSERT_TRUE(store_->put_attempt(run_, 2, "kp-2").has_value());
  auto refused = store_->finish_run(run_);
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code, ErrorCode::conflict);
  EXPECT_FALSE(first_run().finished);
  EXPECT_EQ(first_run().attempts, 2);
  EXPECT_EQ(first_run().last->number, 2);
  drive(*store_, *first_run().last, S::succeeded);
  ASSERT_TRUE(store_->finish_run(run_));
  ASSERT_TRUE(store_->finish_run(run_));
  EXPECT_TRUE(first_run().finished);
  EXPECT_EQ(store_->finish_run(9999).error().code, ErrorCode::not_found);
}

TEST_F(AttemptsTest, FailedRunsAreOpenedAgainAndGoOnCounting) {
  const auto runs = store_->runs(study_).value();
  drive(*store_, store_->put_attempt(runs[0].row, 1, "kp").value(), S::lost, Reason::agent_died);
  drive(*store_, store_->put_attempt(runs[0].row, 2, "kp").value(), S::failed, Reason::exit_code);
  drive(*store_, store_->put_attempt(runs[1].row, 1, "kp").value(), S::succeeded);
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(store_->finish_run(runs[i].row));  // r3: never tried
  ASSERT_TRUE(store_->reopen_failed_runs(study_));

  const auto after = store_->runs(study_).value();
  EXPECT_FALSE(after[0].finished);
  EXPECT_EQ(after[0].last->number, 2);
  EXPECT_EQ(after[0].forgiven, 2);
  EXPECT_TRUE(after[1].finished);
  EXPECT_EQ(after[1].forgiven, 0);
  EXPECT_FALSE(after[2].finished);
  EXPECT_EQ(after[2].forgiven, 0);
  const auto events = store_->events(study_, 1).value();
  ASSERT_EQ(events.size(), 1U);
  EXPECT_EQ(events[0].kind, "reopen");
  EXPECT_EQ(events[0].text, "opened again on request; its next attempt is a3");
  EXPECT_EQ(events[0].wall_ns, clock_.wall());
  EXPECT_TRUE(store_->events(study_, 2).value().empty());
  ASSERT_TRUE(store_->reopen_failed_runs(study_));
  EXPECT_EQ(store_->events(study_, 0).value().size(), 2U);  // nothing left to open
}

TEST_F(AttemptsTest, EventsComeInTheOrderTheyHappened) {
  ASSERT_TRUE(store_->put_event(study_, Event{30, "state", "later by its clock", 17, 2}));
  ASSERT_TRUE(store_->put_event(study_, Event{20, "round", "of the study", 0, 0}));
  ASSERT_TRUE(store_->put_event(study_, Event{0, "state", "now", 17, 3}));
  const auto all = store_->events(study_, 0).value();
  ASSERT_EQ(all.size(), 3U);
  EXPECT_EQ(all[0].text, "later by its clock");
  EXPECT_EQ(all[1].kind, "round");
  const auto of_run = store_->events(study_, 17).value();
  ASSERT_EQ(of_run.size(), 2U);
  EXPECT_EQ(of_run[0].wall_ns, 30);
  EXPECT_EQ(of_run[0].attempt_number, 2);
  EXPECT_EQ(of_run[1].wall_ns, clock_.wall());  // no time given: now
}

}  // namespace
}  // namespace kneepoint
