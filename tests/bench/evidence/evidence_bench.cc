// SPDX-License-Identifier: Apache-2.0
//
// A study of one million samples (40 points, 25 repeats, 1000 iterations each), read from the
// database and summarised, against stated limits and beside a plain read of the same rows.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cstdio>
#include <ctime>

#include "orchestrator/analysis/statistics/summary.h"
#include "orchestrator/analysis/statistics/tail.h"
#include "orchestrator/base/random.h"
#include "orchestrator/store/database.h"
#include "tests/unit/store/store_fixture.h"

namespace kneepoint::bench {
namespace {

constexpr int kPoints = 40, kRepeats = 25, kIterations = 1000;
constexpr double kMostSeconds = 2;
constexpr double kMostMegabytes = 300;

// Of this process: other load on the machine doesn't count.
double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// The most memory this process had at any moment.
double peak_megabytes() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  return static_cast<double>(used.ru_maxrss) / 1024;
}

class EvidenceBench : public StoreTest {
 protected:
  AttemptResult result_of(int k) {
    AttemptResult result;
    result.samples.resize(kIterations + 1);
    for (int i = 0; i <= kIterations; ++i) {
      Sample& sample = result.samples[static_cast<std::size_t>(i)];
      sample.iteration = i;
      sample.warmup = i == 0;
      const auto noise = static_cast<Nanoseconds>(random_.uniform() * 1e6);
      sample.max_ns = sample.mean_ns = sample.min_ns = 10 * kMillisecond / k + noise;
      sample.compute_ns = sample.mean_ns;
      result.seconds += to_seconds(sample.max_ns);
    }
    for (int rank = 0; rank < k; ++rank) {
      result.ranks.push_back({rank, "node-" + std::to_string(rank / 16), "0-1", 9, 1, 100});
    }
    result.metrics = {{"residual", 1e-9, ""}};
    for (int i = 0; i < 30; ++i) {
      result.facts.push_back({"node-0", "fact." + std::to_string(i), "some value of that fact"});
    }
    result.facts.push_back({"node-0", "cpu.model", "A Processor of Some Make @ 2.30GHz"});
    result.facts.push_back({"run", "program.hash", "0123456789abcdef"});
    result.hosts = "node-0";
    return result;
  }

  RowId build_study() {
    auto store = open();
    const RowId study = create(*store).row;
    std::vector<Point> points;
    for (int k = 1; k <= kPoints; ++k) points.push_back(make_point(k));
    std::vector<PlannedRun> planned;
    for (const RowId row : store->put_points(study, points).value()) {
      for (int repeat = 0; repeat < kRepeats; ++repeat) {
        planned.push_back({row, repeat, 0, static_cast<int>(planned.size())});
      }
    }
    EXPECT_TRUE(store->put_runs(study, planned));
    const auto runs = store->runs(study).value();
    auto transaction = store->begin();
    for (std::size_t i = 0; i < runs.size(); ++i) {
      const auto attempt = store->put_attempt(runs[i].row, 1, "kp").value();
      EXPECT_TRUE(store->put_result(attempt.row, result_of(static_cast<int>(i) / kRepeats + 1)));
      drive(*store, attempt, AttemptState::succeeded, Reason::none, kSecond, 2 * kSecond);
      EXPECT_TRUE(store->finish_run(runs[i].row));
    }
    EXPECT_TRUE((*transaction)->commit());
    return study;
  }

  // The rows that the samples are made of, and nothing done with them.
  double plain_read() {
    auto database = Database::open_read_only(path()).value();
    const double start = cpu_seconds();
    auto row =
        database->query("SELECT attempt, warmup, iteration, max_ns FROM samples WHERE warmup = 0")
            .value();
    std::int64_t attempt = 0, warmup = 0, iteration = 0, max_ns = 0, rows = 0, sum = 0;
    while (row.next().value()) {
      row.read(attempt, warmup, iteration, max_ns);
      sum += max_ns;
      ++rows;
    }
    EXPECT_EQ(rows, kPoints * kRepeats * kIterations);
    EXPECT_GT(sum, 0);
    return cpu_seconds() - start;
  }

  Random random_{1};
};

TEST_F(EvidenceBench, AMillionSamplesAreSummarisedInLessThan2SecondsAnd300Megabytes) {
  const RowId study = build_study();
  plain_read();  // so that the next finds the pages where ours does
  const double plain = plain_read();
  auto store = open(StudyStore::Access::read_only);

  const double start = cpu_seconds();
  const auto evidence = store->evidence_in_detail(study).value();
  const double read = cpu_seconds();
  const StudySummary summary = summarise(evidence);
  std::int64_t samples = 0;
  for (const PointEvidence& at : evidence.points) {
    std::vector<double> seconds;
    for (const RunDetail& run : at.details) {
      seconds.insert(seconds.end(), run.iteration_seconds.begin(), run.iteration_seconds.end());
    }
    samples += summarise_tail(std::move(seconds)).value().samples;
  }
  const double end = cpu_seconds();

  std::printf(
      "bench: 1,000,000 samples: read %.3f s, summarised %.3f s, all %.3f s; %.2f times a plain "
      "read of the same rows (%.3f s); at most %.0f MB\n",
      read - start, end - read, end - start, (end - start) / plain, plain, peak_megabytes());
  EXPECT_EQ(samples, 1'000'000);
  ASSERT_EQ(summary.curves.size(), 1U);
  EXPECT_EQ(summary.curves[0].points.size(), static_cast<std::size_t>(kPoints));
  EXPECT_LT(end - start, kMostSeconds);
  EXPECT_LT(peak_megabytes(), kMostMegabytes);
}

}  // namespace
}  // namespace kneepoint::bench
