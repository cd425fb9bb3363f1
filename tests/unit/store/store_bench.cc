// SPDX-License-Identifier: Apache-2.0
//
// How long a large study takes to put and to load. The bounds are what the commands above it need
// to stay under 0.3 s; not part of the quick tests, since other load on the machine shows.
#include <cstdio>

#include "tests/unit/store/store_fixture.h"

namespace kneepoint {
namespace {

class StoreBench : public StoreTest {
 protected:
  template <typename Work>
  double timed(const char* what, Work work) {
    const Nanoseconds before = system_clock().steady();
    work();
    const double seconds = to_seconds(system_clock().steady() - before);
    std::printf("%-32s %8.1f ms\n", what, seconds * 1e3);
    return seconds;
  }

  void finish_all(StudyStore& store, const std::vector<RunRow>& runs) {
    for (const auto& run : runs) {
      auto transaction = store.begin();
      const auto attempt = store.put_attempt(run.row, 1, "kp-0a1b2c3d-1-17-a1").value();
      AttemptResult result;
      for (int i = 0; i < 6; ++i) result.samples.push_back({i, i == 0, 9, 8, 7, 5, 2, 1});
      for (int i = 0; i < 4; ++i) result.ranks.push_back({i, "node", "0", 1, 1, 1.0});
      for (int i = 0; i < 30; ++i) {
        result.facts.push_back({"node", "fact." + std::to_string(i), "some value of it"});
      }
      result.seconds = 1;
      result.hosts = "node";
      ASSERT_TRUE(store.put_result(attempt.row, result));
      drive(store, attempt, AttemptState::succeeded, Reason::none, kSecond, 2 * kSecond);
      ASSERT_TRUE(store.finish_run(run.row));
      for (int i = 0; i < 4; ++i) {
        ASSERT_TRUE(store.put_event(1, Event{1, "state", "queued -> running", run.number, 1}));
      }
      ASSERT_TRUE((*transaction)->commit());
    }
  }

  void measure(int runs_wanted, double evidence_bound, double runs_bound) {
    auto store = open();
    const RowId study = create(*store).row;
    std::vector<Point> points;
    for (int k = 1; k <= runs_wanted / 10; ++k) points.push_back(make_point(k));
    std::vector<PlannedRun> planned;
    std::vector<RowId> rows;
    timed("put_points", [&] { rows = store->put_points(study, points).value(); });
    for (const RowId row : rows) {
      for (int repeat = 0; repeat < 10; ++repeat) {
        planned.push_back({row, repeat, 0, static_cast<int>(planned.size())});
      }
    }
    EXPECT_LT(timed("put_runs", [&] { ASSERT_TRUE(store->put_runs(study, planned)); }), 0.5);
    const auto runs = store->runs(study).value();
    ASSERT_EQ(static_cast<int>(runs.size()), runs_wanted);
    timed("finish every run", [&] { finish_all(*store, runs); });
    store.reset();
    timed("open", [&] { store = open(StudyStore::Access::read_only); });
    EXPECT_LT(timed("evidence", [&] { ASSERT_TRUE(store->evidence(study)); }), evidence_bound);
    EXPECT_LT(timed("runs", [&] { ASSERT_TRUE(store->runs(study)); }), runs_bound);
    timed("studies", [&] { ASSERT_TRUE(store->studies()); });
  }
};

TEST_F(StoreBench, AThousandRuns) {
  measure(1000, 0.1, 0.05);
}

TEST_F(StoreBench, TenThousandRuns) {
  measure(10000, 0.3, 0.1);
}

TEST_F(StoreBench, TenThousandPoints) {
  auto store = open();
  const RowId study = create(*store).row;
  std::vector<Point> points;
  for (int k = 1; k <= 10000; ++k) points.push_back(make_point(k));
  EXPECT_LT(timed("put_points", [&] { ASSERT_TRUE(store->put_points(study, points)); }), 0.5);
  EXPECT_LT(timed("put_points again", [&] { ASSERT_TRUE(store->put_points(study, points)); }), 0.2);
  EXPECT_LT(timed("evidence", [&] { ASSERT_TRUE(store->evidence(study)); }), 0.3);
}

}  // namespace
}  // namespace kneepoint
