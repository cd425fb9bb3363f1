// SPDX-License-Identifier: Apache-2.0
//
// Does the adaptive search end with the knee of the full grid, what does it save, and does the
// knee's interval keep its level although the search stops when it likes what it sees? Seeded;
// every figure is printed.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>

#include "orchestrator/analysis/knee/knees.h"
#include "orchestrator/analysis/statistics/intervals.h"
#include "tests/unit/analysis/search_simulation.h"

namespace kneepoint {
namespace {

constexpr double kFloor = 0.7;

// The efficiency knee as every report has it.
Knee knee_of(const SyntheticCurve& curve, const Times& times) {
  KneeOptions options;
  options.floors = {kFloor};
  options.bootstrap.seed = curve.seed;
  options.bootstrap.replicates = 1000;
  return find_knees(curve.mode, times, options).knees.front();
}

Times grid_of(const SyntheticCurve& curve, int repeats = 5) {
  std::map<int, int> runs;
  for (const int k : kSearchScale) runs[k] = repeats;
  return measure(curve, runs);
}

double upper(const Knee& knee) {
  return knee.open_high ? INFINITY : knee.high.value_or(0);
}

bool same_knee(const Knee& a, const Knee& b) {
  const bool overlap = a.low.value_or(0) <= upper(b) && b.low.value_or(0) <= upper(a);
  if (a.place == KneePlace::below || b.place == KneePlace::below)
    return overlap && a.place == b.place;
  if (!a.k || !b.k) return overlap && a.place == b.place;
  return overlap && std::abs(*a.k / *b.k - 1) <= 0.1;
}

TEST(AdaptiveSearch, EndsWithTheKneeOfTheFullGridForLessThanHalfOfItsNodeHours) {
  constexpr int kCurves = 200;
  int same = 0, inside = 0, rounds = 0, grids_agree = 0, anew = 0;
  std::vector<double> shares;
  for (int i = 0; i < kCurves; ++i) {
    const SyntheticCurve curve = synthetic_curve(i, 0.03);
    const Times grid = grid_of(curve);
    const SearchEnd end = play(curve, {.floor = kFloor, .seed = curve.seed});
    const Knee by_grid = knee_of(curve, grid), by_search = knee_of(curve, end.times);
    SyntheticCurve other = curve;
    other.seed += 1'000'000;
    const bool agrees = same_knee(by_grid, by_search);
    same += agrees ? 1 : 0;
    grids_agree += same_knee(by_grid, knee_of(other, grid_of(other))) ? 1 : 0;
    const SearchEnd again = play(other, {.floor = kFloor, .seed = other.seed});
    anew += same_knee(by_grid, knee_of(other, again.times)) ? 1 : 0;
    inside += by_grid.place == KneePlace::inside ? 1 : 0;
    rounds += end.rounds;
    shares.push_back(work_of(end.times) / work_of(grid));
    if (agrees) continue;
    std::printf("curve %d: grid %s %.3g [%.3g, %.3g], search %s %.3g [%.3g, %.3g], %.2f\n", i,
                to_string(by_grid.place), by_grid.k.value_or(0), by_grid.low.value_or(0),
                upper(by_grid), to_string(by_search.place), by_search.k.value_or(0),
                by_search.low.value_or(0), upper(by_search), shares.back());
    for (const std::string& line : end.story) std::printf("    %s\n", line.c_str());
  }
  std::sort(shares.begin(), shares.end());
  const double agreeing = 1.0 * same / kCurves, spent = median(shares);
  std::printf(
      "adaptive search: %d curves, 3%% noise, knee inside on %d: the grid's knee on %.1f%%, median "
      "of node-hours %.1f%% of the grid's (from %.1f%% to %.1f%%; 90%% of curves below %.1f%%), "
      "%.1f "
      "rounds on average\n",
      kCurves, inside, 100 * agreeing, 100 * spent, 100 * shares.front(), 100 * shares.back(),
      100 * shares[kCurves * 9 / 10], 1.0 * rounds / kCurves);
  std::printf(
      "for comparison, with other runs: the grid agrees with itself on %.1f%%, the search with the "
      "grid on %.1f%%\n",
      100.0 * grids_agree / kCurves, 100.0 * anew / kCurves);
  EXPECT_GE(agreeing, 0.95);
  EXPECT_LE(spent, 0.45);
}

TEST(AdaptiveSearch, KneeIntervalsKeepTheirLevelUnderEarlyStopping) {
  constexpr int kCurves = 200;
  for (const double noise : {0.01, 0.03, 0.05}) {
    for (const int most : {5, 20}) {
      int covered = 0, by_grid = 0, counted = 0;
      double spent = 0;
      for (int i = 0; counted < kCurves && i < 4 * kCurves; ++i) {
        SyntheticCurve curve = synthetic_curve(i, noise);
        curve.seed += 500'000;
        const auto truth = crossing_k(curve.mode, curve.truth, 1, kFloor);
        if (!truth || *truth < 2 || *truth > kSearchScale.back()) continue;
        ++counted;
        const SearchEnd end = play(curve, {.floor = kFloor, .most = most, .seed = curve.seed});
        const Knee knee = knee_of(curve, end.times);
        covered += knee.low.value_or(INFINITY) <= *truth && *truth <= upper(knee) ? 1 : 0;
        const Times grid = grid_of(curve, most);
        spent += work_of(end.times) / work_of(grid) / kCurves;
        const Knee full = knee_of(curve, grid);
        by_grid += full.low.value_or(INFINITY) <= *truth && *truth <= upper(full) ? 1 : 0;
      }
      std::printf(
          "coverage: 95%% knee, noise %.0f%%, repeat %d: search %.3f, grid %.3f of %d curves; mean "
          "of node-hours %.0f%% of the grid's\n",
          100 * noise, most, 1.0 * covered / counted, 1.0 * by_grid / counted, counted,
          100 * spent);
      EXPECT_GE(1.0 * covered / counted, 0.90);
    }
  }
}

}  // namespace
}  // namespace kneepoint
