// SPDX-License-Identifier: Apache-2.0
//
// T, speedup and efficiency over K, and strong beside weak.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "orchestrator/analysis/comparison/comparison.h"
#include "orchestrator/report/figures/curves.h"
#include "orchestrator/report/text.h"

namespace kneepoint {
namespace {

using svg::Anchor;
using svg::LegendEntry;
using svg::Marker;
using svg::Plot;

// Room at the right of an efficiency plot for the names of its floors.
constexpr double kFloorMargin = 62;

std::vector<LegendEntry> legend_of(const DrawnCurve& curve) {
  std::vector<LegendEntry> legend = {{"me", curve.made(), Marker::circle}, {"id", "ideal"}};
  if (const ModelFit* model = curve.model()) {
    legend.push_back({"mo", "model " + model->name});
    legend.push_back({"ba", "90% of runs", std::nullopt, true});
    legend.push_back({"ex", "extrapolated", std::nullopt, true});
  }
  return legend;
}

// "Efficiency over K of jacobi strong, K=1 to K=16: ".
std::string opening_words(const char* what, const DrawnCurve& curve) {
  return fmt::format("{} over K of {}, K={} to K={}: ", what, curve.view().label,
                     count_text(curve.k_low()), count_text(curve.last().k));
}

void draw_model(Plot& plot, const Series& series) {
  plot.line("mo", series.line);
  plot.line("mo mx", series.beyond);
}

// The figure of a series with the ideal line. `values`: what its axis holds.
Figure series_figure(Figure figure, const char* y_label, const DrawnCurve& curve,
                     const Series& series, const Plot::Values& ideal, svg::Scale values,
                     bool powers_of_two, const svg::KAxis& axis) {
  Plot plot({.title = figure.heading,
             .y_label = y_label,
             .k = axis,
             .y = values,
             .y_powers_of_two = powers_of_two,
             .legend = legend_of(curve)});
  plot.band("ba", series.low, series.high);
  plot.line("id", ideal);
  draw_model(plot, series);
  plot.points("me", Marker::circle, series.points);
  figure.data = plot.data();
  figure.pieces = plot.pieces(false);
  return figure;
}

// "K=6.2 [6, 6.4]", or where it is; with the line to be drawn.
struct KneeMark {
  std::string words;
  std::optional<double> k, low, high;
  bool extrapolated = false;
};

KneeMark knee_mark(const DrawnCurve& curve) {
  const Knee* knee = decisive_knee(curve.view());
  const std::string beyond = "knee beyond K=" + count_text(curve.last().k);
  KneeMark mark;
  if (knee == nullptr) {
    const KneeAnswer& floor = *curve.view().floor_knee;
    if (floor.place == KneePlace::beyond) mark.words = beyond;
    if (floor.k) mark.words = "knee about K=" + k_text(*floor.k);
    mark.k = floor.k;
    return mark;
  }
  if (knee->k) {
    mark.k = knee->k;
    mark.words = "knee K=" + k_text(*knee->k);
    if (knee->low) {
      mark.low = knee->low;
      mark.high = knee->high.value_or(curve.k_high());
      mark.words += fmt::format(" [{}, {}]", k_text(*knee->low),
                                knee->high ? k_text(*knee->high) : std::string("…"));
    }
    return mark;
  }
  if (knee->place == KneePlace::below) {
    mark.words = "knee below the second K";
    return mark;
  }
  mark.words = beyond;
  if (const auto k = knee->predicted(static_cast<int>(curve.last().k))) {
    mark.words += " (model: " + k_text(*k) + ")";
    if (*k <= curve.k_high() && *k >= curve.k_low()) {
      mark.k = k;
      mark.extrapolated = true;
    }
  }
  return mark;
}

void draw_knee(Plot& plot, const DrawnCurve& curve, const KneeMark& mark) {
  const svg::Area& area = plot.area();
  if (mark.k && mark.low && mark.high) {
    const double low = std::max(*mark.low, curve.k_low());
    const double high = std::min(*mark.high, curve.k_high());
    plot.band("kb", {{low, 0}, {high, 0}}, {{low, 1e9}, {high, 1e9}});
  }
  if (mark.k) {
    plot.begin_at(mark.extrapolated ? "kn mx" : "kn", *mark.k, area.top);
    plot.canvas().title(mark.words + (mark.extrapolated ? ", extrapolated" : ""));
    plot.canvas().path("", "M0 0v" + svg::number(area.bottom - area.top)).end();
  }
  if (!mark.words.empty()) {
    plot.canvas().text("lb knt", {area.right, area.top - 8}, Anchor::end, mark.words);
  }
}

// A triangle on the axis below the K to use.
void draw_use(Plot& plot, const CurveView& view) {
  const std::optional<int> k = view.to_use->k;
  if (!k) return;
  plot.begin_at("us", *k, plot.area().bottom - 5);
  plot.canvas().title("use K=" + std::to_string(*k));
  plot.canvas().marker("", Marker::triangle, {}, 5).end();
}

std::vector<Plot::Level> floor_levels(const Document& document) {
  const double floor = document.study.knee_floor;
  std::vector<Plot::Level> levels = {{floor, "floor " + count_text(floor), true}};
  for (const double line : {0.8, 0.5}) {
    if (line != floor) levels.push_back({line, count_text(line)});
  }
  return levels;
}

// Holds the points with their intervals, and 1.
svg::Scale efficiency_scale(const std::vector<const DrawnCurve*>& curves) {
  double most = 1;
  for (const DrawnCurve* curve : curves) {
    for (const DrawnPoint& point : curve->points()) {
      most = std::max(most, point.efficiency.high.value_or(point.efficiency.value));
    }
  }
  const svg::Scale scale{0, std::max(1.05, most * 1.04)};
  return most > 1.3 ? svg::widened(scale, 5) : scale;
}

}  // namespace

std::optional<Figure> time_figure(const Document& document, const CurveView& view, KScale scale) {
  const DrawnCurve curve(document, view);
  if (curve.empty()) return std::nullopt;
  const bool strong = curve.strong(), relative = is_relative(document.study);
  std::vector<double> seconds;
  for (const DrawnPoint& at : curve.points()) seconds.push_back(at.seconds.value);
  const TimeUnit unit = relative ? TimeUnit{"T(K0)", 1} : unit_of_least(seconds);
  const double per = unit.per_second;
  const auto in_unit = [per](double, double value) { return value * per; };
  const Series series =
      curve.series({"T", std::string(" ") + unit.name, &DrawnPoint::seconds, in_unit, in_unit,
                    false, [](double value) { return decimals_for(value, 4); }});
  Plot::Values ideal;
  for (const double k : many_k(curve.k_low(), curve.k_high())) {
    ideal.emplace_back(k, curve.base().seconds.value * per * (strong ? curve.k_low() / k : 1));
  }
  std::vector<double> values = series.values();
  // The band may be far wider than the points: it is cut rather than flattening them.
  const double most = *std::max_element(values.begin(), values.end());
  for (const auto& [k, value] : series.high) values.push_back(std::min(value, 1.5 * most));
  if (strong) {
    const double least = *std::min_element(values.begin(), values.end());
    for (const auto& [k, value] : series.low) values.push_back(std::max(value, least / 1.5));
    const double shortest = *std::min_element(seconds.begin(), seconds.end());
    values.push_back(std::max(ideal.back().second, 0.25 * shortest * per));
  }
  Figure figure("time", "Time", view.label);
  const Plot::Point& last = series.points.back();
  figure.description =
      opening_words("T", curve) +
      fmt::format("from {} to {} {}; ideal would be {}.",
                  significant_text(series.points.front().value, 4), significant_text(last.value, 4),
                  unit.name,
                  significant_text(
                      curve.base().seconds.value * per * (strong ? curve.k_low() / last.k : 1), 4));
  figure.caption =
      caption_of(document, curve, true) + (curve.model() == nullptr ? " No model: too few K." : "");
  const std::string label = relative ? "T / T(K0)" : std::string("T, ") + unit.name;
  return series_figure(std::move(figure), label.c_str(), curve, series, ideal,
                       svg::scale_for(values, strong), false, k_axis({&curve}, document, scale));
}

std::optional<Figure> speedup_figure(const Document& document, const CurveView& view,
                                     KScale scale) {
  const DrawnCurve curve(document, view);
  if (curve.empty()) return std::nullopt;
  const double k0 = curve.k_low();
  // S = E · K/K0 in both modes.
  Quantity speedup = curve.efficiency();
  speedup.name = "S";
  speedup.of_point = [k0](double k, double e) { return e * (k / k0); };
  speedup.of_model = [k0, e = speedup.of_model](double k, double s) { return e(k, s) * k / k0; };
  speedup.decimals = [](double) { return 2; };
  const Series series = curve.series(speedup);
  Plot::Values ideal;
  for (const double k : many_k(k0, curve.k_high())) ideal.emplace_back(k, k / k0);
  // The ideal line is shown as far as twice the best speedup reaches.
  std::vector<double> values = series.values();
  const double most = *std::max_element(values.begin(), values.end());
  values.insert(values.end(), {std::min(ideal.back().second, 2 * most), 1});
  std::erase_if(values, [](double value) { return !(value > 0) || !std::isfinite(value); });

  Figure figure("speedup", curve.strong() ? "Speedup" : "Scaled speedup", view.label);
  const Plot::Point& last = series.points.back();
  figure.description = opening_words("Speedup", curve) +
                       fmt::format("{:.2f} at K={}, where ideal is {}.", last.value,
                                   count_text(last.k), count_text(last.k / k0));
  figure.caption = caption_of(document, curve, false);
  const ModelFit* model = curve.model();
  if (model != nullptr && model->ceiling) {
    figure.caption +=
        fmt::format(" By the model no speedup above {}.", significant_text(*model->ceiling, 3));
  }
  const std::string label = k0 == 1 ? "S" : "S relative to K0=" + count_text(k0);
  return series_figure(std::move(figure), label.c_str(), curve, series, ideal,
                       svg::scale_for(values, true), true, k_axis({&curve}, document, scale));
}

std::optional<Figure> efficiency_figure(const Document& document, const CurveView& view,
                                        KScale scale) {
  const DrawnCurve curve(document, view);
  if (curve.empty()) return std::nullopt;
  Figure figure("efficiency", curve.by_work() ? "Efficiency by work" : "Efficiency", view.label);
  svg::PlotSpec spec;
  spec.title = figure.heading;
  spec.y_label = curve.k_low() == 1 ? "E" : "E relative to K0=" + count_text(curve.k_low());
  spec.k = k_axis({&curve}, document, scale);
  spec.y = efficiency_scale({&curve});
  spec.legend = legend_of(curve);
  if (view.to_use->k) spec.legend.push_back({"us", "K to use", Marker::triangle});
  spec.right_margin = kFloorMargin;
  Plot plot(spec);
  const KneeMark mark = knee_mark(curve);
  const Series series = curve.series(curve.efficiency());
  plot.levels(floor_levels(document));
  plot.line("id", {{spec.k.low, 1}, {spec.k.high, 1}});
  draw_knee(plot, curve, mark);
  plot.band("ba", series.low, series.high);
  draw_model(plot, series);
  plot.points("me", Marker::circle, series.points);
  draw_use(plot, view);
  figure.description =
      opening_words("Efficiency", curve) +
      fmt::format("{} at K={}{}{}.", efficiency_text(curve.last().efficiency.value),
                  count_text(curve.last().k), mark.words.empty() ? "" : "; ", mark.words);
  figure.caption = caption_of(document, curve, false) +
                   " Floors: the plan's, 0.8, and 0.5, where the cost per result has doubled.";
  figure.data = plot.data();
  figure.pieces = plot.pieces(true);
  return figure;
}

std::optional<Figure> modes_figure(const Document& document, const std::vector<CurveView>& views,
                                   const std::vector<std::size_t>& curves_of_case, KScale scale) {
  if (curves_of_case.size() != 2) return std::nullopt;
  const bool strong_first = views[curves_of_case[0]].curve->mode == Mode::strong;
  const CurveView& strong = views[curves_of_case[strong_first ? 0 : 1]];
  const DrawnCurve curves[] = {DrawnCurve(document, strong),
                               DrawnCurve(document, views[curves_of_case[strong_first ? 1 : 0]])};
  if (curves[0].empty() || curves[1].empty()) return std::nullopt;
  Figure figure("modes", "Strong and weak", strong.curve->case_name);
  figure.method = "efficiency";
  figure.width = 720;
  figure.height = 270;
  const std::vector<const DrawnCurve*> both = {&curves[0], &curves[1]};
  std::vector<std::string> words;
  for (const DrawnCurve* curve : both) {
    const bool left = curve == both.front();
    svg::PlotSpec spec;
    spec.title =
        left ? "Strong: the total problem is fixed" : "Weak: the problem per worker is fixed";
    spec.y_label = curve->by_work() ? "E by work" : "E";
    spec.k = k_axis(both, document, scale);
    spec.y = efficiency_scale(both);
    spec.right_margin = kFloorMargin;
    spec.x = left ? 0 : figure.width / 2;
    spec.width = figure.width / 2;
    spec.height = figure.height;
    Plot plot(spec);
    plot.levels(floor_levels(document));
    draw_knee(plot, *curve, knee_mark(*curve));
    Series series = curve->series(curve->efficiency());
    for (Plot::Point& point : series.points) point.hover.clear();
    draw_model(plot, series);
    plot.points(left ? "me" : "we", left ? Marker::circle : Marker::square, series.points);
    draw_use(plot, curve->view());
    words.push_back(fmt::format("{} {} at K={}", left ? "strong" : "weak",
                                efficiency_text(curve->last().efficiency.value),
                                count_text(curve->last().k)));
    figure.pieces.push_back({"<g class=\"panel\" " + plot.data() + ">"});
    for (svg::Piece& piece : plot.pieces(true)) figure.pieces.push_back(std::move(piece));
    figure.pieces.push_back({"</g>\n"});
  }
  figure.data = "data-panels=\"2\"";
  figure.description = fmt::format("Efficiency of {}: {}.", figure.about, joined(words, ", "));
  figure.caption = fmt::format(
      "Efficiency on the same axes; points with intervals are {}, lines are models, the triangle "
      "is the K to use.",
      curves[0].made());
  return figure;
}

}  // namespace kneepoint
