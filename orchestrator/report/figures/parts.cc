// SPDX-License-Identifier: Apache-2.0
//
// Figures whose axis is not K: where the time goes, cost against time, roofline.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "orchestrator/report/figures/curves.h"
#include "orchestrator/report/text.h"

namespace kneepoint {
namespace {

using svg::Anchor;
using svg::At;
using svg::LegendEntry;
using svg::Marker;

constexpr double kBottom = 40;
constexpr double kMostBar = 46;
constexpr double kHidden = 1;  // a bar of this length is inside of its marker

// Title and legend, then the frame of a plot with two axes of values.
struct Frame {
  svg::Canvas heading;  // many figures have the same
  svg::Canvas canvas;
  svg::Area area;
  svg::Scale x, y;
};

struct FrameSpec {
  std::string title, x_label, y_label;
  svg::Scale x, y;
  std::vector<LegendEntry> legend;
  bool x_powers_of_two = false;
};

Frame framed(const Figure& figure, const FrameSpec& spec) {
  Frame frame;
  svg::Canvas& c = frame.canvas;
  frame.heading.text("ti", {2, 16}, Anchor::start, spec.title);
  const double top = svg::draw_legend(frame.heading, spec.legend, 2, 26, figure.width - 4);
  frame.y = spec.y;
  const auto y_ticks = svg::ticks_of(frame.y, 5);
  frame.area = {svg::widest_label(y_ticks) + 12, top + 22, figure.width - 14,
                figure.height - kBottom};
  frame.y.from = frame.area.bottom;
  frame.y.to = frame.area.top;
  frame.x = spec.x;
  frame.x.from = frame.area.left;
  frame.x.to = frame.area.right;
  svg::draw_y_axis(c, y_ticks, frame.y, frame.area);
  c.path("ax", svg::path_of({{frame.area.left, frame.area.top},
                             {frame.area.left, frame.area.bottom},
                             {frame.area.right, frame.area.bottom}}));
  c.text("lb", {2, frame.area.top - 8}, Anchor::start, spec.y_label);
  c.text("lb", {(frame.area.left + frame.area.right) / 2, figure.height - 6}, Anchor::middle,
         spec.x_label);
  double free_from = 0;
  std::string marks;
  svg::Canvas labels;
  for (const svg::Tick& tick : svg::ticks_of(frame.x, 6, spec.x_powers_of_two)) {
    const double at = frame.x.at(tick.value);
    const double half = svg::text_width(tick.label, svg::kTextSize) / 2 + 2;
    marks += fmt::format("M{} {}v4", svg::number(at), svg::number(frame.area.bottom));
    if (at - half < free_from || at + half > figure.width) continue;
    labels.text("", {at, 0}, Anchor::start, tick.label);
    free_from = at + half;
  }
  c.path("ax", marks);
  c.begin("kt", "transform=\"translate(0 " + svg::number(frame.area.bottom + 15) + ")\"");
  c.raw(labels.markup()).end();
  return frame;
}

// Parts of T as shares, bottom first.
struct Part {
  const char* cls;
  const char* name;
  double share;
};

struct Stack {
  int k = 1;
  std::vector<Part> parts;
};

std::vector<Stack> stacks_of(const CurveView& view) {
  std::vector<Stack> stacks;
  for (std::size_t i = 0; i < view.curve->points.size(); ++i) {
    const PointSummary& p = view.curve->points[i];
    if (p.valid == 0 || i >= view.analysis->points.size()) continue;
    const auto& b = view.analysis->points[i].breakdown;
    if (!b || b->wall <= 0) continue;
    stacks.push_back({p.point.k,
                      {{"b1", "compute", b->useful_mean / b->wall},
                       {"b2", "imbalance", b->imbalance_seconds / b->wall},
                       {"b3", "communication", b->communication_seconds / b->wall}}});
  }
  if (!stacks.empty()) return stacks;
  for (const PointSummary& p : view.curve->points) {
    if (p.valid == 0 || (p.compute_share <= 0 && p.communication_share <= 0)) continue;
    const double rest = std::max(0.0, 1 - p.compute_share - p.communication_share);
    stacks.push_back({p.point.k,
                      {{"b1", "compute", p.compute_share},
                       {"b2", "other", rest},
                       {"b3", "communication", p.communication_share}}});
  }
  return stacks;
}

// "compute 61.0%, imbalance 4.0%, communication 35.0%".
std::string shares_words(const Stack& stack) {
  std::vector<std::string> words;
  for (const Part& part : stack.parts) {
    words.push_back(fmt::format("{} {:.1f}%", part.name, part.share * 100));
  }
  return joined(words, ", ");
}

void cross(svg::Canvas& canvas, const Frame& frame, const CostPoint& point, double per) {
  const double x = frame.x.at(point.seconds / point.results * per);
  const double y = frame.y.at(to_units(point.per_result.micros));
  std::string bars;
  const auto bar = [&](At from, At to) {  // unless the marker hides it
    if (std::hypot(to.x - from.x, to.y - from.y) > kHidden) bars += svg::path_of({from, to});
  };
  if (point.per_result_interval) {
    const double top = std::max(frame.y.at(point.per_result_interval->high), frame.area.top);
    const double bottom = std::min(frame.y.at(point.per_result_interval->low), frame.area.bottom);
    bar({x, top}, {x, bottom});
  }
  if (point.seconds_interval) {
    const double scale = per / point.results;
    const double left = std::max(frame.x.at(point.seconds_interval->low * scale), frame.area.left);
    const double right =
        std::min(frame.x.at(point.seconds_interval->high * scale), frame.area.right);
    bar({left, y}, {right, y});
  }
  if (!bars.empty()) canvas.path("eb", bars);
}

}  // namespace

std::optional<Figure> breakdown_figure(const Document& document, const CurveView& view) {
  const std::vector<Stack> stacks = stacks_of(view);
  if (stacks.empty()) return std::nullopt;
  const std::string made = origin_words(document.study, *view.curve);
  Figure figure("breakdown", "Where the time goes", view.label);
  svg::Canvas frame, c;  // many curves have the same frame
  frame.text("ti", {2, 16}, Anchor::start, figure.heading);
  std::vector<LegendEntry> legend;
  for (const Part& part : stacks.front().parts) {
    legend.push_back({part.cls, part.name, std::nullopt, true});
  }
  const double top = svg::draw_legend(frame, legend, 2, 26, figure.width - 4);
  const svg::Area area{42, top + 22, figure.width - 14, figure.height - kBottom};
  const svg::Scale y{0, 1, area.bottom, area.top, false};
  svg::draw_y_axis(frame, {{0, "0"}, {0.25, "25%"}, {0.5, "50%"}, {0.75, "75%"}, {1, "100%"}}, y,
                   area);
  frame.text("lb", {2, area.top - 8}, Anchor::start, "of T");
  const double step = (area.right - area.left) / static_cast<double>(stacks.size());
  const double width = std::min(kMostBar, step * 0.72);
  const auto bar = [&](double left, double bottom, double height) {
    return fmt::format("M{0} {1}v-{2}h{3}v{2}z", svg::number(left), svg::number(bottom),
                       svg::number(height), svg::number(width));
  };
  std::map<std::string, std::string> bars;  // by class, all of one in one path
  svg::Canvas hovers, labels;
  double free_from = 0;
  for (std::size_t i = 0; i < stacks.size(); ++i) {
    const double middle = area.left + (static_cast<double>(i) + 0.5) * step;
    const double left = middle - width / 2;
    double below = 0;
    for (const Part& part : stacks[i].parts) {
      const double share = std::clamp(part.share, 0.0, 1 - below);
      const double height = y.at(below) - y.at(below + share);
      if (height >= 0.05) bars[part.cls] += bar(left, y.at(below), height);
      below += share;
    }
    const std::string label = std::to_string(stacks[i].k);
    hovers.raw("<path d=\"" + bar(left, area.bottom, area.bottom - area.top) + "\">");
    hovers.title(fmt::format("K={}: {}, {}", label, shares_words(stacks[i]), made));
    hovers.raw("</path>\n");
    const double half = svg::text_width(label, svg::kTextSize) / 2 + 2;
    if (middle - half < free_from) continue;
    labels.text("", {middle, area.bottom + 15}, Anchor::start, label);
    free_from = middle + half;
  }
  for (const auto& [cls, d] : bars) c.path(cls, d);
  c.begin("hv").raw(hovers.markup()).end();
  frame.begin("kt").raw(labels.markup()).end();
  frame.path("ax", svg::path_of({{area.left, area.bottom}, {area.right, area.bottom}}));
  frame.text("lb", {(area.left + area.right) / 2, figure.height - 6}, Anchor::middle,
             k_words(document.study.worker));
  const Stack& last = stacks.back();
  figure.description =
      fmt::format("Shares of T of {}: at K={} {}.", view.label, last.k, shares_words(last));
  figure.caption =
      "Mean over ranks, of the run whose T is the median. Waiting for the slowest rank is "
      "imbalance.";
  figure.pieces = {{frame.markup(), true, ""}, {c.markup(), false, ""}};
  return figure;
}

std::optional<Figure> cost_figure(const Document& document, const CurveView& view) {
  const CostCurve* curve = document.costs_of(view);
  if (curve == nullptr) return std::nullopt;
  const std::string made = origin_words(document.study, *view.curve);
  Figure figure("cost", "Cost against time", view.label);
  std::vector<double> seconds, times, costs;
  for (const CostPoint& p : curve->points) seconds.push_back(p.seconds / p.results);
  if (std::none_of(seconds.begin(), seconds.end(), [](double t) { return t > 0; })) {
    return std::nullopt;
  }
  const TimeUnit unit = unit_of_least(seconds);
  for (const CostPoint& p : curve->points) {
    times.push_back(p.seconds / p.results * unit.per_second);
    costs.push_back(to_units(p.per_result.micros));
    if (p.per_result_interval) costs.push_back(p.per_result_interval->high);
  }
  const std::string result = svg::fitted(plain(curve->result_name), svg::kTextSize, 90);
  const std::optional<int> use = view.to_use->k;
  FrameSpec spec;
  spec.title = figure.heading;
  spec.x_label = fmt::format("time per {}, {}, logarithmic", result, unit.name);
  spec.y_label = curve->points.front().per_result.currency + " per " + result;
  spec.x = svg::scale_for(times, true);
  spec.y = svg::scale_for(costs, false);
  spec.legend = {{"me", "no K is both faster and cheaper", Marker::circle},
                 {"me ho", "some K is", Marker::circle}};
  if (use) spec.legend.push_back({"us", "K to use", Marker::diamond});
  Frame frame = framed(figure, spec);
  svg::Canvas& c = frame.canvas;
  std::vector<At> labels;
  for (const CostPoint& p : curve->points) {
    const double t = p.seconds / p.results * unit.per_second;
    const At at{frame.x.at(t), frame.y.at(to_units(p.per_result.micros))};
    const bool used = use && *use == p.k;
    c.begin(used ? "us" : p.on_frontier ? "me" : "me ho");
    c.title(fmt::format("K={}: {} {}, {} {}, {}{}", p.k, significant_text(t, 4), unit.name,
                        rounded_text(p.per_result), amount_bounds(p.per_result_interval), made,
                        used ? ", the K to use" : ""));
    cross(c, frame, p, unit.per_second);
    c.marker("", used ? Marker::diamond : Marker::circle, at, used ? 5 : 4);
    // To the upper right unless a label is there already.
    At place{at.x + 7, at.y - 7};
    for (const At& other : labels) {
      if (std::abs(other.x - place.x) < 26 && std::abs(other.y - place.y) < 11) {
        place = {at.x + 7, at.y + 14};
      }
    }
    labels.push_back(place);
    const std::string text = "K=" + std::to_string(p.k);
    const bool out = place.x + svg::text_width(text, svg::kTextSize) > figure.width;
    c.text(used ? "hl" : "", out ? At{at.x - 7, place.y} : place, out ? Anchor::end : Anchor::start,
           text);
    c.end();
  }
  figure.description =
      fmt::format("Cost per {0} against time per {0} of {1} at {2} K{3}.", result, view.label,
                  curve->points.size(), use ? "; use K=" + std::to_string(*use) : "");
  figure.caption = prices_line(*document.cost);
  figure.pieces = {{frame.heading.markup(), true, ""}, {c.markup(), false, ""}};
  return figure;
}

std::optional<Figure> roofline_figure(const CurveView& view) {
  struct Entry {
    int k;
    double intensity, ridge, peak, attainable, per_node;
  };
  std::vector<Entry> entries;
  for (std::size_t i = 0; i < view.analysis->points.size() && i < view.curve->points.size(); ++i) {
    const PointSummary& p = view.curve->points[i];
    const PointDetail& d = view.analysis->points[i];
    if (p.valid == 0 || !d.roofline || !d.flops_per_second) continue;
    const RooflinePoint& r = *d.roofline;
    if (!(r.intensity > 0) || !(r.ridge > 0) || !(r.attainable > 0)) continue;
    const double peak =
        r.bound == Bound::compute ? r.attainable : r.attainable / r.intensity * r.ridge;
    entries.push_back({p.point.k, r.intensity, r.ridge, peak * 1e-9, r.attainable * 1e-9,
                       *d.flops_per_second / std::max(1, p.point.shape.nodes) * 1e-9});
  }
  if (entries.empty()) return std::nullopt;
  const Entry& roof = entries.back();
  Figure figure("roofline", "Roofline", view.label);
  FrameSpec spec;
  spec.title = figure.heading;
  spec.x_label = "flops per byte, logarithmic";
  spec.y_label = "Gflop/s of a node";
  const double left = std::min(roof.intensity, roof.ridge) / 4;
  const double right = std::max(roof.intensity, roof.ridge) * 4;
  spec.x = {left, right, 0, 1, true};
  spec.x_powers_of_two = true;
  std::vector<double> values = {roof.peak, roof.peak * left / roof.ridge};
  for (const Entry& e : entries) values.push_back(e.per_node);
  spec.y = svg::scale_for(values, true);
  spec.legend = {{"me", "measured", Marker::circle},
                 {"mo", "measured limits at K=" + std::to_string(roof.k)}};
  Frame frame = framed(figure, spec);
  svg::Canvas& c = frame.canvas;
  const auto place = [&](double intensity, double value) {
    return At{frame.x.at(intensity), frame.y.at(value)};
  };
  c.path("mo", svg::path_of({place(left, roof.peak * left / roof.ridge),
                             place(roof.ridge, roof.peak), place(right, roof.peak)}));
  double free_above = 1e9;
  for (const Entry& e : entries) {
    const At at = place(e.intensity, e.per_node);
    c.begin("me");
    c.title(fmt::format("K={}: {} Gflop/s of {} attainable, measured", e.k,
                        significant_text(e.per_node, 3), significant_text(e.attainable, 3)));
    c.marker("", Marker::circle, at);
    const double y = at.y + 4;
    if (std::abs(free_above - y) >= 12) {
      c.text("", {at.x + 8, y}, Anchor::start, "K=" + std::to_string(e.k));
      free_above = y;
    }
    c.end();
  }
  figure.description =
      fmt::format("Roofline of {}: {} Gflop/s at K={}, attainable {}.", view.label,
                  significant_text(roof.per_node, 3), roof.k, significant_text(roof.attainable, 3));
  figure.caption =
      "Left of the bend memory is the limit, right of it arithmetic. Limits as measured "
      "on the node's busy cores.";
  figure.pieces = {{frame.heading.markup(), true, ""}, {c.markup(), false, ""}};
  return figure;
}

}  // namespace kneepoint
