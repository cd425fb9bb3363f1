// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/analysis/queueing/use.h"

#include <gtest/gtest.h>

#include "orchestrator/analysis/study_analysis.h"
#include "tests/unit/analysis/evidence_builder.h"

namespace kneepoint {
namespace {

// Two repeats at K = 1, 2 and 4 nodes, on a queue, not handed over yet.
StudyEvidence on_a_queue() {
  EvidenceBuilder b;
  b.study.backend = "slurm";
  for (const int k : {1, 2, 4}) b.add(Mode::strong, k, {4.0 / k, 4.1 / k}).point.shape.nodes = k;
  return b.study;
}

RunEvidence& run_at(StudyEvidence& study, int point, int repeat) {
  return study.points[static_cast<std::size_t>(point)].runs[static_cast<std::size_t>(repeat)];
}

StudyEvidence one_job_per_run() {
  StudyEvidence study = on_a_queue();
  int job = 0;
  for (PointEvidence& point : study.points) {
    for (RunEvidence& run : point.runs) {
      run.allocation = "kp-" + std::to_string(++job);
      run.queue_seconds = 10.0 * job;
    }
  }
  return study;
}

// Each repeat in an allocation of its own, nested.
StudyEvidence packed() {
  StudyEvidence study = on_a_queue();
  const char* sets[2][3] = {{"n1", "n[1-2]", "n[1-4]"}, {"n7", "n[6-7]", "n[5-8]"}};
  for (int p = 0; p < 3; ++p) {
    for (int r = 0; r < 2; ++r) {
      RunEvidence& run = run_at(study, p, r);
      run.allocation = "kp-" + std::to_string(r);
      run.queue_seconds = r == 0 ? 60 : 100;
      run.nodes = sets[r][p];
    }
  }
  return study;
}

TEST(QueueUse, OneJobPerRunIsToldByItsAllocations) {
  const QueueUse use = queue_use(one_job_per_run()).value();
  EXPECT_FALSE(use.packed);
  EXPECT_EQ(use.runs, 6);
  EXPECT_EQ(use.allocations, 6);
  EXPECT_EQ(use.most_runs, 1);
  EXPECT_FALSE(use.nested);
  EXPECT_EQ(way_of(use), "one job per run (6 jobs)");
  EXPECT_EQ(held_fixed_by(use), "each run got its own nodes");
}

TEST(QueueUse, WaitsAreByKAndOverAllJobs) {
  const QueueUse use = queue_use(one_job_per_run()).value();
  EXPECT_EQ(use.waits_known, 6);
  EXPECT_DOUBLE_EQ(use.median_wait_seconds, 35);
  EXPECT_DOUBLE_EQ(use.largest_wait_seconds, 60);
  ASSERT_EQ(use.waits.size(), 3U);
  EXPECT_EQ(use.waits[1].k, 2);
  EXPECT_EQ(use.waits[1].nodes, 2);
  EXPECT_EQ(use.waits[1].runs, 2);
  EXPECT_EQ(use.waits[1].allocations, 2);
  EXPECT_DOUBLE_EQ(use.waits[1].median_seconds, 35);
  EXPECT_DOUBLE_EQ(use.waits[1].largest_seconds, 40);
}

TEST(QueueUse, RunsThatSharedAnAllocationWaitedOnceForAllOfThem) {
  const QueueUse use = queue_use(packed()).value();
  EXPECT_TRUE(use.packed);
  EXPECT_EQ(use.allocations, 2);
  EXPECT_EQ(use.most_runs, 3);
  EXPECT_EQ(use.waits_known, 2);
  EXPECT_DOUBLE_EQ(use.median_wait_seconds, 80);
  EXPECT_DOUBLE_EQ(use.largest_wait_seconds, 100);
  EXPECT_EQ(way_of(use), "packed: 6 runs as steps of 2 allocations, at most 3 in one");
  EXPECT_EQ(held_fixed_by(use), "nested nodes inside 2 allocations");
}

TEST(QueueUse, NodeSetsAreCheckedRatherThanBelieved) {
  StudyEvidence study = packed();
  run_at(study, 0, 1).nodes = "n1";  // not among n[6-7]
  EXPECT_EQ(queue_use(study).value().nested, std::optional(false));
  EXPECT_EQ(held_fixed_by(queue_use(study).value()),
            "node sets that were not nested inside 2 allocations");
  run_at(study, 0, 1).nodes = "n[5-8]";  // of the allocation, not of its step
  EXPECT_EQ(queue_use(study).value().nested, std::nullopt);
  run_at(study, 0, 0).nodes = "n9";
  EXPECT_EQ(queue_use(study).value().nested, std::optional(false));
}

TEST(QueueUse, ThereIsNoneWithoutAQueueOrBeforeAnythingWasHandedOver) {
  EXPECT_FALSE(queue_use(on_a_queue()));
  for (const char* backend : {"local", "import"}) {
    StudyEvidence study = one_job_per_run();
    study.backend = backend;
    EXPECT_FALSE(queue_use(study)) << backend;
    EXPECT_FALSE(analyse(study).bad_nodes) << backend;
  }
}

TEST(QueueUse, AWaitThatIsNotKnownIsNoWaitOfZero) {
  StudyEvidence study = one_job_per_run();
  run_at(study, 2, 0).queue_seconds.reset();
  run_at(study, 2, 1).queue_seconds.reset();
  const QueueUse use = queue_use(study).value();
  EXPECT_EQ(use.waits_known, 4);
  EXPECT_EQ(use.waits.size(), 2U);
}

TEST(QueueUse, PackedRunsCannotTellABadNodeAndTheAnalysisSaysSo) {
  const StudyAnalysis analysis = analyse(packed());
  ASSERT_TRUE(analysis.bad_nodes);
  EXPECT_NE(analysis.bad_nodes->why_not.find("packed"), std::string::npos);
}

TEST(QueueUse, ABadNodeOfSeparateJobsIsAWarningOfTheStudy) {
  StudyEvidence study = on_a_queue();
  study.points.resize(1);
  std::vector<RunEvidence>& runs = study.points[0].runs;
  runs.resize(24, runs[0]);
  for (int i = 0; i < 24; ++i) {
    RunEvidence& run = runs[static_cast<std::size_t>(i)];
    run.number = run.repeat = i;
    run.allocation = "kp-" + std::to_string(i);
    run.nodes = "n" + std::to_string(i % 4);
    run.seconds = (i % 4 == 3 ? 1.2 : 1.0) + 0.001 * (i % 5);
  }
  const StudyAnalysis analysis = analyse(study);
  ASSERT_TRUE(analysis.bad_nodes);
  ASSERT_EQ(analysis.bad_nodes->bad.size(), 1U) << to_sentence(*analysis.bad_nodes);
  EXPECT_EQ(analysis.bad_nodes->bad[0].node, "n3");
  ASSERT_FALSE(analysis.warnings.empty());
  EXPECT_EQ(analysis.warnings.back().code, WarningCode::bad_node);
  EXPECT_EQ(analysis.warnings.back().message.find("n3 slows"), 0U);
}

}  // namespace
}  // namespace kneepoint
