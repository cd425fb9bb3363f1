// SPDX-License-Identifier: Apache-2.0
//
// Nights of a series as they might have been: runs scatter, a night is slow for all, a night is
// slow for one point. Seeded.
#pragma once

#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "orchestrator/analysis/gate/gate.h"
#include "orchestrator/analysis/statistics/intervals.h"
#include "orchestrator/base/random.h"

namespace kneepoint {

struct NightNoise {  // relative standard deviations
  double runs = 0.02, common = 0, point = 0;
};

class NightMaker {
 public:
  using Factor = std::function<double(int point)>;

  NightMaker(std::uint64_t seed, NightNoise noise, int points = 16, int repeats = 5)
      : random_(seed), noise_(noise), points_(points), repeats_(repeats) {}

  // `history` nights and tonight, half of the points in either mode.
  std::vector<GateSeries> series(int history) {
    std::vector<GateSeries> series;
    for (int i = 0; i < points_; ++i) {
      GateSeries one;
      const bool strong = i < points_ / 2;
      one.k = 1 << (i % (points_ / 2));
      one.curve = strong ? "work strong" : "work weak";
      one.mode = strong ? Mode::strong : Mode::weak;
      one.key = one.curve + " K=" + std::to_string(one.k);
      series.push_back(std::move(one));
    }
    for (int night = 0; night <= history; ++night) add_night(series, [](int) { return 1.0; });
    return series;
  }

  void add_night(std::vector<GateSeries>& series, const Factor& factor) {
    const double common = normal() * noise_.common;
    for (std::size_t i = 0; i < series.size(); ++i) {
      const double level =
          common + normal() * noise_.point + std::log(factor(static_cast<int>(i)) * law(series[i]));
      std::vector<double> runs;
      for (int r = 0; r < repeats_; ++r) runs.push_back(level + normal() * noise_.runs);
      if (laws_) {
        series[i].runs.clear();
        for (const double run : runs) series[i].runs.push_back(std::exp(run));
      }
      series[i].log_medians.push_back(median(std::move(runs)));
    }
  }

  // From now on T depends on K, with a knee among the K (where E is .7: 22 strong, 41 weak), and a
  // series keeps tonight's runs: all that the gate looks at is there.
  void use_laws() { laws_ = true; }
  static void pin_tonight(std::vector<GateSeries>& series) {
    for (GateSeries& one : series) one.baseline_runs = one.runs;
  }

  // Ten runs of either build in turns: the night is the same for both.
  std::vector<ConfirmedPoint> turns(const std::vector<GateSeries>& series, const Factor& factor,
                                    int pairs = 10) {
    std::vector<ConfirmedPoint> points;
    for (std::size_t i = 0; i < series.size(); ++i) {
      ConfirmedPoint point;
      point.key = series[i].key;
      for (int r = 0; r < pairs; ++r) {
        point.baseline.push_back(law(series[i]) * std::exp(normal() * noise_.runs));
        point.candidate.push_back(law(series[i]) * factor(static_cast<int>(i)) *
                                  std::exp(normal() * noise_.runs));
      }
      points.push_back(std::move(point));
    }
    return points;
  }

  double normal() { return random_.normal(); }

 private:
  double law(const GateSeries& one) const {
    if (!laws_) return 1;
    return one.mode == Mode::strong ? 0.02 + 0.98 / one.k : 1 + 0.08 * std::log2(one.k);
  }

  Random random_;
  NightNoise noise_;
  int points_, repeats_;
  bool laws_ = false;
};

}  // namespace kneepoint
