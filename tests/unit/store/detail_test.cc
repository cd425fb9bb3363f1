// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/store/store_fixture.h"

namespace kneepoint {
namespace {

using S = AttemptState;

class DetailTest : public StoreTest {
 protected:
  void SetUp() override {
    store_ = open();
    study_ = create(*store_).row;
    put_matrix(*store_, study_);  // r1..r6: three points, two repeats
  }

  AttemptResult result_of(int number) const {
    AttemptResult result;
    for (int i = 0; i < 4; ++i) {
      Sample sample;
      sample.iteration = i;
      sample.warmup = i == 0;
      sample.max_ns = (number * 100 + i) * kMillisecond;
      sample.mean_ns = sample.min_ns = 1;
      result.samples.push_back(sample);
    }
    result.ranks = {{1, "n2", "1", 7, 8, 2.5}, {0, "n1", "0-3", 5, 6, 1.5}};
    result.metrics = {{"time", number * 1.0, "s"}, {"energy", 9, "J"}};
    result.facts = {{"n1", "cpu.model", "Xeon"},
                    {"n1", "boot_id", "b" + std::to_string(number)},
                    {"run", "program.hash", "00ff"}};
    result.profile = {{1, true, 2, 1000, 1, 2, 3, 4, 5, 6},
                      {0, false, 1, 900, 7, 8, 9, 10, 11, 12}};
    result.operations = {{"MPI_Send", "point_to_point", 4, 32, 200, 150},
                         {"MPI_Bcast", "collective", 2, 16, 100, 60}};
    result.seconds = number;
    return result;
  }

  void end_run(int number, const AttemptResult& result, S end, int attempt_number = 1) {
    for (const auto& run : store_->runs(study_).value()) {
      if (run.number != number) continue;
      const auto attempt = store_->put_attempt(run.row, attempt_number, "kp").value();
      ASSERT_TRUE(store_->put_result(attempt.row, result));
      drive(*store_, attempt, end, end == S::succeeded ? Reason::none : Reason::exit_code);
    }
  }

  std::unique_ptr<StudyStore> store_;
  RowId study_ = 0;
};

TEST_F(DetailTest, HasWhatEveryValidRunReported) {
  end_run(4, result_of(4), S::succeeded);  // the second repeat first
  end_run(1, result_of(1), S::succeeded);
  const auto e = store_->evidence_in_detail(study_).value();
  ASSERT_EQ(e.points.size(), 3U);
  ASSERT_EQ(e.points[0].details.size(), 2U);
  EXPECT_TRUE(e.points[1].details.empty());
  for (const int i : {0, 1}) {
    const auto at = static_cast<std::size_t>(i);
    const RunDetail& run = e.points[0].details[at];
    EXPECT_EQ(run.number, e.points[0].runs[at].number);
    const int number = i == 0 ? 1 : 4;
    EXPECT_EQ(run.number, number);
    const double first = number * 0.1;
    ASSERT_EQ(run.iteration_seconds.size(), 3U);  // the warm-up is not among them
    EXPECT_DOUBLE_EQ(run.iteration_seconds[0], first + 0.001);
    EXPECT_DOUBLE_EQ(run.iteration_seconds[1], first + 0.002);
    EXPECT_DOUBLE_EQ(run.iteration_seconds[2], first + 0.003);
    ASSERT_EQ(run.ranks.size(), 2U);
    EXPECT_EQ(run.ranks[0].rank, 0);
    EXPECT_EQ(run.ranks[0].host, "n1");
    EXPECT_EQ(run.ranks[0].cpus, "0-3");
    ASSERT_EQ(run.profile.size(), 2U);
    EXPECT_EQ(run.profile[0].rank, 0);
    EXPECT_FALSE(run.profile[0].complete);
    EXPECT_EQ(run.profile[1].threads, 2);
    EXPECT_EQ(run.profile[1].communication_ns(), 1 + 2 + 3 + 4);
    EXPECT_EQ(run.profile[1].other_threads_ns, 6);
    ASSERT_EQ(run.operations.size(), 2U);
    EXPECT_EQ(run.operations[0].name, "MPI_Bcast");
    EXPECT_EQ(run.operations[1].bytes, 32);
    EXPECT_EQ(run.operations[1].max_ns, 150);
    EXPECT_EQ(run.ranks[0].compute_ns, 5);
    EXPECT_EQ(run.ranks[0].communication_ns, 6);
    EXPECT_EQ(run.ranks[0].work, 1.5);
    EXPECT_EQ(run.ranks[1].rank, 1);
    ASSERT_EQ(run.metrics.size(), 2U);
    EXPECT_EQ(run.metrics[0].name, "energy");
    EXPECT_EQ(run.metrics[1].value, number);
    EXPECT_EQ(run.metrics[1].unit, "s");
    ASSERT_EQ(run.facts.size(), 3U);
    EXPECT_EQ(run.facts[0].name, "boot_id");
    EXPECT_EQ(run.facts[0].value, "b" + std::to_string(number));
    EXPECT_EQ(run.facts[0].scope, "n1");
  }
}

TEST_F(DetailTest, RunsThatFailedOrAreOpenHaveNone) {
  end_run(1, result_of(1), S::failed);
  end_run(4, result_of(4), S::failed);
  end_run(4, result_of(5), S::succeeded, 2);
  const auto e = store_->evidence_in_detail(study_).value();
  ASSERT_EQ(e.points[0].runs.size(), 2U);
  ASSERT_EQ(e.points[0].details.size(), 1U);
  const RunDetail& run = e.points[0].details[0];
  EXPECT_EQ(run.number, 4);
  ASSERT_EQ(run.iteration_seconds.size(), 3U);
  EXPECT_DOUBLE_EQ(run.iteration_seconds[0], 0.501);  // of the attempt that decides
  EXPECT_EQ(run.facts.size(), 3U);
  EXPECT_EQ(e.points[0].runs[0].provenance, "");
}

TEST_F(DetailTest, AnotherStudysRowsStayOut) {
  end_run(1, result_of(1), S::succeeded);
  const RowId other = create(*store_, "other", "11111111").row;
  put_matrix(*store_, other);
  const auto e = store_->evidence_in_detail(other).value();
  for (const auto& point : e.points) EXPECT_TRUE(point.details.empty());
}

TEST_F(DetailTest, PlainEvidenceHasNoDetailsButTheSameProvenance) {
  auto other = result_of(4);
  other.facts[0].value = "Epyc";
  end_run(1, result_of(1), S::succeeded);
  end_run(4, other, S::succeeded);
  end_run(2, AttemptResult{}, S::succeeded);
  const auto plain = store_->evidence(study_).value();
  const auto detailed = store_->evidence_in_detail(study_).value();
  ASSERT_EQ(plain.points.size(), detailed.points.size());
  for (std::size_t p = 0; p < plain.points.size(); ++p) {
    EXPECT_TRUE(plain.points[p].details.empty());
    ASSERT_EQ(plain.points[p].runs.size(), detailed.points[p].runs.size());
    for (std::size_t r = 0; r < plain.points[p].runs.size(); ++r) {
      EXPECT_EQ(plain.points[p].runs[r].provenance, detailed.points[p].runs[r].provenance);
      EXPECT_EQ(plain.points[p].runs[r].seconds, detailed.points[p].runs[r].seconds);
    }
  }
  EXPECT_EQ(plain.points[0].runs[0].provenance, "cpu.model=Xeon; program=00ff");
  EXPECT_EQ(plain.points[0].runs[1].provenance, "cpu.model=Epyc; program=00ff");
  EXPECT_EQ(plain.points[1].runs[0].provenance, "");
}

TEST_F(DetailTest, AStudyThatIsNotThereIsSaid) {
  const auto e = store_->evidence_in_detail(study_ + 99);
  ASSERT_FALSE(e);
  EXPECT_EQ(e.error().code, ErrorCode::not_found);
}

}  // namespace
}  // namespace kneepoint
