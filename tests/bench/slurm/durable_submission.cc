// SPDX-License-Identifier: Apache-2.0
//
// The database has the settings of every kneepoint database: a commit is on the disk.
#include "tests/bench/slurm/durable_submission.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace kneepoint {
namespace {

Study study_of(int runs) {
  Study study;
  study.plan.study = "bench";
  study.plan.repeat.min = study.plan.repeat.max = runs;
  study.hash8 = "0a1b2c3d";
  Point point;
  point.build = "default";
  point.workload = point.case_name = "true";
  point.command.argv = {"true"};
  study.points = {point};
  return study;
}

}  // namespace

DurableSubmission::DurableSubmission(const std::string& folder, int runs) {
  auto store =
      StudyStore::open(folder + "/bench.db", StudyStore::Access::read_write, system_clock());
  EXPECT_TRUE(store) << store.error().message;
  if (!store) return;
  store_ = std::move(store).value();
  const Study study = study_of(runs);
  const auto row = store_->create_study(study, Site(), 1, folder);
  EXPECT_TRUE(row) << row.error().message;
  const auto points = store_->put_points(row->row, study.points);
  EXPECT_TRUE(points) << points.error().message;
  std::vector<PlannedRun> planned;
  for (int i = 0; i < runs; ++i) planned.push_back({points->front(), i, 0, i});
  EXPECT_TRUE(store_->put_runs(row->row, planned));
  runs_ = store_->runs(row->row).value();
}

double DurableSubmission::hand_over(Launcher& launcher,
                                    const std::vector<AllocationRequest>& requests,
                                    std::vector<JobRef>& jobs) {
  ++round_;
  const Nanoseconds before = system_clock().steady();
  std::vector<std::vector<AttemptRow>> attempts(requests.size());
  std::size_t run = 0;
  {
    auto intent = store_->begin();
    EXPECT_TRUE(intent) << intent.error().message;
    for (std::size_t i = 0; i < requests.size(); ++i) {
      for (std::size_t step = 0; step < requests[i].steps.size(); ++step) {
        auto attempt = store_->put_attempt(runs_.at(run++).row, round_, requests[i].name);
        EXPECT_TRUE(attempt) << attempt.error().message;
        attempt->submissions = 1;
        attempt->state = AttemptState::submitting;
        EXPECT_TRUE(store_->change_attempt(*attempt, AttemptState::planned));
        attempts[i].push_back(*attempt);
      }
    }
    EXPECT_TRUE((*intent)->commit());
  }
  const auto answers = launcher.submit(requests, system_clock().steady() + 10 * kMinute);
  auto noted = store_->begin();
  EXPECT_TRUE(noted) << noted.error().message;
  for (std::size_t i = 0; i < answers.size(); ++i) {
    EXPECT_TRUE(answers[i]) << answers[i].error().message;
    if (!answers[i]) continue;
    jobs.push_back(*answers[i]);
    for (AttemptRow& attempt : attempts[i]) {
      attempt.job_id = answers[i]->id;
      attempt.submitted_ns = answers[i]->submitted_ns;
      attempt.state = AttemptState::queued;
      EXPECT_TRUE(store_->change_attempt(attempt, AttemptState::submitting));
    }
  }
  EXPECT_TRUE((*noted)->commit());
  return to_seconds(system_clock().steady() - before);
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace kneepoint
