// SPDX-License-Identifier: Apache-2.0
//
// The baseline study, slow drifts, moved knees and what inconclusive nights lack.
#include <gtest/gtest.h>

#include <cmath>

#include "orchestrator/analysis/gate/turns.h"
#include "tests/unit/analysis/nights.h"

namespace kneepoint {
namespace {

// A night of Amdahl's law at K = 1 .. 64, five runs each.
double amdahl_seconds(int k, double serial) {
  return serial + (1 - serial) / k;
}

class KneeNights {
 public:
  explicit KneeNights(std::uint64_t seed, double noise = 0.005) : random_(seed), noise_(noise) {
    for (int k = 1; k <= 64; k *= 2) {
      GateSeries one;
      one.k = k;
      one.curve = "app strong";
      one.key = "K=" + std::to_string(k);
      series.push_back(one);
    }
  }

  void night(double serial, double common = 0) {
    for (GateSeries& one : series) {
      one.runs.clear();
      for (int r = 0; r < 5; ++r) one.runs.push_back(run(one.k, serial) * std::exp(common));
      one.log_medians.push_back(std::log(median(one.runs)));
    }
  }

  std::vector<ConfirmedPoint> turns(double old_serial, double new_serial) {
    std::vector<ConfirmedPoint> points;
    for (const GateSeries& one : series) {
      ConfirmedPoint point{one.key, {}, {}};
      for (int r = 0; r < 5; ++r) {
        point.baseline.push_back(run(one.k, old_serial));
        point.candidate.push_back(run(one.k, new_serial));
      }
      points.push_back(point);
    }
    return points;
  }

  double normal() { return random_.normal(); }
  std::vector<GateSeries> series;

 private:
  double run(int k, double serial) {
    return amdahl_seconds(k, serial) * std::exp(noise_ * normal());
  }
  Random random_;
  double noise_;
};

TEST(KneeShift, AMovedKneeIsSuspectAndBuildsInTurnsProveIt) {
  KneeNights nights(1);
  for (int i = 0; i < 20; ++i) nights.night(0.02);
  const GateAnswer quiet = gate(nights.series);
  EXPECT_EQ(quiet.verdict, Verdict::pass) << quiet.why;
  ASSERT_EQ(quiet.knees.size(), 1u);
  EXPECT_NEAR(quiet.knees[0].tonight, (1 / 0.7 - 0.98) / 0.02, 1);  // 22.4
  EXPECT_FALSE(quiet.knees[0].shifted);
  nights.night(0.03);
  const GateAnswer moved = gate(nights.series);
  EXPECT_EQ(moved.verdict, Verdict::suspect) << moved.why;
  ASSERT_TRUE(moved.knees[0].shifted);
  EXPECT_NEAR(moved.knees[0].octaves, std::log2(15.29 / 22.43), 0.08);
  EXPECT_LT(moved.knees[0].high, 0);
  EXPECT_EQ(turns_wanted(nights.series, moved).size(), 7u);
  const GateAnswer proven = gate(nights.series, {}, nights.turns(0.02, 0.03));
  EXPECT_TRUE(proven.knees[0].confirmed);
  EXPECT_EQ(proven.verdict, Verdict::regressed);
  EXPECT_FALSE(gate(nights.series, {}, nights.turns(0.02, 0.02)).knees[0].confirmed);
}

TEST(KneeShift, AMovedKneeAloneIsSuspect) {
  // So small a floor of effects that only the knee speaks.
  KneeNights nights(2);
  for (int i = 0; i < 20; ++i) nights.night(0.02);
  nights.night(0.03);
  GateOptions options;
  options.min_effect = options.curve_effect = 9;
  const GateAnswer answer = gate(nights.series, options);
  EXPECT_EQ(answer.verdict, Verdict::suspect);
  EXPECT_EQ(answer.why,
            "the knee is at a smaller K than in the nights before; one night proves nothing yet");
}

// With 2% between runs, 1% between nights and 1% at each point.
TEST(KneeShift, TheSameBuildHardlyEverMovesIt) {
  constexpr int kTrials = 150;
  int shifted = 0;
  for (int i = 0; i < kTrials; ++i) {
    KneeNights nights(static_cast<std::uint64_t>(100 + i), 0.0224);
    for (int night = 0; night <= 20; ++night) nights.night(0.02, 0.01 * nights.normal());
    shifted += gate(nights.series).knees.at(0).shifted ? 1 : 0;
  }
  std::printf("knees of the same build that moved: %d of %d nights\n", shifted, kTrials);
  EXPECT_LE(shifted, 5);
}

TEST(Drift, ASlowCreepIsSeenAgainstTheBaselineNotAgainstTheNightsBefore) {
  NightMaker maker(5, {.runs = 0.01});
  std::vector<GateSeries> series = maker.series(0);
  for (GateSeries& one : series) one.baseline_runs = {1, 1, 1};
  int night = 0;
  for (; night < 60; ++night) maker.add_night(series, [&](int) { return 1 + 0.0005 * night; });
  const GateAnswer creeping = gate(series);
  ASSERT_EQ(creeping.drifts.size(), 2u);
  EXPECT_FALSE(creeping.drifts[0].drifted) << creeping.drifts[0].ratio;
  for (; night < 150; ++night) maker.add_night(series, [&](int) { return 1 + 0.0005 * night; });
  const GateAnswer far = gate(series);
  EXPECT_TRUE(far.drifts[0].drifted);
  EXPECT_NEAR(far.drifts[0].ratio, 1.074, 0.01);
  EXPECT_EQ(far.verdict, Verdict::regressed) << far.why;
  EXPECT_EQ(turns_wanted(series, far).size(), 16u);
}

TEST(Baseline, StandsInWhileNightsAreFewAndTurnsDecide) {
  NightMaker maker(6, {.runs = 0.01});
  std::vector<GateSeries> series = maker.series(3);
  for (GateSeries& one : series) {
    one.baseline_runs = {1.00, 1.01, 0.99, 1.005, 0.995};
    one.runs = {1.10, 1.11, 1.09, 1.105, 1.095};
  }
  const GateAnswer answer = gate(series);
  EXPECT_EQ(answer.verdict, Verdict::no_baseline);
  ASSERT_EQ(answer.against_baseline.size(), 16u);
  EXPECT_TRUE(answer.against_baseline[0].slower);
  EXPECT_NEAR(answer.against_baseline[0].ratio, 1.1, 1e-9);
  EXPECT_EQ(answer.against_baseline[0].cliff, 1);
  EXPECT_NE(answer.why.find("16 of 16 points took longer"), std::string::npos) << answer.why;
  const GateAnswer proven = gate(series, {}, maker.turns(series, [](int) { return 1.1; }));
  EXPECT_EQ(proven.verdict, Verdict::regressed) << proven.why;
  const GateAnswer same = gate(series, {}, maker.turns(series, [](int) { return 1.0; }));
  EXPECT_EQ(same.verdict, Verdict::no_baseline);
}

// One point whose nights go up and down by `swing`, of five runs that scatter by `run_sd`.
GateAnswer swinging(int nights, double swing, double run_sd) {
  std::vector<GateSeries> series(1);
  series[0].key = series[0].curve = "a";
  for (int i = 0; i <= nights; ++i) {
    series[0].log_medians.push_back(i == nights ? 0 : i % 2 == 0 ? swing : -swing);
  }
  series[0].runs = std::vector<double>(5, 1.0);
  series[0].run_sd = run_sd;
  return gate(series);
}

TEST(Needs, MoreNightsWhereTheyAreFew) {
  const GateAnswer answer = swinging(8, 0.0146, 0);
  ASSERT_EQ(answer.verdict, Verdict::inconclusive) << answer.why;
  ASSERT_TRUE(answer.needs);
  EXPECT_EQ(answer.needs->repeats, 0);
  EXPECT_GT(answer.needs->nights, 0);
  EXPECT_TRUE(answer.why.ends_with(" would do")) << answer.why;
  // So many make it conclusive.
  const GateAnswer then = swinging(8 + answer.needs->nights, 0.0146, 0);
  EXPECT_EQ(then.verdict, Verdict::pass) << then.why;
}

TEST(Needs, MoreRepeatsWhereRunsScatterAndNothingWhereNightsDo) {
  const GateAnswer repeats = swinging(30, 0.02, 0.0344);
  ASSERT_EQ(repeats.verdict, Verdict::inconclusive) << repeats.why;
  EXPECT_GT(repeats.needs->repeats, 8);
  EXPECT_LT(repeats.needs->repeats, 30);
  EXPECT_NE(repeats.why.find("repeats instead of 5 would do"), std::string::npos) << repeats.why;
  const GateAnswer hopeless = swinging(30, 0.05, 0.01);
  ASSERT_EQ(hopeless.verdict, Verdict::inconclusive) << hopeless.why;
  EXPECT_EQ(hopeless.needs->repeats, 0);
  EXPECT_NE(hopeless.why.find("neither more nights nor more repeats"), std::string::npos);
}

TEST(CliffsDelta, CountsPairs) {
  EXPECT_EQ(cliffs_delta({3, 4}, {1, 2}), 1);
  EXPECT_EQ(cliffs_delta({1, 2}, {3, 4}), -1);
  EXPECT_EQ(cliffs_delta({1, 2}, {1, 2}), 0);
  EXPECT_EQ(cliffs_delta({1, 3}, {2}), 0);
  EXPECT_EQ(cliffs_delta({}, {2}), 0);
}

}  // namespace
}  // namespace kneepoint
