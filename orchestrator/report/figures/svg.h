// SPDX-License-Identifier: Apache-2.0
//
// SVG as text: elements, coordinates, the width of words; scales with their ticks, and one panel of
// a figure over K. The same input gives the same bytes on every machine; text never becomes markup.
// Looks are classes, so that one style serves light, dark and print. Everything at a K carries it
// (data-k), and lines are of class "kx", so that the page's script can bring a figure to a linear
// axis.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kneepoint::svg {

// For an attribute or between tags, of SVG and HTML. Control characters become '?'.
std::string escaped(std::string_view text);

// A coordinate: one decimal at most, never "-0".
std::string number(double value);

// About how wide a sans-serif font sets `text`, at `size`: rather too wide than too narrow.
double text_width(std::string_view text, double size);
// Cut with an ellipsis where it is wider.
std::string fitted(std::string_view text, double size, double width);
// Broken at spaces.
std::vector<std::string> lines_of(std::string_view text, double size, double width);

struct At {
  double x = 0, y = 0;
};
// "M1 2 3 4 5 6", with a Z when closed.
std::string path_of(const std::vector<At>& points, bool closed = false);

// Distinguishable without color.
enum class Marker { circle, square, diamond, triangle };

enum class Anchor { start, middle, end };

// Elements one after the other. An empty class or title is not written.
class Canvas {
 public:
  Canvas& begin(std::string_view cls, std::string_view attributes = "");
  Canvas& end();
  Canvas& title(std::string_view text);
  Canvas& line(std::string_view cls, At from, At to);
  Canvas& path(std::string_view cls, std::string_view d);
  Canvas& rect(std::string_view cls, At corner, double width, double height);
  Canvas& text(std::string_view cls, At at, Anchor anchor, std::string_view text);
  Canvas& marker(std::string_view cls, Marker marker, At at, double radius = 4);
  Canvas& raw(std::string_view markup);
  const std::string& markup() const { return markup_; }

 private:
  std::string markup_;
};

// ---- From values to coordinates, and where an axis has its ticks. The K axis has the measured K
// as ticks, logarithmic by default.

struct Scale {
  double low = 0, high = 1;  // values; low < high, above 0 when logarithmic
  double from = 0, to = 1;   // coordinates
  bool log = false;

  double at(double value) const;
  bool holds(double value) const { return value >= low && value <= high; }
};

struct Tick {
  double value = 0;
  std::string label;
};

// Round numbers from low to high, about `wanted` of them. Logarithmic: 1, 2, 5 in each decade, or
// powers of two.
std::vector<Tick> ticks_of(const Scale& scale, int wanted, bool powers_of_two = false);

// The same scale with its ends moved outwards to ticks of its own; a linear one has no low end
// below 0 unless `low` is.
Scale widened(Scale scale, int wanted);

// A scale that holds all of `values` (finite; above 0 when log) with some room around.
Scale scale_for(const std::vector<double>& values, bool log);

// `k` as a label: "64", "1.5".
std::string tick_text(double value);

// ---- The panel: frame, ticks, legend, and what is drawn in it. What is beyond the measured K is
// hatched.

struct LegendEntry {
  std::string cls;  // of what it stands for
  std::string text;
  std::optional<Marker> marker;  // none: a line, or an area
  bool area = false;
};

// Left, top, right and bottom of the place in which values are drawn.
struct Area {
  double left = 0, top = 0, right = 0, bottom = 0;
};

struct KAxis {
  double low = 1, high = 2;   // low < high
  std::vector<double> ticks;  // the K measured, ascending
  double measured_to = 2;     // hatched from here on
  bool linear = false;
  std::string label;  // "K, ranks"
};

struct PlotSpec {
  std::string title;    // "" where the panel has none
  std::string y_label;  // "T, ms"
  KAxis k;
  Scale y;  // values only; coordinates are the plot's
  bool y_powers_of_two = false;
  std::vector<LegendEntry> legend;
  double right_margin = 14;
  double x = 0, width = 440, height = 300;  // of the panel
};

inline constexpr double kTextSize = 11;
inline constexpr double kTitleSize = 13;

// The rows of a legend from `top` on, wrapped to the width; returns where it ends.
double draw_legend(Canvas& canvas, const std::vector<LegendEntry>& entries, double left, double top,
                   double right);
// Horizontal grid lines and their labels at the left.
void draw_y_axis(Canvas& canvas, const std::vector<Tick>& ticks, const Scale& y, const Area& area);
double widest_label(const std::vector<Tick>& ticks);

// Markup of a figure. What is shared is drawn once on a page where several have the same on the
// same K axis: the curves of a study often have the same frame.
struct Piece {
  std::string markup;
  bool shared = false;
  std::string k_axis;  // Plot::data()
};

class Plot {
 public:
  explicit Plot(PlotSpec spec);  // draws all that lies below the data

  const Area& area() const { return area_; }
  double x(double k) const { return x_.at(k); }
  double y(double value) const { return y_.at(value); }  // held inside the area
  Canvas& canvas() { return canvas_; }
  // Legend, what lies below the data, the K axis, and the data. `same_values`: the values' axis too
  // is that of many plots.
  std::vector<Piece> pieces(bool same_values) const;
  // What the page's script needs to draw the K axis anew.
  std::string data() const;

  using Values = std::vector<std::pair<double, double>>;  // K and value, K ascending
  // Broken where it leaves the area.
  void line(const std::string& cls, const Values& values);
  void band(const std::string& cls, const Values& low, const Values& high);
  struct Point {
    double k = 1, value = 0;
    std::optional<double> low, high;
    std::string hover;
  };
  void points(const std::string& cls, Marker marker, const std::vector<Point>& points);
  // A level below the data with its label in the right margin; labels are moved apart.
  struct Level {
    double value = 0;
    std::string label;
    bool own = false;  // the plan's: stands out
  };
  void levels(std::vector<Level> levels);
  // A group at this K whose origin is the area's top.
  Canvas& begin_at(const std::string& cls, double k, double y_coordinate);

 private:
  void frame();
  void k_axis();

  PlotSpec spec_;
  Area area_;
  Scale x_, y_;
  Canvas legend_, below_, axis_, canvas_;
};

}  // namespace kneepoint::svg
