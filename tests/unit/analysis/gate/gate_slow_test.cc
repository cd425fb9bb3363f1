// SPDX-License-Identifier: Apache-2.0
//
// What the nightly gate promises, by simulation: how often it cries wolf, what it sees, when it
// dates a change. Seeded; the figures are printed.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <map>

#include "orchestrator/analysis/gate/turns.h"
#include "tests/unit/analysis/nights.h"

namespace kneepoint {
namespace {

constexpr int kHistory = 20;
constexpr NightNoise kNoise = {.runs = 0.02, .common = 0.01, .point = 0.01};

// The verdict of `gate --confirm`: builds in turns where something is suspect, as many pairs as it
// measures.
GateAnswer verdict_of(NightMaker& maker, const std::vector<GateSeries>& series,
                      const NightMaker::Factor& factor) {
  GateAnswer answer = gate(series);
  const std::vector<TurnsWanted> wanted = turns_wanted(series, answer);
  if (wanted.empty()) return answer;
  std::vector<ConfirmedPoint> turns;
  for (ConfirmedPoint& one : maker.turns(series, factor)) {
    for (const TurnsWanted& point : wanted) {
      if (point.key != one.key) continue;
      one.baseline.resize(static_cast<std::size_t>(point.pairs));
      one.candidate.resize(static_cast<std::size_t>(point.pairs));
      turns.push_back(std::move(one));
      break;
    }
  }
  return gate(series, {}, turns);
}

// Nights with all that the gate looks at: a law over K with a knee, runs, and the first night as
// the baseline.
std::vector<GateSeries> whole_series(NightMaker& maker, int history) {
  maker.use_laws();
  std::vector<GateSeries> series = maker.series(0);
  NightMaker::pin_tonight(series);
  for (int night = 0; night < history; ++night) maker.add_night(series, [](int) { return 1.0; });
  return series;
}

double share(int count, int of) {
  return static_cast<double>(count) / of;
}

TEST(GateSimulation, TheSameBuildHardlyEverAlarms) {
  constexpr int kNights = 1500;
  std::map<Verdict, int> seen;
  int two_nights = 0, steps = 0, slower = 0, drifts = 0, knees = 0;
  for (int i = 0; i < kNights; ++i) {
    NightMaker maker(static_cast<std::uint64_t>(1000 + i), kNoise);
    const auto same = [](int) { return 1.0; };
    const std::vector<GateSeries> series = whole_series(maker, kHistory);
    const GateAnswer alone = gate(series);
    two_nights += alone.verdict == Verdict::regressed ? 1 : 0;
    const bool step = alone.why.starts_with("slower since ");
    steps += step ? 1 : 0;
    bool is_slower = false, drift = false, knee = false;
    for (const auto* list : {&alone.points, &alone.curves}) {
      for (const GateFinding& one : *list) is_slower = is_slower || one.slower;
    }
    for (const Drift& one : alone.drifts) drift = drift || one.drifted;
    for (const KneeShift& one : alone.knees) knee = knee || (one.shifted && one.octaves < 0);
    slower += is_slower && !step ? 1 : 0;
    drifts += drift ? 1 : 0;
    knees += knee ? 1 : 0;
    ++seen[verdict_of(maker, series, same).verdict];
  }
  std::printf(
      "A/A, %d nights, 16 points x 5 repeats, history %d, noise 2%%, nights 1%% + 1%%: PASS %.4f, "
      "SUSPECT %.4f, REGRESSED %.4f, IMPROVED %.4f, INCONCLUSIVE %.4f; by two nights in a row "
      "or a dated step instead of builds in turns REGRESSED %.4f, the step alone %.4f; suspect by "
      "slower "
      "points or curves %.4f, drift %.4f, knee %.4f\n",
      kNights, kHistory, share(seen[Verdict::pass], kNights),
      share(seen[Verdict::suspect], kNights), share(seen[Verdict::regressed], kNights),
      share(seen[Verdict::improved], kNights), share(seen[Verdict::inconclusive], kNights),
      share(two_nights, kNights), share(steps, kNights), share(slower, kNights),
      share(drifts, kNights), share(knees, kNights));
  EXPECT_LE(share(seen[Verdict::suspect], kNights), 0.08);
  EXPECT_LE(share(seen[Verdict::regressed], kNights), 0.005);
  EXPECT_GE(share(seen[Verdict::pass], kNights), 0.90);
}

// As many nights as change points look at: the more there are, the more often one is dated. Knees
// are not looked at here, since runs are not known.
TEST(GateSimulation, AQuietSeriesHardlyEverHasAStep) {
  constexpr int kNights = 1500, kLongHistory = 59;
  int steps = 0, regressed = 0;
  for (int i = 0; i < kNights; ++i) {
    NightMaker maker(static_cast<std::uint64_t>(95'000 + i), kNoise);
    const GateAnswer answer = gate(maker.series(kLongHistory));
    steps += answer.why.starts_with("slower since ") ? 1 : 0;
    regressed += answer.verdict == Verdict::regressed ? 1 : 0;
  }
  std::printf(
      "A/A, %d nights, history %d, without turns: REGRESSED %.4f, by a dated step alone %.4f\n",
      kNights, kLongHistory, share(regressed, kNights), share(steps, kNights));
  EXPECT_LE(share(steps, kNights), 0.005);
}

// Every night against one baseline, which may itself have been a fast night: alarms come in rows.
TEST(GateSimulation, DriftIsSeenAndQuietSeriesHaveNone) {
  constexpr int kSeries = 200, kNights = 60, kCreep = 120;
  int nights = 0, twice = 0, series_with = 0, found = 0, by_nights = 0;
  const auto drifts_of = [](std::vector<GateSeries> series) {
    for (GateSeries& one : series) one.runs.clear();  // knees are not looked at here
    return gate(series).drifts;
  };
  for (int i = 0; i < kSeries; ++i) {
    NightMaker maker(static_cast<std::uint64_t>(80'000 + i), kNoise);
    std::vector<GateSeries> series = whole_series(maker, kHistory - 1);
    bool any = false;
    for (int night = 0; night < kNights; ++night) {
      maker.add_night(series, [](int) { return 1.0; });
      bool drifted = false, proven = false;
      for (const Drift& one : drifts_of(series)) {
        drifted = drifted || one.drifted;
        proven = proven || (one.drifted && one.drifted_before);
      }
      nights += drifted ? 1 : 0;
      twice += proven ? 1 : 0;
      any = any || drifted;
    }
    series_with += any ? 1 : 0;
    // 0.1% slower every night: never much against the nights just before.
    NightMaker creeper(static_cast<std::uint64_t>(90'000 + i), kNoise);
    std::vector<GateSeries> creeping = whole_series(creeper, kHistory - 1);
    bool seen = false;
    for (int night = 1; night <= kCreep && !seen; ++night) {
      creeper.add_night(creeping, [&](int) { return 1 + 0.001 * night; });
      if (night < 50) continue;  // 5% is not there yet
      for (const Drift& one : drifts_of(creeping)) {
        seen = seen || (one.drifted && one.drifted_before);
      }
      by_nights += seen ? night : 0;
    }
    found += seen ? 1 : 0;
  }
  std::printf(
      "drift, the same build against a baseline of one night: %.5f of %d nights, on two nights in "
      "a row %.5f, in %.4f of series of %d nights; 0.1%% slower every night: found in %.4f within "
      "%d "
      "nights, on average after %.0f\n",
      share(nights, kSeries * kNights), kSeries * kNights, share(twice, kSeries * kNights),
      share(series_with, kSeries), kNights, share(found, kSeries), kCreep,
      found > 0 ? static_cast<double>(by_nights) / found : 0.0);
  EXPECT_LE(share(nights, kSeries * kNights), 0.005);
  EXPECT_LE(share(twice, kSeries * kNights), 0.002);
  EXPECT_LE(share(series_with, kSeries), 0.03);
  EXPECT_GE(share(found, kSeries), 0.95);
}

struct Power {
  double first_night = 0, four_nights = 0;
};

Power power_of(const NightMaker::Factor& factor, int trials, std::uint64_t seed) {
  int first = 0, four = 0;
  for (int i = 0; i < trials; ++i) {
    NightMaker maker(seed + static_cast<std::uint64_t>(i), kNoise);
    std::vector<GateSeries> series = whole_series(maker, kHistory - 1);
    bool found = false;
    for (int night = 0; night < 4 && !found; ++night) {
      maker.add_night(series, factor);
      found = verdict_of(maker, series, factor).verdict == Verdict::regressed;
      first += found && night == 0 ? 1 : 0;
    }
    four += found ? 1 : 0;
  }
  return {share(first, trials), share(four, trials)};
}

TEST(GateSimulation, ASlowerBuildIsFound) {
  constexpr int kTrials = 600;
  const Power all = power_of([](int) { return 1.05; }, kTrials, 50'000);
  const Power four = power_of([](int i) { return i % 4 == 0 ? 1.05 : 1.0; }, kTrials, 60'000);
  const Power one = power_of([](int i) { return i == 5 ? 1.10 : 1.0; }, kTrials, 70'000);
  std::printf(
      "REGRESSED on the first night, within four: all points +5%%: %.3f, %.3f; 4 of 16 +5%%: %.3f, "
      "%.3f; one +10%%: %.3f, %.3f (%d trials each)\n",
      all.first_night, all.four_nights, four.first_night, four.four_nights, one.first_night,
      one.four_nights, kTrials);
  EXPECT_GE(all.first_night, 0.90);
  EXPECT_GE(four.four_nights, 0.95);
  EXPECT_GE(one.first_night, 0.93);
}

TEST(GateSimulation, StepsAreDatedAndFlatSeriesHaveNone) {
  constexpr int kTrials = 2000;
  constexpr double kNightly = 0.0125;
  Random random(4711);
  int found = 0, within_one = 0, flat = 0;
  for (int i = 0; i < kTrials; ++i) {
    std::vector<double> values;
    for (int night = 0; night < kHistory; ++night) values.push_back(kNightly * random.normal());
    bool seen = false, near = false;
    for (int night = 0; night <= 3; ++night) {
      values.push_back(std::log(1.05) + kNightly * random.normal());
      for (const ChangePoint& point : change_points(values)) {
        const auto distance = static_cast<long>(point.night) - kHistory;
        seen = seen || std::abs(distance) <= 3;
        near = near || std::abs(distance) <= 1;
      }
    }
    found += seen ? 1 : 0;
    within_one += near ? 1 : 0;
    std::vector<double> level;
    for (int night = 0; night < 40; ++night) level.push_back(kNightly * random.normal());
    flat += change_points(level).empty() ? 0 : 1;
  }
  std::printf(
      "steps of 5%% at a nightly deviation of 1.25%%, history %d: found within 3 nights %.4f, "
      "dated "
      "to one night %.4f; flat series of 40 nights with a change %.4f (%d each)\n",
      kHistory, share(found, kTrials), share(within_one, kTrials), share(flat, kTrials), kTrials);
  EXPECT_GE(share(found, kTrials), 0.97);
  EXPECT_LE(share(flat, kTrials), 0.02);
}

}  // namespace
}  // namespace kneepoint
