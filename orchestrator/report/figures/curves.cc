// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/report/figures/curves.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "orchestrator/analysis/comparison/comparison.h"
#include "orchestrator/report/text.h"

namespace kneepoint {
namespace {

constexpr int kStepsBeyond = 4;  // of a line's extrapolated part

}  // namespace

std::string origin_words(const StudyEvidence& study, const Curve& curve) {
  if (is_simulated(study)) return "simulated";
  if (is_imported(study)) return "imported";
  return curve.emulated ? "emulated" : "measured";
}

std::string k_words(WorkerUnit worker) {
  return std::string("K, ") + (worker == WorkerUnit::gpu ? "GPU" : to_string(worker)) + "s";
}

DrawnCurve::DrawnCurve(const Document& document, const CurveView& view)
    : view_(view), made_(origin_words(document.study, *view.curve)) {
  for (const PointSummary& p : view.curve->points) {
    if (p.valid == 0 || !(p.seconds > 0) || !(p.efficiency > 0)) continue;
    DrawnPoint at;
    at.summary = &p;
    at.k = p.point.k;
    const double work = p.is_by_work() ? p.efficiency / p.efficiency_plain : 1;
    by_work_ = by_work_ || p.is_by_work();
    at.seconds = p.seconds / work;
    if (p.seconds_interval) {
      at.seconds_low = p.seconds_interval->low / work;
      at.seconds_high = p.seconds_interval->high / work;
    }
    at.efficiency = p.efficiency;
    if (const auto& interval = p.efficiency_interval) {
      at.efficiency_low = interval->low;
      at.efficiency_high = interval->high;
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

DrawnCurve::Band DrawnCurve::band() const {
  Band out;
  const std::vector<Prediction>& known = view_.analysis->band;
  if (model() == nullptr || known.size() < 2) return out;
  svg::Plot::Values line = model_line(false);
  for (const auto& at : model_line(true)) line.push_back(at);
  std::size_t next = 1;
  for (const auto& [k, seconds] : line) {
    while (next + 1 < known.size() && known[next].k < k) ++next;
    const Prediction &a = known[next - 1], &b = known[next];
    const double share = std::clamp(std::log(k / a.k) / std::log(1.0 * b.k / a.k), 0.0, 1.0);
    const double modelled = seconds;
    const auto between = [&](double at_a, double at_b) {
      return modelled * std::pow(at_a / a.seconds, 1 - share) * std::pow(at_b / b.seconds, share);
    };
    if (!(a.low > 0) || !(b.low > 0)) continue;
    out.low.emplace_back(k, between(a.low, b.low));
    out.high.emplace_back(k, between(a.high, b.high));
  }
  return out;
}

double DrawnCurve::model_base() const {
  return model() == nullptr ? base().seconds : model()->coefficients.at(k_low());
}

double DrawnCurve::efficiency_of(double k, double seconds, double seconds0) const {
  return strong() ? k_low() * seconds0 / (k * seconds) : seconds0 / seconds;
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
    axis.measured_to = std::max(axis.measured_to, curve->points().back().k);
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

std::string baseline_words(const Document& document, const DrawnCurve& curve) {
  const std::string k0 = count_text(curve.k_low());
  if (is_relative(document.study)) return "Speedups only: T is in units of T(K0=" + k0 + ").";
  return "T(K0=" + k0 + ") = " + seconds_text(curve.base().seconds) +
         (curve.by_work() ? "; brought to equal work per worker." : ".");
}

std::string interval_words(const DrawnCurve& curve, bool of_time) {
  std::set<std::string> kinds;
  for (const DrawnPoint& point : curve.points()) {
    const auto& interval =
        of_time ? point.summary->seconds_interval : point.summary->efficiency_interval;
    if (interval) kinds.insert(level_text(interval->level) + " (" + interval->method + ")");
  }
  if (kinds.empty()) return "No intervals: one run at a point has none.";
  return "Bars: " + joined({kinds.begin(), kinds.end()}, ", ") + " over runs.";
}

std::string hover_words(const DrawnCurve& curve, const DrawnPoint& point,
                        const std::string& value) {
  const int runs = point.summary->valid;
  return "K=" + count_text(point.k) + ": " + value + ", " + curve.made() + ", " +
         std::to_string(runs) + (runs == 1 ? " run" : " runs");
}

double highest_efficiency(const DrawnCurve& curve) {
  double most = 1;
  for (const DrawnPoint& point : curve.points()) {
    most = std::max(most, point.efficiency_high.value_or(point.efficiency));
  }
  return most;
}

void draw_efficiency(svg::Plot& plot, const DrawnCurve& curve, const std::string& cls,
                     svg::Marker marker, bool whole) {
  const double base = curve.model_base();
  if (curve.model() != nullptr) {
    auto [high, low] = curve.band();  // more time, less efficiency
    for (auto* bound : {&low, &high}) {
      for (auto& [k, value] : *bound) value = curve.efficiency_of(k, value, base);
    }
    if (whole) plot.band("ba", low, high);
    for (const bool beyond : {false, true}) {
      svg::Plot::Values line = curve.model_line(beyond);
      for (auto& [k, value] : line) value = curve.efficiency_of(k, value, base);
      plot.line(beyond ? "mo mx" : "mo", line);
    }
  }
  std::vector<svg::Plot::Point> points;
  for (const DrawnPoint& at : curve.points()) {
    const std::string value =
        "E " + efficiency_with_bounds(at.efficiency, at.summary->efficiency_interval);
    points.push_back({at.k, at.efficiency, at.efficiency_low, at.efficiency_high,
                      whole ? hover_words(curve, at, value) : ""});
  }
  plot.points(cls, marker, points);
}

}  // namespace kneepoint
