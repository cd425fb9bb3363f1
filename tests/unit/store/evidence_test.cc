// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/store/store_fixture.h"

namespace kneepoint {
namespace {

using S = AttemptState;

class EvidenceTest : public StoreTest {
 protected:
  void SetUp() override {
    store_ = open();
    study_ = create(*store_).row;
  }
  std::unique_ptr<StudyStore> store_;
  RowId study_ = 0;
};

TEST_F(EvidenceTest, HasTheStudysHeader) {
  const auto e = store_->evidence(study_).value();
  EXPECT_EQ(e.id, "jacobi-0a1b2c3d-1");
  EXPECT_EQ(e.name, "jacobi");
  EXPECT_EQ(e.site, "here");
  EXPECT_EQ(e.backend, "simulated");
  EXPECT_EQ(e.worker, WorkerUnit::node);
  EXPECT_EQ(e.seed, 18446744073709551615ULL);
  EXPECT_EQ(e.knee_rule, "efficiency");
  EXPECT_EQ(e.knee_floor, 0.75);
  EXPECT_EQ(e.state, "running");
  EXPECT_EQ(e.created_ns, clock_.wall());
  EXPECT_EQ(e.node_seconds, 0);
  EXPECT_TRUE(e.points.empty());
}

TEST_F(EvidenceTest, HasEveryPointAsItWasPut) {
  Point plain;  // no size, no parameters, no harness
  plain.build = "b";
  plain.workload = plain.case_name = "echo";
  plain.mode = Mode::weak;
  plain.mpi = false;
  plain.emulated = true;
  ASSERT_TRUE(store_->put_points(study_, {make_point(2), plain}));
  const auto points = store_->evidence(study_).value().points;
  ASSERT_EQ(points.size(), 2U);
  const Point& p = points[0].point;
  const Point q = make_point(2);
  EXPECT_EQ(p.key(), q.key());
  EXPECT_EQ(p.build, q.build);
  EXPECT_EQ(p.workload, q.workload);
  EXPECT_EQ(p.case_name, q.case_name);
  EXPECT_EQ(p.parameters, q.parameters);
  EXPECT_EQ(p.mode, q.mode);
  EXPECT_EQ(p.k, q.k);
  EXPECT_EQ(p.shape, q.shape);
  EXPECT_EQ(p.size, q.size);
  EXPECT_TRUE(p.has_size);
  EXPECT_EQ(p.results, q.results);
  EXPECT_EQ(p.result_name, q.result_name);
  EXPECT_EQ(p.held_fixed, q.held_fixed);
  EXPECT_EQ(p.work_unit, q.work_unit);
  EXPECT_FALSE(p.emulated);
  EXPECT_TRUE(p.mpi);
  EXPECT_TRUE(p.own_harness);
  EXPECT_EQ(p.command.argv, q.command.argv);
  EXPECT_EQ(p.modelled_seconds, q.modelled_seconds);
  EXPECT_EQ(p.iterations, q.iterations);
  EXPECT_EQ(p.flops, q.flops);
  EXPECT_EQ(p.bytes, q.bytes);
  EXPECT_EQ(p.parallelism, q.parallelism);

  const Point& r = points[1].point;
  EXPECT_FALSE(r.has_size);
  EXPECT_EQ(r.size, 0);
  EXPECT_TRUE(r.parameters.empty());
  EXPECT_TRUE(r.command.argv.empty());
  EXPECT_EQ(r.mode, Mode::weak);
  EXPECT_FALSE(r.mpi);
  EXPECT_TRUE(r.emulated);
  EXPECT_FALSE(r.own_harness);
  EXPECT_EQ(r.flops, 0);
  EXPECT_EQ(r.bytes, 0);
  EXPECT_EQ(r.parallelism, 0);
}

TEST_F(EvidenceTest, TheNewestAttemptDecidesAndAllAreCounted) {
  put_matrix(*store_, study_);
  const auto runs = store_->runs(study_).value();
  const auto lost = store_->put_attempt(runs[0].row, 1, "kp-1").value();
  AttemptResult part;
  part.hosts = "n9";
  ASSERT_TRUE(store_->put_result(lost.row, part));
  drive(*store_, lost, S::lost, Reason::agent_died);
  const auto good = store_->put_attempt(runs[0].row, 2, "kp-2").value();
  AttemptResult result;
  result.seconds = 1.5;
  result.work_total = 10;
  result.work_min = 4;
  result.work_max = 6;
  result.compute_seconds = 1;
  result.communication_seconds = 0.5;
  result.hosts = "n1,n2";
  result.oversubscribed = true;
  result.binding_differs = true;
  result.machine_busy = true;
  result.disturbed = "on n1 the clock fell by 25% (limit 10%)";
  ASSERT_TRUE(store_->put_result(good.row, result));
  drive(*store_, good, S::succeeded);
  ASSERT_TRUE(store_->finish_run(runs[0].row));

  const auto e = store_->evidence(study_).value();
  ASSERT_EQ(e.points.size(), 3U);
  ASSERT_EQ(e.points[0].runs.size(), 2U);
  const RunEvidence& run = e.points[0].runs[0];
  EXPECT_EQ(run.number, 1);
  EXPECT_EQ(run.repeat, 0);
  EXPECT_EQ(run.attempts, 2);
  EXPECT_TRUE(run.finished);
  EXPECT_EQ(run.state, S::succeeded);
  EXPECT_EQ(run.reason, Reason::none);
  EXPECT_EQ(run.seconds, 1.5);
  EXPECT_EQ(run.work_total, 10);
  EXPECT_EQ(run.work_min, 4);
  EXPECT_EQ(run.work_max, 6);
  EXPECT_EQ(run.compute_seconds, 1);
  EXPECT_EQ(run.communication_seconds, 0.5);
  EXPECT_EQ(run.hosts, "n1,n2");
  EXPECT_TRUE(run.oversubscribed);
  EXPECT_TRUE(run.binding_differs);
  EXPECT_TRUE(run.machine_busy);
  EXPECT_EQ(run.disturbed, "on n1 the clock fell by 25% (limit 10%)");
  const RunEvidence& untried = e.points[0].runs[1];
  EXPECT_EQ(untried.number, 4);
  EXPECT_EQ(untried.repeat, 1);
  EXPECT_EQ(untried.attempts, 0);
  EXPECT_FALSE(untried.finished);
  EXPECT_EQ(untried.state, S::planned);
}

TEST_F(EvidenceTest, AFailedRunKeepsItsReasonAndData) {
  put_matrix(*store_, study_);
  const auto run = store_->runs(study_).value()[1];
  const auto attempt = store_->put_attempt(run.row, 1, "kp").value();
  AttemptResult result;
  result.work_total = 7;
  ASSERT_TRUE(store_->put_result(attempt.row, result));
  drive(*store_, attempt, S::failed, Reason::wrong_answer);
  ASSERT_TRUE(store_->finish_run(run.row));
  const auto e = store_->evidence(study_).value();
  const RunEvidence& failed = e.points[1].runs[0];
  EXPECT_TRUE(failed.finished);
  EXPECT_EQ(failed.state, S::failed);
  EXPECT_EQ(failed.reason, Reason::wrong_answer);
  EXPECT_EQ(failed.seconds, 0);
  EXPECT_EQ(failed.work_total, 7);
}

TEST_F(EvidenceTest, RunsComeByRepeatWhateverTheOrderOfTheirNumbers) {
  const auto points = store_->put_points(study_, {make_point(1)}).value();
  ASSERT_TRUE(
      store_->put_runs(study_, {{points[0], 2, 0, 0}, {points[0], 0, 0, 1}, {points[0], 1, 0, 2}}));
  const auto e = store_->evidence(study_).value();
  ASSERT_EQ(e.points[0].runs.size(), 3U);
  EXPECT_EQ(e.points[0].runs[0].number, 2);
  EXPECT_EQ(e.points[0].runs[1].number, 3);
  EXPECT_EQ(e.points[0].runs[2].number, 1);
}

TEST_F(EvidenceTest, NodeSecondsCountEveryAttemptThatBeganAndEnded) {
  put_matrix(*store_, study_);  // r1: K=1 on 1 node, r2: K=2 on 2 nodes
  const auto runs = store_->runs(study_).value();
  drive(*store_, store_->put_attempt(runs[0].row, 1, "a").value(), S::failed, Reason::exit_code,
        5 * kSecond, 8 * kSecond);
  drive(*store_, store_->put_attempt(runs[0].row, 2, "b").value(), S::succeeded, Reason::none,
        10 * kSecond, 14 * kSecond);
  drive(*store_, store_->put_attempt(runs[1].row, 1, "c").value(), S::succeeded, Reason::none,
        kSecond, 11 * kSecond);
  drive(*store_, store_->put_attempt(runs[2].row, 1, "d").value(), S::lost,
        Reason::unknown_to_backend, 0, 9 * kSecond);  // never began
  EXPECT_DOUBLE_EQ(store_->evidence(study_).value().node_seconds, 3 + 4 + 2 * 10);
}

TEST_F(EvidenceTest, TenThousandRunsComeBackAsTheyWerePut) {
  std::vector<Point> points;
  for (int k = 1; k <= 500; ++k) {
    points.push_back(make_point(k));
    points.push_back(make_point(k, Mode::weak));
  }
  std::vector<PlannedRun> planned;
  const auto rows = store_->put_points(study_, points).value();
  for (int repeat = 0; repeat < 10; ++repeat) {
    for (const RowId row : rows) {
      planned.push_back({row, repeat, repeat / 5, static_cast<int>(planned.size())});
    }
  }
  ASSERT_TRUE(store_->put_runs(study_, planned));
  ASSERT_TRUE(store_->put_runs(study_, planned));
  const auto runs = store_->runs(study_).value();
  ASSERT_EQ(runs.size(), 10000U);
  {
    auto transaction = store_->begin();
    for (const auto& run : runs) {
      const auto attempt = store_->put_attempt(run.row, 1, "kp").value();
      AttemptResult result;
      result.seconds = run.number * 0.5;
      ASSERT_TRUE(store_->put_result(attempt.row, result));
      drive(*store_, attempt, S::succeeded);
      ASSERT_TRUE(store_->finish_run(run.row));
    }
    ASSERT_TRUE((*transaction)->commit());
  }
  const auto e = store_->evidence(study_).value();
  ASSERT_EQ(e.points.size(), 1000U);
  for (std::size_t i = 0; i < e.points.size(); ++i) {
    ASSERT_EQ(e.points[i].point.key(), points[i].key());
    ASSERT_EQ(e.points[i].runs.size(), 10U);
    for (int repeat = 0; repeat < 10; ++repeat) {
      const auto& run = e.points[i].runs[static_cast<std::size_t>(repeat)];
      ASSERT_EQ(run.repeat, repeat);
      ASSERT_EQ(run.number, repeat * 1000 + static_cast<int>(i) + 1);
      ASSERT_EQ(run.seconds, run.number * 0.5);
      ASSERT_TRUE(run.finished);
    }
  }
  EXPECT_EQ(store_->studies().value()[0].succeeded, 10000);
}

TEST_F(EvidenceTest, RunsThatSharedAnAllocationPayForAllOfItsNodes) {
  const auto points = store_->put_points(study_, {make_point(1), make_point(4)}).value();
  ASSERT_TRUE(store_->put_runs(study_, {{points[0], 0, 0, 0}, {points[1], 0, 0, 1}}));
  const int small = make_point(1).shape.nodes, large = make_point(4).shape.nodes;
  ASSERT_GT(large, small);
  for (const RunRow& run : store_->runs(study_).value()) {
    AttemptRow attempt = store_->put_attempt(run.row, 1, "kp-own").value();
    attempt.allocation = "kp-shared";
    attempt.submissions = 1;
    attempt.started_ns = kSecond;
    attempt.ended_ns = 3 * kSecond;
    S before = S::planned;
    for (const S state : {S::submitting, S::queued, S::collecting, S::succeeded}) {
      attempt.state = state;
      ASSERT_TRUE(store_->change_attempt(attempt, before));
      before = state;
    }
  }
  const auto e = store_->evidence(study_).value();
  EXPECT_EQ(e.points[0].runs[0].allocation, "kp-shared");
  EXPECT_DOUBLE_EQ(e.node_seconds, 2 * 2.0 * large);
  ASSERT_EQ(e.allocations.size(), 1U);
  EXPECT_EQ(e.allocations[0].name, "kp-shared");
  EXPECT_EQ(e.allocations[0].nodes, large);
  EXPECT_EQ(e.allocations[0].cores, make_point(4).shape.cpus());
  EXPECT_EQ(e.allocations[0].workers, 4);
  EXPECT_EQ(e.allocations[0].held_ns, 4 * kSecond);
}

TEST_F(EvidenceTest, HasWhereTheQueuePlacedARunAndHowLongItsAllocationWaited) {
  put_matrix(*store_, study_);
  const auto runs = store_->runs(study_).value();
  // Two steps of one allocation, the second in its turn; one alone; one that never began.
  const struct {
    const char* allocation;
    Nanoseconds submitted, started;
    const char* nodes;
  } kRows[] = {{"kp-shared", 100 * kSecond, 160 * kSecond, "n1"},
               {"kp-shared", 100 * kSecond, 500 * kSecond, "n[1-2]"},
               {"kp-alone", 100 * kSecond, 100 * kSecond, "n7"},
               {"kp-late", 100 * kSecond, 0, ""}};
  for (std::size_t i = 0; i < 4; ++i) {
    AttemptRow attempt = store_->put_attempt(runs[i].row, 1, kRows[i].allocation).value();
    attempt.submissions = 1;
    attempt.submitted_ns = kRows[i].submitted;
    attempt.started_ns = kRows[i].started;
    attempt.nodes = kRows[i].nodes;
    attempt.state = S::submitting;
    ASSERT_TRUE(store_->change_attempt(attempt, S::planned));
  }
  const auto e = store_->evidence(study_).value();
  EXPECT_EQ(e.points[1].runs[0].nodes, "n[1-2]");
  EXPECT_DOUBLE_EQ(e.points[0].runs[0].queue_seconds.value(), 60);
  EXPECT_DOUBLE_EQ(e.points[1].runs[0].queue_seconds.value(), 60);
  EXPECT_EQ(e.points[2].runs[0].queue_seconds, std::optional(0.0));
  EXPECT_EQ(e.points[0].runs[1].queue_seconds, std::nullopt);
  EXPECT_EQ(e.points[0].runs[1].nodes, "");
}

}  // namespace
}  // namespace kneepoint
