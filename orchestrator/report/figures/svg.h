// SPDX-License-Identifier: Apache-2.0
//
// SVG as text: elements, coordinates, the width of words. The same input gives the same bytes on
// every machine; text never becomes markup. Looks are classes, so that one style serves light, dark
// and print.
#pragma once

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

}  // namespace kneepoint::svg
