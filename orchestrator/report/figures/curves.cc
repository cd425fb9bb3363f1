// SPDX-License-Identifier: Apache-2.0
//
// Points, the model's lines and its band, each as the quantity that a figure shows.
#include "orchestrator/report/figures/curves.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "orchestrator/analysis/comparison/comparison.h"
#include "orchestrator/report/text.h"

namespace kneepoint {
namespace {

constexpr int kStepsBeyond = 4;  // of a line's extrapolated part

Measured with_bounds(double value, const std::optional<Interval>& interval) {
  if (!interval) return {value, {}, {}};
  return {value, interval->low, interval->high};
}

}  // namespace

std::string origin_words(const StudyEvidence& study, const Curve& curve) {
  if (is_simulated(study)) return "simulated";
  if (is_imported(study)) return "imported";
  return curve.emulated ? "emulated" : "measured";
}

std::string k_words(WorkerUnit worker) {
  return fmt::format("K, {}s", worker == WorkerUnit::gpu ? "GPU" : to_string(worker));
}

DrawnCurve::DrawnCurve(const Document& document, const CurveView& view)
    : view_(view), made_(origin_words(document.study, *view.curve)) {
  for (const PointSummary& p : view.curve->points) {
    if (p.valid == 0 || !(p.seconds > 0) || !(p.efficiency > 0)) continue;
    DrawnPoint at{&p, 1.0 * p.point.k, with_bounds(p.seconds, p.seconds_interval),
                  with_bounds(p.efficiency, p.efficiency_interval)};
    if (p.is_by_work()) {
      by_work_ = true;
      const double work = p.efficiency / p.efficiency_plain;
      at.seconds.value /= work;
      if (at.seconds.low) *at.seconds.low /= work;
      if (at.seconds.high) *at.seconds.high /= work;
    }
    points_.push_back(at);
  }
}

const ModelFit* DrawnCurve::model() const {
  const auto& fits = view_.analysis->models.fits;
  return fits.empty() ? nullptr : &fits.front();
}

double DrawnCurve::k_high() const {
  const double last = points_.back().k;
  return view_.analysis->band.empty() ? last : std::max(last, 1.0 * view_.analysis->band.back().k);
}

std::vector<double> many_k(double low, double high, int steps) {
  std::vector<double> ks;
  for (int i = 0; i <= steps; ++i) {
    ks.push_back(low * std::pow(high / low, static_cast<double>(i) / steps));
  }
  return ks;
}

svg::Plot::Values DrawnCurve::model_line(bool beyond) const {
  svg::Plot::Values line;
  const ModelFit* fit = model();
  const double last = points_.back().k;
  if (fit == nullptr || (beyond && k_high() <= last) || (!beyond && last <= k_low())) return line;
  for (const double k : beyond ? many_k(last, k_high(), kStepsBeyond) : many_k(k_low(), last)) {
    const double seconds = fit->coefficients.at(k);
    if (seconds > 0) line.emplace_back(k, seconds);
  }
  return line;
}

void DrawnCurve::add_band(Series& series, const svg::Plot::Values& line) const {
  const std::vector<Prediction>& known = view_.analysis->band;
  if (model() == nullptr || known.size() < 2) return;
  std::size_t next = 1;
  for (const auto& [k, seconds] : line) {
    while (next + 1 < known.size() && known[next].k < k) ++next;
    const Prediction &a = known[next - 1], &b = known[next];
    if (!(a.low > 0) || !(b.low > 0)) continue;
    const double share = std::clamp(std::log(k / a.k) / std::log(1.0 * b.k / a.k), 0.0, 1.0);
    const double modelled = seconds;
    const auto between = [&](double at_a, double at_b) {
      return modelled * std::pow(at_a / a.seconds, 1 - share) * std::pow(at_b / b.seconds, share);
    };
    series.low.emplace_back(k, between(a.low, b.low));
    series.high.emplace_back(k, between(a.high, b.high));
  }
}

Series DrawnCurve::series(const Quantity& quantity) const {
  Series out;
  for (const DrawnPoint& at : points_) {
    const auto& [value, low, high] = at.*quantity.measured;
    svg::Plot::Point p{at.k, quantity.of_point(at.k, value), {}, {}, ""};
    if (low) p.low = quantity.of_point(at.k, *low);
    if (high) p.high = quantity.of_point(at.k, *high);
    const int decimals = quantity.decimals(p.value), runs = at.summary->valid;
    const auto bounds =
        p.low && p.high ? std::optional(Interval{*p.low, *p.high, 0, ""}) : std::nullopt;
    // "K=4: T 307.5 ms [306.9, 308.7], measured, 5 runs".
    p.hover = fmt::format("K={}: {} {}{}{}, {}, {} run{}", count_text(at.k), quantity.name,
                          fixed_text(p.value, decimals), quantity.unit,
                          bounds ? " " + bounds_text(bounds, 1, decimals) : "", made_, runs,
                          runs == 1 ? "" : "s");
    out.points.push_back(p);
  }
  out.line = model_line(false);
  out.beyond = model_line(true);
  svg::Plot::Values whole = out.line;
  whole.insert(whole.end(), out.beyond.begin(), out.beyond.end());
  add_band(out, whole);
  for (svg::Plot::Values* values : {&out.line, &out.beyond, &out.low, &out.high}) {
    for (auto& [k, value] : *values) value = quantity.of_model(k, value);
  }
  if (quantity.falls_with_time) std::swap(out.low, out.high);
  return out;
}

std::vector<double> Series::values() const {
  std::vector<double> out;
  for (const svg::Plot::Point& p : points) {
    out.insert(out.end(), {p.value, p.low.value_or(p.value), p.high.value_or(p.value)});
  }
  for (const svg::Plot::Values* one : {&line, &beyond}) {
    for (const auto& [k, value] : *one) out.push_back(value);
  }
  return out;
}

Quantity DrawnCurve::efficiency() const {
  const double base = model() == nullptr ? 0 : model()->coefficients.at(k_low());
  return {"E",
          "",
          &DrawnPoint::efficiency,
          [](double, double e) { return e; },
          [base, k0 = k_low(), strong = strong()](double k, double seconds) {
            return strong ? k0 * base / (k * seconds) : base / seconds;
          },
          true,
          [](double) { return 3; }};
}

svg::KAxis k_axis(const std::vector<const DrawnCurve*>& curves, const Document& document,
                  KScale scale) {
  svg::KAxis axis;
  std::set<double> ks;
  axis.high = 0;
  axis.measured_to = 0;
  for (const DrawnCurve* curve : curves) {
    for (const DrawnPoint& point : curve->points()) ks.insert(point.k);
    axis.high = std::max(axis.high, curve->k_high());
    axis.measured_to = std::max(axis.measured_to, curve->last().k);
  }
  axis.ticks.assign(ks.begin(), ks.end());
  axis.low = axis.ticks.front();
  if (axis.high <= axis.low) {  // one K: in the middle
    axis.high = axis.measured_to = 2 * axis.low;
    axis.low /= 2;
  }
  axis.linear = scale == KScale::linear;
  axis.label = k_words(document.study.worker);
  return axis;
}

std::string caption_of(const Document& document, const DrawnCurve& curve, bool of_time) {
  const std::string k0 = count_text(curve.k_low());
  const std::string baseline =
      is_relative(document.study)
          ? fmt::format("Speedups only: T is in units of T(K0={}).", k0)
          : fmt::format("T(K0={}) = {}{}", k0, seconds_text(curve.base().seconds.value),
                        curve.by_work() ? "; brought to equal work per worker." : ".");
  std::set<std::string> kinds;
  for (const DrawnPoint& point : curve.points()) {
    const auto& interval =
        of_time ? point.summary->seconds_interval : point.summary->efficiency_interval;
    if (interval) kinds.insert(level_text(interval->level) + " (" + interval->method + ")");
  }
  if (kinds.empty()) return baseline + " No intervals: one run at a point has none.";
  return fmt::format("{} Bars: {} over runs.", baseline,
                     joined({kinds.begin(), kinds.end()}, ", "));
}

}  // namespace kneepoint
