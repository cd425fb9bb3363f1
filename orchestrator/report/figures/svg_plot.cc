// SPDX-License-Identifier: Apache-2.0
//
// The panel: legend, axes and what lies below the data are drawn at once, data as it comes; then
// round numbers for ticks.
#include "orchestrator/report/figures/svg.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "orchestrator/base/json_text.h"
#include "orchestrator/report/text.h"

namespace kneepoint::svg {

namespace {

constexpr double kLegendRow = 15;
constexpr double kSignWidth = 20;
constexpr double kPad = 10;     // between the frame and the first and last K
constexpr double kBottom = 40;  // for tick labels and the axis label
constexpr int kTicksWanted = 5;
constexpr int kPowersWanted = 9;
constexpr double kHiddenByMarker = 4.5;  // a bar that reaches no further is not seen
constexpr double kLabelGap = 12;         // from one level's label to the next
constexpr double kLabelRoom = 26;        // of the values' labels, so that most plots begin alike

void sign(Canvas& canvas, const LegendEntry& entry, double x, double y) {
  if (entry.marker) {
    canvas.marker(entry.cls, *entry.marker, {x + 8, y});
  } else if (entry.area) {
    canvas.rect(entry.cls, {x, y - 5}, 16, 10);
  } else {
    canvas.line(entry.cls, {x, y}, {x + 16, y});
  }
}

// Without those inside of level stretches, which stay level whatever the K axis is.
std::vector<At> corners(const std::vector<At>& line) {
  std::vector<At> out;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const bool inside = i > 0 && i + 1 < line.size();
    const auto height = [&](std::size_t at) { return number(line[at].y); };
    if (inside && height(i) == height(i - 1) && height(i) == height(i + 1)) continue;
    out.push_back(line[i]);
  }
  return out;
}

// Where the segment from a to b meets the value `limit`, by x as drawn.
At crossing(const At& a, const At& b, double limit) {
  const double share = (limit - a.y) / (b.y - a.y);
  return {a.x + share * (b.x - a.x), limit};
}

}  // namespace

double draw_legend(Canvas& canvas, const std::vector<LegendEntry>& entries, double left, double top,
                   double right) {
  double x = left, y = top + kLegendRow / 2;
  for (const LegendEntry& entry : entries) {
    const double width = kSignWidth + text_width(entry.text, kTextSize) + 12;
    if (x > left && x + width > right + 12) {
      x = left;
      y += kLegendRow;
    }
    sign(canvas, entry, x, y);
    canvas.text("", {x + kSignWidth, y + 4}, Anchor::start,
                fitted(entry.text, kTextSize, right - x - kSignWidth));
    x += width;
  }
  return entries.empty() ? top : y + kLegendRow / 2;
}

double widest_label(const std::vector<Tick>& ticks) {
  double widest = 0;
  for (const Tick& tick : ticks) widest = std::max(widest, text_width(tick.label, kTextSize));
  return widest;
}

void draw_y_axis(Canvas& canvas, const std::vector<Tick>& ticks, const Scale& y, const Area& area) {
  std::string grid;
  for (const Tick& tick : ticks) {
    grid += "M" + number(area.left) + " " + number(y.at(tick.value)) + "H" + number(area.right);
  }
  canvas.path("gr", grid).begin("yt");
  for (const Tick& tick : ticks) {
    canvas.text("", {area.left - 6, y.at(tick.value) + 4}, Anchor::start, tick.label);
  }
  canvas.end();
}

Plot::Plot(PlotSpec spec) : spec_(std::move(spec)) {
  const double left = spec_.x;
  double top = 4;
  if (!spec_.title.empty()) {
    below_.text("ti", {left + 2, top + 12}, Anchor::start,
                fitted(spec_.title, kTitleSize * 1.06, spec_.width - 4));
    top += 22;
  }
  top = draw_legend(legend_, spec_.legend, left + 2, top, left + spec_.width - 4);
  y_ = spec_.y;
  const std::vector<Tick> ticks =
      ticks_of(y_, spec_.y_powers_of_two ? kPowersWanted : kTicksWanted, spec_.y_powers_of_two);
  area_ = {left + std::max(widest_label(ticks), kLabelRoom) + 12, top + 22,
           left + spec_.width - spec_.right_margin, spec_.height - kBottom};
  y_.from = area_.bottom;
  y_.to = area_.top;
  x_ = {spec_.k.low, spec_.k.high, area_.left + kPad, area_.right - kPad, !spec_.k.linear};
  below_.text("lb", {left + 2, area_.top - 8}, Anchor::start, spec_.y_label);
  if (spec_.k.measured_to < spec_.k.high) {
    const double from = x(spec_.k.measured_to);
    below_.path("ex kx", path_of({{from, area_.top},
                                  {area_.right, area_.top},
                                  {area_.right, area_.bottom},
                                  {from, area_.bottom}},
                                 true));
  }
  draw_y_axis(below_, ticks, y_, area_);
  frame();
  k_axis();
}

void Plot::frame() {
  below_.path(
      "ax",
      path_of({{area_.left, area_.top}, {area_.left, area_.bottom}, {area_.right, area_.bottom}}));
}

// Labels of K are left out where they would touch; the largest and the smallest stay.
void Plot::k_axis() {
  std::vector<double> ks = spec_.k.ticks;
  if (spec_.k.measured_to < spec_.k.high) ks.push_back(spec_.k.high);
  std::vector<bool> shown(ks.size(), false);
  double free_to = area_.right + 100;
  for (std::size_t i = ks.size(); i-- > 0;) {
    const double half = text_width(tick_text(ks[i]), kTextSize) / 2 + 2;
    const double first_half = text_width(tick_text(ks.front()), kTextSize) / 2 + 2;
    const bool clear = i == 0 || x(ks[i]) - half > x(ks.front()) + first_half;
    if (x(ks[i]) + half > free_to || !clear) continue;
    shown[i] = true;
    free_to = x(ks[i]) - half;
  }
  std::string marks;
  for (const double k : ks) {
    marks += path_of({{x(k), area_.bottom}, {x(k), area_.bottom + 4}});
  }
  axis_.path("ax kx", marks)
      .begin("kt", fmt::format("transform=\"translate(0 {})\"", number(area_.bottom + 15)));
  for (std::size_t i = 0; i < ks.size(); ++i) {
    if (!shown[i]) continue;
    axis_.raw(fmt::format("<text{} data-k=\"{}\" x=\"{}\">{}</text>",
                          ks[i] > spec_.k.measured_to ? " class=\"mu\"" : "", json_number(ks[i]),
                          number(x(ks[i])), tick_text(ks[i])));
  }
  axis_.end();
  axis_.raw(
      fmt::format("<text class=\"lb\" x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}, <tspan "
                  "class=\"xs\">{}</tspan></text>\n",
                  number((area_.left + area_.right) / 2), number(spec_.height - 6),
                  escaped(spec_.k.label), spec_.k.linear ? "linear" : "log2"));
}

std::vector<Piece> Plot::pieces(bool same_values) const {
  return {{legend_.markup(), true, ""},
          {below_.markup(), same_values, data()},
          {axis_.markup(), true, data()},
          {canvas_.markup(), false, ""}};
}

std::string Plot::data() const {
  return fmt::format("data-kx=\"{} {} {} {} {}\"", json_number(spec_.k.low),
                     json_number(spec_.k.high), number(x_.from), number(x_.to),
                     number(area_.right));
}

void Plot::line(const std::string& cls, const Values& values) {
  std::vector<At> run;
  const auto flush = [&] {
    if (run.size() > 1) canvas_.path(cls + " kx", path_of(corners(run)));
    run.clear();
  };
  std::optional<At> before;
  for (const auto& [k, value] : values) {
    const At here{x(k), y_.at(value)};
    const bool inside = here.y >= area_.top - 0.05 && here.y <= area_.bottom + 0.05;
    if (before) {
      const bool was = before->y >= area_.top - 0.05 && before->y <= area_.bottom + 0.05;
      const double edge = (inside ? before->y : here.y) < area_.top ? area_.top : area_.bottom;
      if (was != inside) {
        if (inside) run.push_back(crossing(*before, here, edge));
        if (was) run.push_back(crossing(*before, here, edge));
      }
    }
    if (inside) {
      run.push_back(here);
    } else {
      flush();
    }
    before = here;
  }
  flush();
}

void Plot::band(const std::string& cls, const Values& low, const Values& high) {
  if (low.size() < 2) return;
  std::vector<At> outline;
  const auto held = [&](double value) { return std::clamp(y_.at(value), area_.top, area_.bottom); };
  for (const auto& [k, value] : high) outline.push_back({x(k), held(value)});
  for (auto it = low.rbegin(); it != low.rend(); ++it) {
    outline.push_back({x(it->first), held(it->second)});
  }
  canvas_.path(cls + " kx", path_of(outline, true));
}

void Plot::points(const std::string& cls, Marker marker, const std::vector<Point>& points) {
  canvas_.begin(cls);
  for (const Point& point : points) {
    if (!y_.holds(point.value)) continue;
    const double y0 = y_.at(point.value);
    const bool bar =
        point.low && point.high && y_.at(*point.low) - y_.at(*point.high) > 2 * kHiddenByMarker;
    if (!bar && marker == Marker::circle) {
      canvas_.raw(fmt::format("<circle data-k=\"{}\" cx=\"{}\" cy=\"{}\" r=\"4\">",
                              json_number(point.k), number(x(point.k)), number(y0)));
      canvas_.title(point.hover).raw("</circle>\n");
      continue;
    }
    begin_at("", point.k, y0);
    canvas_.title(point.hover);
    if (bar) {
      const double top = std::max(y_.at(*point.high), area_.top) - y0;
      const double bottom = std::min(y_.at(*point.low), area_.bottom) - y0;
      canvas_.path("eb", fmt::format("M-4 {}h8m-4 0V{}m-4 0h8", number(top), number(bottom)));
    }
    canvas_.marker("", marker, {});
    canvas_.end();
  }
  canvas_.end();
}

void Plot::levels(std::vector<Level> levels) {
  std::sort(levels.begin(), levels.end(),
            [](const Level& a, const Level& b) { return a.value > b.value; });
  double free_from = area_.top - 20;
  for (const Level& level : levels) {
    if (!y_.holds(level.value)) continue;
    const double at = y_.at(level.value);
    below_.line(level.own ? "fp" : "fl", {area_.left, at}, {area_.right, at});
    const double label = std::max(at + 4, free_from);
    below_.text(level.own ? "fpt" : "", {area_.right + 4, label}, Anchor::start, level.label);
    free_from = label + kLabelGap;
  }
}

Canvas& Plot::begin_at(const std::string& cls, double k, double y_coordinate) {
  return canvas_.begin(cls, fmt::format("data-k=\"{}\" transform=\"translate({} {})\"",
                                        json_number(k), number(x(k)), number(y_coordinate)));
}

namespace {

// 1, 2 or 5 times a power of ten: the smallest that is at least `rough`.
double round_step(double rough) {
  const double power = std::pow(10, std::floor(std::log10(rough)));
  for (const double step : {1.0, 2.0, 5.0}) {
    if (step * power >= rough * (1 - 1e-9)) return step * power;
  }
  return 10 * power;
}

void add(std::vector<Tick>& ticks, double value) {
  ticks.push_back({value, tick_text(value)});
}

std::vector<Tick> linear_ticks(const Scale& scale, int wanted) {
  std::vector<Tick> ticks;
  const double step = round_step((scale.high - scale.low) / (wanted + 1));
  const double first = std::ceil(scale.low / step - 1e-9);
  const double last = std::floor(scale.high / step + 1e-9);
  const int decimals = std::max(0, -static_cast<int>(std::floor(std::log10(step) + 1e-9)));
  for (double i = first; i <= last; ++i) {
    ticks.push_back({i * step, fixed_text(i * step + 0.0, decimals)});
  }
  return ticks;
}

// Every `stride`-th power of two.
std::vector<Tick> binary_ticks(const Scale& scale, int wanted) {
  std::vector<Tick> ticks;
  const double octaves = std::log2(scale.high / scale.low);
  const double stride = std::max(1.0, std::ceil(octaves / wanted));
  for (double i = std::ceil(std::log2(scale.low) - 1e-9); i <= std::log2(scale.high) + 1e-9; ++i) {
    if (std::fmod(i, stride) == 0) add(ticks, std::exp2(i));
  }
  return ticks;
}

std::vector<Tick> decimal_ticks(const Scale& scale, int wanted) {
  static const std::vector<std::vector<double>> choices = {
      {1}, {1, 3}, {1, 2, 5}, {1, 1.5, 2, 3, 4, 5, 7}};
  std::vector<Tick> ticks;
  for (const auto& steps : choices) {
    std::vector<Tick> found;
    for (double decade = std::floor(std::log10(scale.low));
         decade <= std::ceil(std::log10(scale.high)); ++decade) {
      for (const double step : steps) {
        const double value = step * std::pow(10, decade);
        if (value >= scale.low * (1 - 1e-9) && value <= scale.high * (1 + 1e-9)) add(found, value);
      }
    }
    if (!ticks.empty() && static_cast<int>(found.size()) > wanted + 2) break;
    ticks = std::move(found);
    if (static_cast<int>(ticks.size()) >= wanted) break;
  }
  return ticks;
}

}  // namespace

double Scale::at(double value) const {
  const double share =
      log ? std::log(value / low) / std::log(high / low) : (value - low) / (high - low);
  return from + share * (to - from);
}

std::string tick_text(double value) {
  const double size = std::abs(value);
  if (size != 0 && (size >= 1e6 || size < 1e-4)) {
    const double power = std::floor(std::log10(size) + 1e-9);
    return count_text(value / std::pow(10, power)) + "e" + count_text(power);
  }
  std::string text = fixed_text(value, 4);
  while (text.ends_with('0')) text.pop_back();
  if (text.ends_with('.')) text.pop_back();
  return text;
}

std::vector<Tick> ticks_of(const Scale& scale, int wanted, bool powers_of_two) {
  if (!scale.log) return linear_ticks(scale, wanted);
  std::vector<Tick> ticks =
      powers_of_two ? binary_ticks(scale, wanted) : decimal_ticks(scale, wanted);
  return ticks.size() < 3 ? linear_ticks(scale, wanted) : ticks;
}

Scale widened(Scale scale, int wanted) {
  const double step = round_step((scale.high - scale.low) / wanted);
  scale.low = std::floor(scale.low / step + 1e-9) * step;
  scale.high = std::ceil(scale.high / step - 1e-9) * step;
  return scale;
}

Scale scale_for(const std::vector<double>& values, bool log) {
  Scale scale{.log = log};
  if (values.empty()) {
    if (log) scale.low = 0.1;
    return scale;
  }
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  if (log) {
    const double room = std::max(std::pow(*most / *least, 0.06), 1.1);
    scale.low = *least / room;
    scale.high = *most * room;
    return scale;
  }
  scale.low = std::min(0.0, *least);
  scale.high = *most > scale.low ? *most + 0.06 * (*most - scale.low) : scale.low + 1;
  return scale;
}

}  // namespace kneepoint::svg
