// SPDX-License-Identifier: Apache-2.0
//
// Does the search for the recommendation end with the K that the full grid recommends, or one as
// good, what does it save, and does the interval of the margin keep its level although the search
// stops when it likes what it sees? Seeded; every figure is printed.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>

#include "orchestrator/analysis/statistics/intervals.h"
#include "tests/unit/analysis/recommendation_simulation.h"

namespace kneepoint {
namespace {

RecommendationRules rules_for(const PricedCurve& priced, int most = 5) {
  RecommendationRules rules = priced.rules();
  rules.most = most;
  return rules;
}

// What the whole grid says, by the same rules with nothing left to ask for.
RecommendationDecision grid_says(const PricedCurve& priced, int most, Times* times = nullptr) {
  std::map<int, int> runs;
  for (const int k : kSearchScale) runs[k] = most;
  const Times all = measure(priced.curve, runs);
  if (times != nullptr) *times = all;
  return next_recommendation_step({Mode::strong, kSearchScale, runs, all}, rules_for(priced, most));
}

TEST(RecommendationSearch, EndsWithWhatTheFullGridRecommendsOrAsGood) {
  constexpr int kCurves = 200;
  for (const bool by_time : {false, true}) {
    int same = 0, as_good = 0, near_best = 0, grid_near_best = 0, rounds = 0;
    std::vector<double> shares;
    for (int i = 0; i < kCurves; ++i) {
      const PricedCurve priced = priced_curve(i, 0.03, by_time);
      Times grid;
      const RecommendationDecision full = grid_says(priced, 5, &grid);
      const RecommendationEnd end = play(priced, rules_for(priced));
      same += end.decision.best == full.best ? 1 : 0;
      as_good += priced.truth(end.decision.best) <= 1.05 * priced.truth(full.best) ? 1 : 0;
      near_best += priced.truth(end.decision.best) <= 1.05 * priced.least() ? 1 : 0;
      grid_near_best += priced.truth(full.best) <= 1.05 * priced.least() ? 1 : 0;
      rounds += end.rounds;
      shares.push_back(work_of(end.times) / work_of(grid));
    }
    std::sort(shares.begin(), shares.end());
    std::printf(
        "search for the recommendation by %s: %d curves, 3%% noise: the grid's K on %.1f%%, one "
        "that truly costs at most 5%% more on %.1f%%; within 5%% of the true best on %.1f%% (the "
        "grid: %.1f%%); median of node-hours %.1f%% of the grid's (%.1f%% to %.1f%%), %.1f rounds "
        "on average\n",
        by_time ? "time" : "cost", kCurves, 100.0 * same / kCurves, 100.0 * as_good / kCurves,
        100.0 * near_best / kCurves, 100.0 * grid_near_best / kCurves, 100 * median(shares),
        100 * shares.front(), 100 * shares.back(), 1.0 * rounds / kCurves);
    EXPECT_GE(1.0 * as_good / kCurves, 0.95);
    EXPECT_GE(1.0 * near_best / kCurves, 0.95);
    EXPECT_LE(median(shares), by_time ? 1.0 : 0.6);
  }
}

TEST(RecommendationSearch, MarginsKeepTheirLevelUnderEarlyStopping) {
  constexpr int kCurves = 200;
  for (const double noise : {0.01, 0.03, 0.05}) {
    for (const int most : {5, 20}) {
      int covered = 0, counted = 0, by_grid = 0, grids = 0;
      const auto covers = [](const PricedCurve& priced, const RecommendationDecision& d) {
        const double truth = priced.truth(d.rival) / priced.truth(d.best) - 1;
        return d.interval->low <= truth && truth <= d.interval->high ? 1 : 0;
      };
      for (int i = 0; i < kCurves; ++i) {
        PricedCurve priced = priced_curve(i, noise, false);
        priced.curve.seed += 500'000;
        const RecommendationDecision end = play(priced, rules_for(priced, most)).decision;
        const RecommendationDecision full = grid_says(priced, most);
        if (end.interval && end.rival > 0) ++counted, covered += covers(priced, end);
        if (full.interval && full.rival > 0) ++grids, by_grid += covers(priced, full);
      }
      std::printf(
          "coverage: 95%% margin, noise %.0f%%, repeat %d: search %.3f of %d, grid %.3f of %d\n",
          100 * noise, most, 1.0 * covered / counted, counted, 1.0 * by_grid / grids, grids);
      EXPECT_GE(1.0 * covered / counted, most == 5 ? 0.8 : 0.85);
    }
  }
}

}  // namespace
}  // namespace kneepoint
