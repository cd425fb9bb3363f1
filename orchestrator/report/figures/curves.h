// SPDX-License-Identifier: Apache-2.0
//
// What the figures over K share: which K there are, and series of points, model and band. Weak
// curves whose work per worker varies are drawn at equal work, as knees and models see them.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "orchestrator/report/figures/figures.h"
#include "orchestrator/report/figures/svg.h"

namespace kneepoint {

struct Measured {
  double value = 1;
  std::optional<double> low, high;
};

// A curve's measured points, brought to equal work, K ascending.
struct DrawnPoint {
  const PointSummary* summary = nullptr;
  double k = 1;
  Measured seconds, efficiency;
};

// What is drawn over K: of the points, and of the seconds that the model gives.
struct Quantity {
  std::string name, unit;  // "T", " ms": before and after the value
  Measured DrawnPoint::*measured;
  std::function<double(double k, double measured)> of_point;
  std::function<double(double k, double seconds)> of_model;
  bool falls_with_time;
  std::function<int(double value)> decimals;
};

struct Series {
  std::vector<svg::Plot::Point> points;
  svg::Plot::Values line, beyond;      // by the model: between the K measured, and extrapolated
  svg::Plot::Values low, high;         // 90% of runs, at the K of both lines
  std::vector<double> values() const;  // of points, their intervals and the lines
};

class DrawnCurve {
 public:
  DrawnCurve(const Document& document, const CurveView& view);

  bool empty() const { return points_.empty(); }
  const std::vector<DrawnPoint>& points() const { return points_; }
  const DrawnPoint& base() const { return points_.front(); }
  const DrawnPoint& last() const { return points_.back(); }
  const CurveView& view() const { return view_; }
  bool by_work() const { return by_work_; }
  // How its points came about: "measured", "emulated", "simulated", "imported".
  const std::string& made() const { return made_; }
  bool strong() const { return view_.curve->mode == Mode::strong; }
  const ModelFit* model() const;
  // From the smallest K to twice the largest when there is a model, else to the largest.
  double k_low() const { return points_.front().k; }
  double k_high() const;

  Series series(const Quantity& quantity) const;
  Quantity efficiency() const;

 private:
  // Seconds by the model (at equal work) at many K between, for a line; empty without one.
  svg::Plot::Values model_line(bool beyond) const;
  // The band's bounds at the K of `line`: as far from the model as at the K around.
  void add_band(Series& series, const svg::Plot::Values& line) const;

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
// "T(K0=1) = 1.002 s", or that only ratios are known; and "Bars: 96.8% (Hodges-Lehmann) over runs."
std::string caption_of(const Document& document, const DrawnCurve& curve, bool of_time);
// K from low to high, evenly on a logarithmic axis, both ends included.
std::vector<double> many_k(double low, double high, int steps = 14);

}  // namespace kneepoint
