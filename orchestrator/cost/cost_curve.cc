// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/cost/cost_curve.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "orchestrator/analysis/models/prediction.h"
#include "orchestrator/analysis/statistics/intervals.h"
#include "orchestrator/base/numbers.h"

namespace kneepoint {

namespace {

constexpr int kColumns = 3;  // time, cost of a result, on the frontier
constexpr double kMostUnits = 1e12;

std::optional<double> median_wait(const PointEvidence& at) {
  std::vector<double> waits;
  for (const RunEvidence& run : at.runs) {
    if (run.queue_seconds) waits.push_back(*run.queue_seconds);
  }
  if (waits.empty()) return std::nullopt;
  return median(std::move(waits));
}

// The wait in time that a spot run loses is part of its T here, so intervals hold it too.
void draw_curve(const PriceItem& item, const Times& times, const BootstrapOptions& bootstrap,
                CostCurve& curve) {
  const std::size_t count = curve.points.size();
  const auto draws = joint_bootstrap(
      times, static_cast<int>(count) * kColumns,
      [&](const Times& sample, std::span<double> out) {
        std::vector<double> pace(count), cost(count);
        for (std::size_t i = 0; i < count; ++i) {
          const double seconds = out[kColumns * i] = median_seconds(sample[i]);
          cost[i] = out[kColumns * i + 1] = cost_of(item, curve.points[i], seconds);
          pace[i] = seconds / curve.points[i].results;
        }
        const std::vector<bool> on = frontier(pace, cost);
        for (std::size_t i = 0; i < count; ++i) out[kColumns * i + 2] = on[i] ? 1 : 0;
      },
      bootstrap);
  for (std::size_t i = 0; i < count; ++i) {
    CostPoint& point = curve.points[i];
    curve.seconds_draws.push_back(draws[kColumns * i]);
    curve.cost_draws.push_back(draws[kColumns * i + 1]);
    const Bounds bounds = percentile_bounds(draws[kColumns * i + 1], kLevel);
    point.per_result_interval = Interval{bounds.low, bounds.high, kLevel, "joint bootstrap"};
    const std::vector<double>& on = draws[kColumns * i + 2];
    point.frontier_share =
        std::accumulate(on.begin(), on.end(), 0.0) / static_cast<double>(on.size());
  }
}

void add_break_evens(const std::string& currency, CostCurve& curve) {
  std::vector<const CostPoint*> hull;  // slowest and cheapest first
  for (const CostPoint& point : curve.points) {
    if (point.on_frontier) hull.push_back(&point);
  }
  std::ranges::sort(hull, [](const auto* a, const auto* b) { return a->seconds > b->seconds; });
  const auto slope = [](const CostPoint& slow, const CostPoint& fast) {
    return (to_units(fast.per_result.micros) - to_units(slow.per_result.micros)) /
           (slow.seconds / slow.results - fast.seconds / fast.results);
  };
  // Only the lower convex hull: others are never best, whatever an hour is worth.
  std::vector<const CostPoint*> kept;
  for (const CostPoint* point : hull) {
    while (kept.size() >= 2 &&
           slope(*kept[kept.size() - 2], *kept.back()) >= slope(*kept.back(), *point)) {
      kept.pop_back();
    }
    kept.push_back(point);
  }
  for (std::size_t i = 1; i < kept.size(); ++i) {
    const double value = 3600 * slope(*kept[i - 1], *kept[i]);
    if (!std::isfinite(value)) continue;
    curve.break_evens.push_back({kept[i - 1]->k, kept[i]->k, {round_micros(value), currency}});
  }
}

// The price below which being interrupted pays; it worsens with the nodes.
void add_spot_note(const PriceItem& item, const CostPoint& point, CostCurve& curve) {
  const auto share = break_even_share(item.spot, point.use.nodes, from_seconds(point.seconds));
  if (!share) return;
  curve.notes.push_back("at K=" + std::to_string(point.k) + " interruptions make a run last " +
                        number_text(1 / *share) +
                        " times as long: spot pays there while its price "
                        "is below " +
                        number_percent(*share) + " of what uninterrupted nodes cost");
}

void add_notes(const PriceItem& item, CostCurve& curve) {
  const bool free = std::ranges::all_of(
      curve.points, [](const CostPoint& point) { return point.bill.total == 0; });
  if (free) {
    curve.notes.push_back("item '" + item.name +
                          "' charges nothing for what these runs hold, so cost tells no K from "
                          "another");
  }
  bool failures = false, same_results = curve.points.size() > 1;
  for (const CostPoint& point : curve.points) {
    failures = failures || point.success < 1;
    same_results = same_results && point.results == curve.points.front().results;
  }
  curve.notes.emplace_back(item.setup + item.teardown > 0
                               ? "setup and teardown are billed with every run; queue wait is not"
                               : "queue wait is not billed");
  if (failures) {
    curve.notes.emplace_back(
        "runs that failed are paid for: the cost is divided by the share that succeeded");
  }
  if (curve.mode == Mode::weak && same_results) {
    curve.notes.emplace_back(
        "the problem grows with K but one run counts as the same number of results at every K; "
        "`result: {count: ...}` in the plan says how many it makes");
  }
  if (item.spot.interruptions_per_node_hour > 0) {
    curve.notes.emplace_back("time lost to interruptions is billed, as expected on average");
    add_spot_note(item, curve.points.front(), curve);
    if (curve.points.size() > 1) add_spot_note(item, curve.points.back(), curve);
  }
}

// What a result costs at the point; false: more than can be written down, or nobody can say.
bool bill_point(const PriceItem& item, const std::string& currency, CostPoint& point) {
  const auto bill = bill_of(item, point.use, point.seconds);
  const double units = cost_of(item, point, point.seconds);
  if (!bill || !(units < kMostUnits)) return false;
  point.bill = *bill;
  point.per_result = {round_micros(units), currency};
  point.kwh_per_result = bill->kwh / point.results / point.success;
  return true;
}

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

double efficiency_at(const CostCurve& curve, int k, double seconds) {
  const CostPoint& base = curve.points.front();
  const double ratio = base.efficiency * base.seconds / seconds;
  return curve.mode == Mode::strong ? ratio * base.k / k : ratio;
}

}  // namespace

double cost_of(const PriceItem& item, const CostPoint& point, double seconds) {
  const auto bill = bill_of(item, point.use, seconds);
  if (!bill) return INFINITY;
  return to_units(bill->total) / point.results / point.success;
}

void settle_frontier(const std::string& currency, CostCurve& curve) {
  std::vector<double> seconds, cost;
  for (const CostPoint& point : curve.points) {
    seconds.push_back(point.seconds / point.results);
    cost.push_back(to_units(point.per_result.micros));
  }
  const std::vector<bool> on = frontier(seconds, cost);
  for (std::size_t i = 0; i < on.size(); ++i) curve.points[i].on_frontier = on[i];
  curve.break_evens.clear();
  add_break_evens(currency, curve);
}

std::vector<bool> frontier(const std::vector<double>& seconds, const std::vector<double>& cost) {
  std::vector<bool> on(seconds.size(), true);
  for (std::size_t i = 0; i < on.size(); ++i) {
    if (!std::isfinite(cost[i])) on[i] = false;
    for (std::size_t j = 0; j < on.size() && on[i]; ++j) {
      const bool better = seconds[j] < seconds[i] || cost[j] < cost[i];
      if (j != i && seconds[j] <= seconds[i] && cost[j] <= cost[i] && better) on[i] = false;
    }
  }
  return on;
}

std::vector<CostCurve> cost_curves(const StudyEvidence& evidence, const StudyAnalysis& analysis,
                                   const PriceBook& book, const PriceItem& item,
                                   const BootstrapOptions& bootstrap) {
  std::vector<CostCurve> curves;
  for (std::size_t c = 0; c < analysis.curves.size(); ++c) {
    const Curve& from = analysis.summary.curves[c];
    CostCurve curve;
    curve.build = from.build;
    curve.case_name = from.case_name;
    curve.shape_name = from.shape_name;
    curve.held_fixed = from.held_fixed;
    curve.mode = from.mode;
    curve.index = c;
    Times times;
    std::string without;  // K that have no valid run
    for (const PointSummary& summary : from.points) {
      if (summary.valid == 0) {
        without += (without.empty() ? "K=" : ", ") + std::to_string(summary.point.k);
        continue;
      }
      CostPoint point;
      point.k = summary.point.k;
      point.use = use_of(summary.point);
      point.results = summary.point.results;
      point.seconds = summary.seconds;
      point.seconds_interval = summary.seconds_interval;
      point.efficiency = summary.efficiency;
      point.efficiency_interval = summary.efficiency_interval;
      point.baseline = summary.baseline;
      point.runs = summary.valid;
      point.success =
          static_cast<double>(summary.valid) / static_cast<double>(summary.valid + summary.failed);
      point.flags = summary.flags;
      if (!bill_point(item, book.currency, point)) {
        const bool spot = item.spot.interruptions_per_node_hour > 0;
        curve.notes.push_back(
            "K=" + std::to_string(point.k) + " is left out: " +
            (!(summary.seconds <= kMostBilledSeconds)
                 ? "a run longer than ten years is not billed; is its time in the right unit?"
             : spot ? "it is interrupted so often that it would never end"
                    : "its cost is more than can be written down"));
        continue;
      }
      point.queue_seconds = median_wait(evidence.points[summary.index]);
      for (const TimesAtK& at : analysis.curves[c].times) {
        if (at.k == point.k) times.push_back(at);
      }
      curve.result_name = summary.point.result_name;
      curve.points.push_back(std::move(point));
    }
    if (curve.points.empty()) continue;
    settle_frontier(book.currency, curve);
    if (times.size() == curve.points.size() && fewest_runs(times) >= 2) {
      draw_curve(item, times, bootstrap, curve);
    } else {
      curve.notes.emplace_back("no intervals: some K has a single run");
    }
    if (!without.empty()) curve.notes.push_back("no valid run, so no cost: " + without);
    if (from.k0 != 1) {
      curve.notes.push_back("E is relative to K=" + std::to_string(from.k0));
    }
    add_notes(item, curve);
    curves.push_back(std::move(curve));
  }
  return curves;
}

std::vector<int> usual_ks(int most) {
  std::vector<int> ks;
  for (std::int64_t k = 1; k <= most; k *= 2) {
    ks.push_back(static_cast<int>(k));
    if (k > 1 && k + k / 2 <= most) ks.push_back(static_cast<int>(k + k / 2));
  }
  return ks;
}

std::vector<int> modelled_ks(const CostCurve& curve) {
  std::vector<int> ks = usual_ks(static_cast<int>(kPredictTo) * curve.points.back().k);
  std::erase_if(ks, [&](int k) {
    return k < curve.points.front().k ||
           std::ranges::find(curve.points, k, &CostPoint::k) != curve.points.end();
  });
  return ks;
}

Use use_at(const CostCurve& curve, int k) {
  const CostPoint *low = nullptr, *high = nullptr;
  for (const CostPoint& point : curve.points) {
    if (point.modelled) continue;
    if (low == nullptr || point.k <= k) low = &point;
    if (high == nullptr || high->k < k) high = &point;
  }
  const auto part = [&](int from, int to) {
    const double at =
        high->k > low->k && k <= high->k
            ? from + (to - from) * static_cast<double>(k - low->k) / (high->k - low->k)
            : static_cast<double>(to) * k / high->k;
    return static_cast<int>(std::ceil(at - 1e-9));
  };
  return {part(low->use.nodes, high->use.nodes), part(low->use.gpus, high->use.gpus),
          part(low->use.cores, high->use.cores), k};
}

void add_modelled(const CurveAnalysis& analysis, const PriceBook& book, const PriceItem& item,
                  const BootstrapOptions& bootstrap, CostCurve& curve) {
  if (!analysis.models.fits.empty() && adequate_model(analysis.models) == nullptr) {
    curve.notes.emplace_back("nothing modelled: no model is adequate");
    return;
  }
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
    const double dearest = cost_of(item, point, prediction.high);
    if (!(dearest < kMostUnits) || !bill_point(item, book.currency, point)) continue;
    point.per_result_interval =
        Interval{cost_of(item, point, prediction.low), dearest, kLevel, "models"};
    point.flags.emplace_back(prediction.extrapolated ? "modelled, beyond the K measured"
                                                     : "modelled");
    added.push_back(std::move(point));
  }
  for (CostPoint& point : added) {
    const auto place = std::ranges::upper_bound(curve.points, point.k, {}, &CostPoint::k);
    const auto at = place - curve.points.begin();
    if (!curve.cost_draws.empty()) {
      curve.cost_draws.emplace(curve.cost_draws.begin() + at);
      curve.seconds_draws.emplace(curve.seconds_draws.begin() + at);
    }
    curve.points.insert(place, std::move(point));
  }
  if (added.empty()) return;
  settle_frontier(book.currency, curve);
  curve.notes.emplace_back(
      "modelled K were not measured: their intervals are those of one run over all plausible "
      "models, and failures there are not counted");
  for (CostPoint& point : curve.points) point.frontier_share.reset();
}

}  // namespace kneepoint
