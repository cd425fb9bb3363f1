// SPDX-License-Identifier: Apache-2.0
//
// One call of `gate` on a history of 1,000 nights of 64 points takes less than 2 s. The last two
// nights are slower on one curve of eight, so that all of the answer is worked out: tests, what
// moved, and since when.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "orchestrator/base/random.h"
#include "tests/bench/child.h"
#include "tests/unit/store/store_fixture.h"

namespace kneepoint::bench {
namespace {

constexpr double kMostSeconds = 2;
constexpr int kNights = 1'000;  // before tonight
constexpr int kCases = 4;       // of two modes and eight K: 64 points
constexpr int kRepeats = 3;
constexpr int kCalls = 5;
const std::string kSeries = "nightly-0a1b2c3d";

Study study_of_64_points() {
  Study study = make_study("nightly", "0a1b2c3d");
  study.plan.text =
      "study: nightly\nmodes: [strong, weak]\nscale: [1, 2, 4, 8, 16, 32, 64, 128]\nrepeat: 3\n"
      "workloads: [{name: jacobi, command: [jacobi], metrics: {time: {pattern: \"t=([0-9.]+)\"}}}]"
      "\n";
  study.points.clear();
  for (int c = 0; c < kCases; ++c) {
    for (const Mode mode : {Mode::strong, Mode::weak}) {
      for (int k = 1; k <= 128; k *= 2) {
        Point& point = study.points.emplace_back(make_point(k, mode));
        point.case_name = "jacobi[order=" + std::to_string(c) + "]";
        point.parameters = {{"order", std::to_string(c)}};
      }
    }
  }
  return study;
}

class GateBench : public ::testing::Test {
 protected:
  void SetUp() override {
    auto store = StudyStore::open(database_, StudyStore::Access::read_write, clock_);
    ASSERT_TRUE(store) << store.error().message;
    auto transaction = (*store)->begin();
    ASSERT_TRUE(transaction);
    const Study study = study_of_64_points();
    ASSERT_EQ(study.points.size(), 64u);
    for (int n = 1; n <= kNights + 1; ++n) {
      clock_.advance(24 * kHour);
      ASSERT_NO_FATAL_FAILURE(put_night(**store, study, n));
    }
    ASSERT_TRUE((*transaction)->commit());
  }

  void put_night(StudyStore& store, const Study& study, int n) {
    const auto row =
        store.create_study(study, make_site(), n, "/shared/nightly-" + std::to_string(n));
    ASSERT_TRUE(row) << row.error().message;
    const auto points = store.put_points(row->row, study.points);
    ASSERT_TRUE(points) << points.error().message;
    std::vector<FinishedRun> runs;
    for (std::size_t i = 0; i < points->size(); ++i) {
      const Point& point = study.points[i];
      const bool slower = n >= kNights && i < 8;
      const double seconds =
          (point.mode == Mode::strong ? 0.1 + 10.0 / point.k : 10.0) * (slower ? 1.1 : 1.0);
      const double of_night = 1 + 0.004 * random_.normal();
      for (int repeat = 0; repeat < kRepeats; ++repeat) {
        runs.push_back({(*points)[i],
                        repeat,
                        seconds * of_night * (1 + 0.004 * random_.normal()),
                        "",
                        {},
                        {{"node", "cpu.model", "A"}, {"study", "mpi.library", "x 1.0"}}});
      }
    }
    const auto put = store.put_finished_runs(row->row, runs);
    ASSERT_TRUE(put) << put.error().message;
    ASSERT_TRUE(store.set_study_state(row->row, "finished"));
  }

  ChildEnd gate(std::vector<std::string> flags) const {
    flags.insert(flags.begin(), {KP_BIN_DIR "/kneepoint", "gate", "nightly"});
    return run_child(flags, {"KNEEPOINT_DB=" + database_});
  }

  const std::string database_ = fresh_folder("gate") + "/kneepoint.db";
  FakeClock clock_;
  Random random_{7};
};

TEST_F(GateBench, AHistoryOfAThousandNightsOf64PointsIsJudgedWithinTwoSeconds) {
  std::vector<double> seconds;
  double megabytes = 0;
  for (int i = 0; i < kCalls; ++i) {
    const ChildEnd end = gate({});
    ASSERT_EQ(end.exit_code, 1) << end.output;
    EXPECT_NE(end.output.find("Series " + kSeries + ": " + kSeries + "-1001 against 90 nights"),
              std::string::npos)
        << end.output;
    EXPECT_NE(end.output.find("\nREGRESSED  " + kSeries + "-1001: "), std::string::npos)
        << end.output;
    seconds.push_back(end.cpu_seconds);
    megabytes = std::max(megabytes, end.peak_megabytes);
  }
  const double worst = *std::max_element(seconds.begin(), seconds.end());
  std::printf(
      "bench: gate on 1,000 nights x 64 points: first %.2f s of CPU, worst of %d %.2f s; peak "
      "memory %.0f "
      "MB\n",
      seconds.front(), kCalls, worst, megabytes);
  EXPECT_LT(seconds.front(), kMostSeconds);
  EXPECT_LT(worst, kMostSeconds);

  const ChildEnd end = gate({"--json"});
  const auto answer = nlohmann::json::parse(end.output, nullptr, false);
  ASSERT_TRUE(answer.is_object()) << end.output.substr(0, 2000);
  EXPECT_EQ(answer["nights"], 90) << "no more are read";
  EXPECT_EQ(answer["points"].size(), 64u);
  ASSERT_EQ(answer["curves"].size(), 8u);
  EXPECT_EQ(answer["curves"][0]["slower"], true);
  EXPECT_EQ(answer["curves"][0]["since"], kSeries + "-1000");
  EXPECT_EQ(answer["left_out"].size(), 0u) << answer["left_out"];
}

}  // namespace
}  // namespace kneepoint::bench
