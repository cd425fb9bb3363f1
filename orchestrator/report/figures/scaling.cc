// SPDX-License-Identifier: Apache-2.0
//
// T, speedup and efficiency over K, and strong beside weak.
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

std::vector<LegendEntry> legend_of(const DrawnCurve& curve, bool ideal) {
  std::vector<LegendEntry> legend = {{"me", curve.made(), Marker::circle}};
  if (ideal) legend.push_back({"id", "ideal"});
  if (const ModelFit* model = curve.model()) {
    legend.push_back({"mo", "model " + model->name});
    legend.push_back({"ba", "90% of runs", std::nullopt, true});
    legend.push_back({"ex", "extrapolated", std::nullopt, true});
  }
  return legend;
}

// "K=1 to K=16".
std::string range_words(const DrawnCurve& curve) {
  return "K=" + count_text(curve.k_low()) + " to K=" + count_text(curve.points().back().k);
}

std::string model_words(const DrawnCurve& curve) {
  if (curve.model() == nullptr) return " No model: too few K.";
  return "";
}

void add_values(std::vector<double>& values, const Plot::Values& line) {
  for (const auto& [k, value] : line) values.push_back(value);
}

// "K=6.2 (6 to 6.4)", or where it is; with the line to be drawn.
struct KneeMark {
  std::string words;
  std::optional<double> k;
  std::optional<double> low, high;
  bool extrapolated = false;
};

KneeMark knee_mark(const DrawnCurve& curve) {
  const CurveView& view = curve.view();
  const Knee* knee = decisive_knee(view);
  KneeMark mark;
  if (knee == nullptr) {
    const KneeAnswer& floor = *view.floor_knee;
    if (floor.place == KneePlace::beyond) {
      mark.words = "knee beyond K=" + count_text(curve.points().back().k);
    }
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
      mark.words += " [" + k_text(*knee->low) + ", " +
                    (knee->high ? k_text(*knee->high) : std::string("…")) + "]";
    }
    return mark;
  }
  if (knee->place == KneePlace::below) {
    mark.words = "knee below the second K";
    return mark;
  }
  mark.words = "knee beyond K=" + count_text(curve.points().back().k);
  if (const auto k = knee->predicted(static_cast<int>(curve.points().back().k))) {
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
  const double height = area.bottom - area.top;
  if (mark.k && mark.low && mark.high) {
    const double low = std::max(*mark.low, curve.k_low());
    const double high = std::min(*mark.high, curve.k_high());
    plot.band("kb", {{low, 0}, {high, 0}}, {{low, 1e9}, {high, 1e9}});
  }
  if (mark.k) {
    plot.begin_at(mark.extrapolated ? "kn mx" : "kn", *mark.k, area.top);
    plot.canvas().title(mark.words + (mark.extrapolated ? ", extrapolated" : ""));
    plot.canvas().path("", "M0 0v" + svg::number(height)).end();
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
  std::vector<Plot::Level> levels = {{"fp", floor, "floor " + count_text(floor)}};
  for (const double line : {0.8, 0.5}) {
    if (line != floor) levels.push_back({"fl", line, count_text(line)});
  }
  return levels;
}

svg::Scale efficiency_scale(double most) {
  svg::Scale scale{0, std::max(1.05, most * 1.04)};
  if (most > 1.3) scale = svg::widened(scale, 5);
  return scale;
}

}  // namespace

std::optional<Figure> time_figure(const Document& document, const CurveView& view, KScale scale) {
  const DrawnCurve curve(document, view);
  if (curve.empty()) return std::nullopt;
  const bool strong = curve.strong();
  double shortest = curve.base().seconds;
  for (const DrawnPoint& at : curve.points()) shortest = std::min(shortest, at.seconds);
  const bool relative = is_relative(document.study);
  const TimeUnit unit = relative ? TimeUnit{"T(K0)", 1} : time_unit(shortest);
  const double per = unit.per_second;

  std::vector<Plot::Point> points;
  std::vector<double> values;
  for (const DrawnPoint& at : curve.points()) {
    Plot::Point p{at.k, at.seconds * per};
    if (at.seconds_low) p.low = *at.seconds_low * per;
    if (at.seconds_high) p.high = *at.seconds_high * per;
    const int decimals = decimals_for(p.value, 4);
    p.hover = hover_words(curve, at,
                          "T " + fixed_text(p.value, decimals) + " " + unit.name +
                              (p.low && p.high ? " [" + fixed_text(*p.low, decimals) + ", " +
                                                     fixed_text(*p.high, decimals) + "]"
                                               : ""));
    values.insert(values.end(), {p.value, p.low.value_or(p.value), p.high.value_or(p.value)});
    points.push_back(p);
  }
  auto [low, high] = curve.band();
  for (auto* bound : {&low, &high}) {
    for (auto& [k, value] : *bound) value *= per;
  }
  Plot::Values line, line_beyond, ideal;
  line = curve.model_line(false);
  line_beyond = curve.model_line(true);
  for (auto* part : {&line, &line_beyond}) {
    for (auto& [k, value] : *part) value *= per;
    add_values(values, *part);
  }
  // The band may be far wider than the points: it is cut rather than flattening them.
  const double most = *std::max_element(values.begin(), values.end());
  for (const auto& [k, value] : high) values.push_back(std::min(value, 1.5 * most));
  if (strong) {
    const double least = *std::min_element(values.begin(), values.end());
    for (const auto& [k, value] : low) values.push_back(std::max(value, least / 1.5));
  }
  const double k_end = curve.k_high();
  for (const double k : many_k(curve.k_low(), k_end)) {
    ideal.emplace_back(k, curve.base().seconds * per * (strong ? curve.k_low() / k : 1));
  }
  if (strong) values.push_back(std::max(ideal.back().second, 0.25 * shortest * per));

  svg::PlotSpec spec;
  spec.title = "Time";
  spec.y_label = relative ? std::string("T / T(K0)") : std::string("T, ") + unit.name;
  spec.k = k_axis({&curve}, document, scale);
  spec.y = svg::scale_for(values, strong);
  spec.legend = legend_of(curve, true);
  Plot plot(spec);
  if (!low.empty()) plot.band("ba", low, high);
  plot.line("id", ideal);
  plot.line("mo", line);
  plot.line("mo mx", line_beyond);
  plot.points("me", Marker::circle, points);

  Figure figure;
  figure.name = "time";
  figure.heading = "Time";
  figure.about = view.label;
  const auto& last = points.back();
  figure.description =
      "T over K of " + view.label + ", " + range_words(curve) + ": from " +
      significant_text(points.front().value, 4) + " to " + significant_text(last.value, 4) + " " +
      unit.name + "; ideal would be " +
      significant_text(curve.base().seconds * per * (strong ? curve.k_low() / last.k : 1), 4) + ".";
  figure.caption =
      baseline_words(document, curve) + " " + interval_words(curve, true) + model_words(curve);
  figure.data = plot.data();
  figure.pieces = plot.pieces(false);
  return figure;
}

std::optional<Figure> speedup_figure(const Document& document, const CurveView& view,
                                     KScale scale) {
  const DrawnCurve curve(document, view);
  if (curve.empty()) return std::nullopt;
  const double k0 = curve.k_low();
  const double base = curve.model_base();
  // S = E · K/K0 in both modes.
  const auto speedup = [&](double k, double seconds) {
    return curve.efficiency_of(k, seconds, base) * k / k0;
  };
  std::vector<Plot::Point> points;
  std::vector<double> values;
  for (const DrawnPoint& at : curve.points()) {
    const double r = at.k / k0;
    Plot::Point p{at.k, at.efficiency * r};
    if (at.efficiency_low) p.low = *at.efficiency_low * r;
    if (at.efficiency_high) p.high = *at.efficiency_high * r;
    p.hover = hover_words(
        curve, at,
        "S " + fixed_text(p.value, 2) +
            (p.low && p.high ? " [" + fixed_text(*p.low, 2) + ", " + fixed_text(*p.high, 2) + "]"
                             : ""));
    values.insert(values.end(), {p.value, p.low.value_or(p.value), p.high.value_or(p.value)});
    points.push_back(p);
  }
  auto [high, low] = curve.band();  // more time, less speedup
  for (auto* bound : {&low, &high}) {
    for (auto& [k, value] : *bound) value = speedup(k, value);
  }
  Plot::Values line = curve.model_line(false), beyond = curve.model_line(true), ideal;
  for (auto* part : {&line, &beyond}) {
    for (auto& [k, value] : *part) value = speedup(k, value);
    add_values(values, *part);
  }
  for (const double k : many_k(k0, curve.k_high())) ideal.emplace_back(k, k / k0);
  // The ideal line is shown as far as twice the best speedup reaches.
  const double most = *std::max_element(values.begin(), values.end());
  values.push_back(std::min(ideal.back().second, 2 * most));
  values.push_back(1);
  std::erase_if(values, [](double value) { return !(value > 0) || !std::isfinite(value); });

  svg::PlotSpec spec;
  const bool strong = curve.strong();
  spec.title = strong ? "Speedup" : "Scaled speedup";
  spec.y_label = k0 == 1 ? "S" : "S relative to K0=" + count_text(k0);
  spec.k = k_axis({&curve}, document, scale);
  spec.y = svg::scale_for(values, true);
  spec.y_powers_of_two = true;
  spec.legend = legend_of(curve, true);
  Plot plot(spec);
  if (!low.empty()) plot.band("ba", low, high);
  plot.line("id", ideal);
  plot.line("mo", line);
  plot.line("mo mx", beyond);
  plot.points("me", Marker::circle, points);

  Figure figure;
  figure.name = "speedup";
  figure.heading = spec.title;
  figure.about = view.label;
  figure.description = "Speedup over K of " + view.label + ", " + range_words(curve) + ": " +
                       fixed_text(points.back().value, 2) + " at K=" + count_text(points.back().k) +
                       ", where ideal is " + count_text(points.back().k / k0) + ".";
  figure.caption = baseline_words(document, curve) + " " + interval_words(curve, false);
  const ModelFit* model = curve.model();
  if (model != nullptr && model->ceiling) {
    figure.caption +=
        " By the model no speedup above " + significant_text(*model->ceiling, 3) + ".";
  }
  figure.data = plot.data();
  figure.pieces = plot.pieces(false);
  return figure;
}

std::optional<Figure> efficiency_figure(const Document& document, const CurveView& view,
                                        KScale scale) {
  const DrawnCurve curve(document, view);
  if (curve.empty()) return std::nullopt;
  svg::PlotSpec spec;
  spec.title = curve.by_work() ? "Efficiency by work" : "Efficiency";
  spec.y_label = curve.k_low() == 1 ? "E" : "E relative to K0=" + count_text(curve.k_low());
  spec.k = k_axis({&curve}, document, scale);
  spec.y = efficiency_scale(highest_efficiency(curve));
  spec.legend = legend_of(curve, true);
  if (view.to_use->k) spec.legend.push_back({"us", "K to use", Marker::triangle});
  spec.right_margin = kFloorMargin;
  Plot plot(spec);
  const KneeMark mark = knee_mark(curve);
  plot.levels(floor_levels(document));
  plot.line("id", {{spec.k.low, 1}, {spec.k.high, 1}});
  draw_knee(plot, curve, mark);
  draw_efficiency(plot, curve, "me", Marker::circle, true);
  draw_use(plot, view);

  Figure figure;
  figure.name = "efficiency";
  figure.heading = spec.title;
  figure.about = view.label;
  const DrawnPoint& last = curve.points().back();
  figure.description = "Efficiency over K of " + view.label + ", " + range_words(curve) + ": " +
                       efficiency_text(last.efficiency) + " at K=" + count_text(last.k) +
                       (mark.words.empty() ? "" : "; " + mark.words) + ".";
  figure.caption = baseline_words(document, curve) + " " + interval_words(curve, false) +
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
  Figure figure;
  figure.name = "modes";
  figure.heading = "Strong and weak";
  figure.about = strong.curve->case_name;
  figure.width = 720;
  figure.height = 270;
  std::vector<const DrawnCurve*> drawn;
  double most = 1;
  for (const DrawnCurve& curve : curves) {
    drawn.push_back(&curve);
    most = std::max(most, highest_efficiency(curve));
  }
  std::vector<std::string> words;
  for (int i = 0; i < 2; ++i) {
    svg::PlotSpec spec;
    spec.title =
        i == 0 ? "Strong: the total problem is fixed" : "Weak: the problem per worker is fixed";
    spec.y_label = curves[i].by_work() ? "E by work" : "E";
    spec.k = k_axis(drawn, document, scale);
    spec.y = efficiency_scale(most);
    spec.right_margin = kFloorMargin;
    spec.x = i * figure.width / 2;
    spec.width = figure.width / 2;
    spec.height = figure.height;
    Plot plot(spec);
    plot.levels(floor_levels(document));
    const KneeMark mark = knee_mark(curves[i]);
    draw_knee(plot, curves[i], mark);
    draw_efficiency(plot, curves[i], i == 0 ? "me" : "we", i == 0 ? Marker::circle : Marker::square,
                    false);
    draw_use(plot, curves[i].view());
    const DrawnPoint& last = curves[i].points().back();
    words.push_back(std::string(i == 0 ? "strong " : "weak ") + efficiency_text(last.efficiency) +
                    " at K=" + count_text(last.k));
    figure.pieces.push_back({"<g class=\"panel\" " + plot.data() + ">"});
    for (svg::Piece& piece : plot.pieces(true)) figure.pieces.push_back(std::move(piece));
    figure.pieces.push_back({"</g>\n"});
  }
  figure.data = "data-panels=\"2\"";
  figure.description = "Efficiency of " + figure.about + ": " + joined(words, ", ") + ".";
  figure.caption = "Efficiency on the same axes; points with intervals are " + curves[0].made() +
                   ", lines are models, "
                   "the triangle is the K to use.";
  return figure;
}

}  // namespace kneepoint
