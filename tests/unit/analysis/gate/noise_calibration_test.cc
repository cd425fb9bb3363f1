// SPDX-License-Identifier: Apache-2.0
//
// Components that were put in come out again, and what runs can't tell is said.
#include "orchestrator/analysis/gate/noise_calibration.h"

#include <gtest/gtest.h>

#include <cmath>

#include "orchestrator/base/random.h"
#include "tests/unit/analysis/evidence_builder.h"

namespace kneepoint {
namespace {

struct Made {
  double repeat = 0.02, common = 0.015, point = 0.01, node = 0.012;
  int points = 8, nights = 300, repeats = 6;
  int sets_a_night = 2;  // sets of nodes that a point is on in one night
  bool new_sets = true;  // every night has sets of its own
  std::uint64_t seed = 5;
};

std::vector<NoiseRun> runs_of(const Made& made) {
  Random random(made.seed);
  std::vector<NoiseRun> runs;
  for (int night = 0; night < made.nights; ++night) {
    const double common = random.normal() * made.common;
    for (int point = 0; point < made.points; ++point) {
      const double at_point = random.normal() * made.point;
      std::vector<double> sets;
      for (int s = 0; s < made.sets_a_night; ++s) sets.push_back(random.normal() * made.node);
      for (int r = 0; r < made.repeats; ++r) {
        const int set = r % made.sets_a_night;
        const int first = made.new_sets ? night * made.sets_a_night : 0;
        runs.push_back({point, night, "n" + std::to_string(first + set),
                        point + common + at_point + sets[static_cast<std::size_t>(set)] +
                            random.normal() * made.repeat});
      }
    }
  }
  return runs;
}

bool says(const NoiseComponents& noise, const std::string& words) {
  for (const std::string& one : noise.untold) {
    if (one.find(words) != std::string::npos) return true;
  }
  return false;
}

TEST(NoiseComponentsOfRuns, ThatWerePutInComeOutAgain) {
  const auto noise = estimate_noise(runs_of({}));
  ASSERT_TRUE(noise);
  EXPECT_NEAR(noise->repeat_sd, 0.02, 0.0005);
  EXPECT_NEAR(noise->node_sd.value(), 0.012, 0.001);
  EXPECT_NEAR(noise->common_night_sd.value(), 0.015, 0.0015);
  EXPECT_NEAR(noise->point_night_sd.value(), 0.010, 0.001);
  EXPECT_NEAR(noise->night_sd().value(), 0.018, 0.0015);
  EXPECT_EQ(noise->nights, 300);
  EXPECT_EQ(noise->points, 8);
  EXPECT_EQ(noise->node_sets, 600);
  EXPECT_TRUE(noise->untold.empty()) << noise->untold.front();
}

TEST(NoiseComponentsOfRuns, WithoutNightEffectsShowNone) {
  const auto noise = estimate_noise(runs_of({.common = 0, .point = 0, .node = 0}));
  ASSERT_TRUE(noise);
  EXPECT_NEAR(noise->repeat_sd, 0.02, 0.0005);
  EXPECT_LT(noise->common_night_sd.value(), 0.002);
  EXPECT_LT(noise->point_night_sd.value(), 0.003);
  EXPECT_LT(noise->node_sd.value(), 0.003);
}

TEST(NoiseComponentsOfRuns, OnOneSetOfNodesSayNothingOfNodes) {
  const auto noise = estimate_noise(runs_of({.node = 0, .sets_a_night = 1, .new_sets = false}));
  ASSERT_TRUE(noise);
  EXPECT_FALSE(noise->node_sd);
  EXPECT_TRUE(says(*noise, "All runs were on the same nodes"));
  EXPECT_NEAR(noise->point_night_sd.value(), 0.01, 0.001);
}

TEST(NoiseComponentsOfRuns, WithOtherNodesEveryNightHoldThemForNights) {
  const auto noise = estimate_noise(runs_of({.sets_a_night = 1}));
  ASSERT_TRUE(noise);
  EXPECT_FALSE(noise->node_sd);
  EXPECT_TRUE(says(*noise, "part of what nights add"));
  EXPECT_NEAR(noise->point_night_sd.value(), std::hypot(0.01, 0.012), 0.001);
}

TEST(NoiseComponentsOfRuns, WithOtherNodesEveryRunHoldThemForRepeats) {
  const auto noise = estimate_noise(runs_of({.sets_a_night = 6}));
  ASSERT_TRUE(noise);
  EXPECT_FALSE(noise->node_sd);
  EXPECT_TRUE(says(*noise, "part of what repeats add"));
  EXPECT_NEAR(noise->repeat_sd, std::hypot(0.02, 0.012), 0.0005);
  EXPECT_NEAR(noise->point_night_sd.value(), 0.01, 0.001);
}

TEST(NoiseComponentsOfRuns, OfOneNightOrOnePointSayWhatIsMissing) {
  const auto night = estimate_noise(runs_of({.nights = 1}));
  ASSERT_TRUE(night);
  EXPECT_FALSE(night->night_sd());
  EXPECT_TRUE(says(*night, "one night only"));
  const auto point = estimate_noise(runs_of({.node = 0, .points = 1}));
  ASSERT_TRUE(point);
  EXPECT_FALSE(point->common_night_sd);
  EXPECT_NEAR(point->point_night_sd.value(), 0.018, 0.002);
  EXPECT_TRUE(says(*point, "can't be told apart"));
  EXPECT_FALSE(estimate_noise(runs_of({.nights = 3, .repeats = 1, .sets_a_night = 1})));
  EXPECT_FALSE(estimate_noise({}));
}

TEST(NoiseComponentsOfRuns, MissingRunsMoveNothingMuch) {
  std::vector<NoiseRun> runs = runs_of({});
  Random random(9);
  std::erase_if(runs, [&](const NoiseRun&) { return random.uniform() < 0.2; });
  const auto noise = estimate_noise(runs);
  ASSERT_TRUE(noise);
  EXPECT_NEAR(noise->repeat_sd, 0.02, 0.0006);
  EXPECT_NEAR(noise->node_sd.value(), 0.012, 0.0015);
  EXPECT_NEAR(noise->night_sd().value(), 0.018, 0.002);
}

TEST(NoiseRuns, AreTheValidOnesOfThePointsOfTheFirstStudy) {
  EvidenceBuilder first, second;
  first.add(Mode::strong, 1, {1.0, 1.0}).runs[1].state = AttemptState::failed;
  first.add(Mode::strong, 2, {0.5, 0.5});
  second.add(Mode::strong, 2, {0.6});
  second.add(Mode::strong, 4, {0.3});
  second.study.points[0].runs[0].hosts = "b";
  const auto runs = noise_runs({first.study, second.study});
  ASSERT_EQ(runs.size(), 4u);
  EXPECT_EQ(runs[3].point, 1);
  EXPECT_EQ(runs[3].night, 1);
  EXPECT_EQ(runs[3].nodes, "b");
  EXPECT_NEAR(runs[3].log_seconds, std::log(0.6), 1e-12);
}

NoiseComponents noise_of(double repeat, double common, double point) {
  NoiseComponents noise;
  noise.repeat_sd = repeat;
  noise.common_night_sd = common;
  noise.point_night_sd = point;
  return noise;
}

const GateShape kShape = {.curve_points = {4, 4}, .repeats = 5, .history = 12};

TEST(GateOnNoise, HardlyEverAlarmsAndAlwaysTheSame) {
  const auto noise = noise_of(0.02, 0.005, 0.005);
  const GateBehaviour quiet = simulate_gate(noise, kShape, {}, 0, 150, 3);
  EXPECT_LE(quiet.regressed, 0.01);
  EXPECT_LE(quiet.suspect, 0.08);
  const GateBehaviour again = simulate_gate(noise, kShape, {}, 0, 150, 3);
  EXPECT_EQ(quiet.suspect, again.suspect);
  EXPECT_EQ(quiet.pass, again.pass);
  const GateBehaviour slow = simulate_gate(noise, kShape, {}, 0.15, 60, 3);
  EXPECT_GE(slow.suspect + slow.regressed, 0.95);
}

TEST(GateOnNoise, SeesSmallerChangesWhereNightsAreAlike) {
  const auto calm = simulated_detectable(noise_of(0.005, 0.001, 0.001), kShape, {}, 40, 3);
  const auto rough = simulated_detectable(noise_of(0.02, 0.03, 0.01), kShape, {}, 40, 3);
  ASSERT_TRUE(calm && rough);
  EXPECT_LT(*calm, 0.03);
  EXPECT_GT(*rough, 0.08);
}

TEST(NoiseAdvice, AsksForMoreRepeatsWhereTheyHelpAndSaysWhereTheyDoNot) {
  const NoiseAdvice calm = advise_effort(noise_of(0.005, 0.002, 0.002), kShape, {});
  EXPECT_TRUE(calm.reachable);
  EXPECT_EQ(calm.repeats, 3);
  EXPECT_EQ(calm.history, 8);
  const NoiseAdvice noisy = advise_effort(noise_of(0.06, 0.002, 0.002), kShape, {});
  EXPECT_TRUE(noisy.reachable);
  EXPECT_GT(noisy.repeats, 5);
  EXPECT_LE(noisy.detectable, 0.05);
  const NoiseAdvice nights = advise_effort(noise_of(0.005, 0.05, 0.002), kShape, {});
  EXPECT_FALSE(nights.reachable);
  EXPECT_EQ(nights.repeats, 20);
  EXPECT_EQ(nights.history, 30);
  EXPECT_GT(nights.detectable, 0.1);
}

}  // namespace
}  // namespace kneepoint
