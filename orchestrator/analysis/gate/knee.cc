// SPDX-License-Identifier: Apache-2.0
//
// Did the knee move? Where efficiency falls to the floor, tonight against the nights before, by one
// bootstrap of both. Whole nights are drawn, since what a night does to all K alike leaves
// efficiency alone. Tonight is one night, and off by what one of the others is off. Builds in turns
// share their night, so there runs are drawn.
#include <algorithm>
#include <cmath>

#include "orchestrator/analysis/gate/parts.h"
#include "orchestrator/analysis/knee/knee.h"
#include "orchestrator/analysis/statistics/intervals.h"
#include "orchestrator/analysis/statistics/times.h"
#include "orchestrator/base/hash.h"

namespace kneepoint {
namespace {

constexpr std::size_t kLeastKneeK = 3;
constexpr std::size_t kLeastRuns = 3;

// One side: for every K some values, either drawn together (nights) or apart (runs).
struct Side {
  Times times;
  bool together = false;
};

struct KneeCurve {
  std::string name;
  Mode mode = Mode::strong;
  Side before, tonight;
};

// `seconds`: medians of that side at each K.
double knee_of(const KneeCurve& curve, const Side& side, const std::vector<double>& seconds,
               double floor) {
  std::vector<int> ks;
  std::vector<double> runs;
  for (const TimesAtK& at : side.times) {
    ks.push_back(at.k);
    runs.push_back(static_cast<double>(at.seconds.size()));
  }
  const Crossing crossing =
      find_crossing(ks, normalised_cost(curve.mode, side.times, seconds), runs, floor);
  return std::min(crossing.k, static_cast<double>(ks.back()));
}

std::vector<double> drawn(const Side& side, Random& random) {
  std::vector<std::size_t> together;
  if (side.together) {
    const std::size_t count = side.times.front().seconds.size();
    for (std::size_t i = 0; i < count; ++i) together.push_back(draw(random, count));
  }
  std::vector<double> seconds;
  for (const auto& [k, values, work] : side.times) {
    std::vector<double> sample;
    for (std::size_t i = 0; i < values.size(); ++i) {
      sample.push_back(values[side.together ? together[i] : draw(random, values.size())]);
    }
    seconds.push_back(median(std::move(sample)));
  }
  return seconds;
}

// Tonight, off by as much as a night of those before is off their middle.
std::vector<double> drawn_night(const std::vector<double>& tonight, const Side& nights,
                                const std::vector<double>& middle, Random& random) {
  const std::size_t night = draw(random, nights.times.front().seconds.size());
  std::vector<double> seconds = tonight;
  for (std::size_t i = 0; i < seconds.size(); ++i) {
    seconds[i] *= nights.times[i].seconds[night] / middle[i];
  }
  return seconds;
}

KneeShift shift_of(const KneeCurve& curve, const GateOptions& options) {
  KneeShift shift;
  shift.name = curve.name;
  const std::vector<double> middle = medians(curve.before.times),
                            now = medians(curve.tonight.times);
  shift.before = knee_of(curve, curve.before, middle, options.knee_floor);
  shift.tonight = knee_of(curve, curve.tonight, now, options.knee_floor);
  shift.octaves = std::log2(shift.tonight / shift.before);
  if (std::abs(shift.octaves) < options.knee_shift) return shift;  // whatever the interval is
  BootstrapOptions bootstrap;
  bootstrap.seed = fnv1a64(curve.name);
  std::vector<double> octaves(static_cast<std::size_t>(bootstrap.replicates));
  for_each_replicate(bootstrap, "knee shift", [&](int number, Random& random) {
    const double before =
        knee_of(curve, curve.before, drawn(curve.before, random), options.knee_floor);
    const std::vector<double> other = curve.before.together
                                          ? drawn_night(now, curve.before, middle, random)
                                          : drawn(curve.tonight, random);
    const double tonight = knee_of(curve, curve.tonight, other, options.knee_floor);
    octaves[number] = std::log2(tonight / before);
  });
  const Bounds bounds =
      percentile_bounds(std::move(octaves), std::max(1 - 2 * options.curve_alpha, 0.0));
  shift.low = bounds.low;
  shift.high = bounds.high;
  shift.shifted = bounds.low > 0 || bounds.high < 0;
  return shift;
}

// The points of a curve by K; empty: some K stands twice (several shapes), so no one curve is it.
std::vector<std::size_t> by_k(const std::vector<GateSeries>& series,
                              std::vector<std::size_t> points) {
  std::ranges::sort(points,
                    [&](std::size_t a, std::size_t b) { return series[a].k < series[b].k; });
  for (std::size_t i = 1; i < points.size(); ++i) {
    if (series[points[i]].k == series[points[i - 1]].k) return {};
  }
  return points;
}

}  // namespace

std::vector<KneeShift> find_knee_shifts(const std::vector<GateSeries>& series,
                                        const std::vector<CurveNights>& curves,
                                        const GateOptions& options) {
  std::vector<KneeShift> shifts;
  for (const CurveNights& from : curves) {
    const std::vector<std::size_t> points = by_k(series, from.points);
    if (points.size() < kLeastKneeK) continue;
    std::vector<std::size_t> nights;  // that have every point, the latest first
    nights_of(series, points, series[points.front()].log_medians.size() - 1, &nights);
    if (nights.empty()) continue;
    nights.pop_back();  // tonight
    std::ranges::reverse(nights);
    nights.resize(std::min(nights.size(), static_cast<std::size_t>(options.most_history)));
    if (static_cast<int>(nights.size()) < options.least_history) continue;
    KneeCurve curve{from.name, series[points.front()].mode, {{}, true}, {}};
    bool enough = true;
    for (const std::size_t i : points) {
      enough = enough && series[i].runs.size() >= kLeastRuns;
      const int number = series[i].k;
      const double work = series[i].work_per_worker;
      curve.tonight.times.push_back({number, series[i].runs, work});
      TimesAtK& before = curve.before.times.emplace_back(TimesAtK{number, {}, work});
      for (const std::size_t night : nights) {
        before.seconds.push_back(std::exp(*series[i].log_medians[night]));
      }
    }
    if (enough) shifts.push_back(shift_of(curve, options));
  }
  return shifts;
}

void confirm_knees(const std::vector<GateSeries>& series, const std::vector<ConfirmedPoint>& turns,
                   const GateOptions& options, std::vector<KneeShift>& shifts) {
  for (KneeShift& shift : shifts) {
    if (!shift.shifted) continue;
    std::vector<std::size_t> points;
    for (std::size_t i = 0; i < series.size(); ++i) {
      if (series[i].curve == shift.name) points.push_back(i);
    }
    points = by_k(series, std::move(points));
    if (points.empty()) continue;
    KneeCurve curve{shift.name, series[points.front()].mode, {}, {}};
    for (const std::size_t i : points) {
      const auto pairs = std::ranges::find_if(
          turns, [&](const ConfirmedPoint& one) { return one.key == series[i].key; });
      if (pairs == turns.end() || pairs->baseline.size() < kLeastRuns ||
          pairs->candidate.size() < kLeastRuns) {
        continue;
      }
      const double work = series[i].work_per_worker;
      curve.before.times.push_back({series[i].k, pairs->baseline, work});
      curve.tonight.times.push_back({series[i].k, pairs->candidate, work});
    }
    if (curve.before.times.size() < kLeastKneeK) continue;
    const KneeShift again = shift_of(curve, options);
    shift.confirmed = again.shifted && (again.octaves < 0) == (shift.octaves < 0);
  }
}

}  // namespace kneepoint
