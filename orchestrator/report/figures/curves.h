// SPDX-License-Identifier: Apache-2.0
//
// What the figures over K share: which K there are, the model's curve, points with their intervals.
// Weak curves whose work per worker varies are drawn at equal work, as knees and models see them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "orchestrator/report/figures/figures.h"
#include "orchestrator/report/figures/svg_plot.h"

namespace kneepoint {

// A curve's measured points, brought to equal work, K ascending.
struct DrawnPoint {
  const PointSummary* summary = nullptr;
  double k = 1;
  double seconds = 0, efficiency = 1;
  std::optional<double> seconds_low, seconds_high, efficiency_low, efficiency_high;
};

class DrawnCurve {
 public:
  DrawnCurve(const Document& document, const CurveView& view);

  bool empty() const { return points_.empty(); }
  const std::vector<DrawnPoint>& points() const { return points_; }
  const DrawnPoint& base() const { return points_.front(); }
  const CurveView& view() const { return view_; }
  bool by_work() const { return by_work_; }
  // How its points came about: "measured", "emulated", "simulated", "imported".
  const std::string& made() const { return made_; }
  bool strong() const { return view_.curve->mode == Mode::strong; }
  const ModelFit* model() const;
  // From the smallest K to twice the largest when there is a model, else to the largest.
  double k_low() const { return points_.front().k; }
  double k_high() const;

  // Seconds by the model (at equal work) at many K between, for a line; empty without one.
  svg::Plot::Values model_line(bool beyond) const;
  // The band's bounds in seconds at the K of both lines: as far from the model as at the K around.
  struct Band {
    svg::Plot::Values low, high;
  };
  Band band() const;
  // Efficiency at K of a time there, relative to `seconds0` at K0.
  double efficiency_of(double k, double seconds, double seconds0) const;
  double model_base() const;  // the model's T(K0)

 private:
  CurveView view_;
  std::vector<DrawnPoint> points_;
  bool by_work_ = false;
  std::string made_;
};

// How the points of a curve came about.
std::string origin_words(const StudyEvidence& study, const Curve& curve);
// "K, GPUs".
std::string k_words(WorkerUnit worker);
svg::KAxis k_axis(const std::vector<const DrawnCurve*>& curves, const Document& document,
                  KScale scale);
// "T(K0=1) = 1.002 s", or that only ratios are known.
std::string baseline_words(const Document& document, const DrawnCurve& curve);
// "Bars: 96.8% (Hodges-Lehmann) over runs."; "" without any interval.
std::string interval_words(const DrawnCurve& curve, bool of_time);
// "K=4: 307.5 ms [306.9, 308.7], measured, 5 runs".
std::string hover_words(const DrawnCurve& curve, const DrawnPoint& point, const std::string& value);
// K from low to high, evenly on a logarithmic axis, both ends included.
std::vector<double> many_k(double low, double high, int steps = 14);
// Efficiency points and model of one curve onto a plot of E; `whole`: with the band, and with words
// on hover.
void draw_efficiency(svg::Plot& plot, const DrawnCurve& curve, const std::string& cls,
                     svg::Marker marker, bool whole);
// The largest E to be shown on an axis: at least 1.
double highest_efficiency(const DrawnCurve& curve);

}  // namespace kneepoint
