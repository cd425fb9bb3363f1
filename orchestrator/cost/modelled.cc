// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/cost/modelled.h"

#include <algorithm>
#include <cmath>

#include "orchestrator/analysis/models/prediction.h"
#include "orchestrator/analysis/statistics/intervals.h"

namespace kneepoint {
namespace {

constexpr double kMostModelledUnits = 1e12;

// How many results a run makes: the same at every K, or so many per worker. None: neither.
std::optional<double> results_at(const CostCurve& curve, int k) {
  const CostPoint& first = curve.points.front();
  bool same = true, in_proportion = true;
  for (const CostPoint& point : curve.points) {
    same = same && point.results == first.results;
    in_proportion = in_proportion && std::abs(point.results * first.k - first.results * point.k) <=
                                         1e-9 * first.results * point.k;
  }
  if (same) return first.results;
  if (in_proportion) return first.results / first.k * k;
  return std::nullopt;
}

// Measured points only, K ascending, the way they stand in the curve.
std::vector<const CostPoint*> measured(const CostCurve& curve) {
  std::vector<const CostPoint*> points;
  for (const CostPoint& point : curve.points) {
    if (!point.modelled) points.push_back(&point);
  }
  return points;
}

double efficiency_at(const CostCurve& curve, int k, double seconds) {
  const CostPoint& base = *measured(curve).front();
  const double ratio = base.efficiency * base.seconds / seconds;
  return curve.mode == Mode::strong ? ratio * base.k / k : ratio;
}

}  // namespace

std::vector<int> modelled_ks(const CostCurve& curve) {
  std::vector<int> ks;
  const int least = curve.points.front().k;
  const int most = static_cast<int>(kPredictTo) * curve.points.back().k;
  const auto add = [&](int k) {
    const bool there = std::any_of(curve.points.begin(), curve.points.end(),
                                   [&](const CostPoint& point) { return point.k == k; });
    if (k > least && k <= most && !there) ks.push_back(k);
  };
  for (int k = 1; k <= most; k *= 2) {
    add(k);
    if (k > 1) add(k + k / 2);
  }
  std::sort(ks.begin(), ks.end());
  return ks;
}

Use use_at(const CostCurve& curve, int k) {
  const std::vector<const CostPoint*> points = measured(curve);
  const CostPoint* low = points.front();
  const CostPoint* high = points.back();
  for (const CostPoint* point : points) {
    if (point->k <= k && point->k >= low->k) low = point;
    if (point->k >= k && point->k <= high->k) high = point;
  }
  const auto part = [&](int from, int to) {
    const double at =
        high->k > low->k && k <= high->k
            ? from + (to - from) * static_cast<double>(k - low->k) / (high->k - low->k)
            : static_cast<double>(to) * k / high->k;
    return static_cast<int>(std::ceil(at - 1e-9));
  };
  Use use;
  use.nodes = part(low->use.nodes, high->use.nodes);
  use.gpus = part(low->use.gpus, high->use.gpus);
  use.cores = part(low->use.cores, high->use.cores);
  use.workers = k;
  return use;
}

void add_modelled(const CurveAnalysis& analysis, const PriceBook& book, const PriceItem& item,
                  const BootstrapOptions& bootstrap, CostCurve& curve) {
  PredictionOptions options;
  options.bootstrap = bootstrap;
  options.level = kLevel;
  const PredictionsAnswer answer =
      predict_times(analysis.times, analysis.models, modelled_ks(curve), options);
  for (const RefusedPrediction& one : answer.refused) {
    curve.notes.push_back("nothing modelled: " + one.why);
  }
  std::vector<CostPoint> added;
  for (const Prediction& prediction : answer.predictions) {
    const auto results = results_at(curve, prediction.k);
    if (!results) {
      curve.notes.emplace_back(
          "nothing modelled: how many results a run makes is known at the measured K only");
      break;
    }
    CostPoint point;
    point.k = prediction.k;
    point.modelled = true;
    point.use = use_at(curve, prediction.k);
    point.results = *results;
    point.seconds = prediction.seconds;
    point.seconds_interval = Interval{prediction.low, prediction.high, kLevel, "models"};
    point.efficiency = efficiency_at(curve, point.k, point.seconds);
    point.efficiency_interval =
        Interval{efficiency_at(curve, point.k, prediction.high),
                 efficiency_at(curve, point.k, prediction.low), kLevel, "models"};
    const auto bill = bill_of(item, point.use, point.seconds);
    const double dearest = cost_of(item, point, prediction.high);
    if (!bill || !(dearest < kMostModelledUnits)) continue;
    point.bill = *bill;
    point.per_result = {round_micros(cost_of(item, point, point.seconds)), book.currency};
    point.per_result_interval =
        Interval{cost_of(item, point, prediction.low), dearest, kLevel, "models"};
    point.kwh_per_result = bill->kwh / point.results;
    point.flags.emplace_back(prediction.extrapolated ? "modelled, beyond the K measured"
                                                     : "modelled");
    added.push_back(std::move(point));
  }
  for (CostPoint& point : added) {
    const auto place = std::find_if(curve.points.begin(), curve.points.end(),
                                    [&](const CostPoint& other) { return other.k > point.k; });
    const auto at = place - curve.points.begin();
    if (!curve.cost_draws.empty()) {
      curve.cost_draws.emplace(curve.cost_draws.begin() + at);
      curve.seconds_draws.emplace(curve.seconds_draws.begin() + at);
    }
    curve.points.insert(place, std::move(point));
  }
  if (!added.empty()) {
    settle_frontier(book.currency, curve);
    curve.notes.emplace_back(
        "modelled K were not measured: their intervals are those of one run over all plausible "
        "models, and failures there are not counted");
    for (CostPoint& point : curve.points) point.frontier_share.reset();
  }
}

}  // namespace kneepoint
