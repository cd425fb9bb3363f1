// SPDX-License-Identifier: Apache-2.0
//
// Elements as text. Coordinates have one decimal, so that the same figure is the same bytes.
#include "orchestrator/report/figures/svg.h"

#include <fmt/core.h>

#include <algorithm>

#include "orchestrator/report/text.h"

namespace kneepoint::svg {
namespace {

constexpr double kSafety = 1.04;  // fonts differ; what is measured must fit in most of them
constexpr double kWideFrom = 0x1100;

// Width of a printable ASCII character in hundredths of the size, by class of its shape.
int hundredths(char c) {
  if (std::string_view("iljI.,:;'|!").find(c) != std::string_view::npos) return 27;
  if (std::string_view("frt()[]/\\-` \"").find(c) != std::string_view::npos) return 35;
  if (std::string_view("mMW@%").find(c) != std::string_view::npos) return 87;
  if (std::string_view("wGOQDHNUKRAVXYBCEPST&").find(c) != std::string_view::npos) return 69;
  if (std::string_view("<>=+~").find(c) != std::string_view::npos) return 60;
  return 56;
}

// The code point that starts at `i`, which then points behind it. `text` is UTF-8.
double code_point(std::string_view text, std::size_t& i) {
  const auto first = static_cast<unsigned char>(text[i]);
  const std::size_t length = first < 0x80 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
  unsigned value = first < 0x80 ? first : first & (0xFFU >> (length + 1));
  for (std::size_t k = 1; k < length && i + k < text.size(); ++k) {
    value = value << 6 | (static_cast<unsigned char>(text[i + k]) & 0x3FU);
  }
  i = std::min(i + length, text.size());
  return value;
}

}  // namespace

std::string escaped(std::string_view text) {
  static constexpr const char* kEntities[] = {"&amp;", "&lt;", "&gt;", "&quot;", "&#39;"};
  std::string out;
  for (const char c : plain(text)) {
    const std::size_t at = std::string_view("&<>\"'").find(c);
    at == std::string_view::npos ? out += c : out += kEntities[at];
  }
  return out;
}

std::string number(double value) {
  std::string text = fixed_text(value, 1);
  if (text.ends_with(".0")) text.resize(text.size() - 2);
  return text == "-0" ? "0" : text;
}

double text_width(std::string_view text, double size) {
  double sum = 0;
  for (std::size_t i = 0; i < text.size();) {
    const char c = text[i];
    const double point = code_point(text, i);
    sum += point < 0x80 ? hundredths(c) : point >= kWideFrom && point != 0x2026 ? 100 : 60;
  }
  return sum * size / 100 * kSafety;
}

std::string fitted(std::string_view text, double size, double width) {
  if (text_width(text, size) <= width) return std::string(text);
  const double room = width - text_width("…", size);
  double used = 0;
  std::size_t end = 0;
  for (std::size_t i = 0; i < text.size();) {
    code_point(text, i);
    used += text_width(text.substr(end, i - end), size);
    if (used > room) break;
    end = i;
  }
  return std::string(text.substr(0, end)) + "…";
}

std::vector<std::string> lines_of(std::string_view text, double size, double width) {
  std::vector<std::string> lines(1);
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    const std::string word = fitted(text.substr(0, end), size, width);
    text.remove_prefix(std::min(end + 1, text.size()));
    const std::string longer = lines.back().empty() ? word : lines.back() + " " + word;
    if (lines.back().empty() || text_width(longer, size) <= width) {
      lines.back() = longer;
    } else {
      lines.push_back(word);
    }
  }
  return lines;
}

std::string path_of(const std::vector<At>& points, bool closed) {
  std::string d;
  for (const At& at : points) {
    d += (d.empty() ? "M" : " ") + number(at.x) + " " + number(at.y);
  }
  return closed && !d.empty() ? d + "Z" : d;
}

namespace {

std::string attribute(const char* name, std::string_view value) {
  return value.empty() ? "" : fmt::format(" {}=\"{}\"", name, value);
}
// Of a coordinate, which is 0 without it.
std::string attribute(const char* name, double value) {
  return value == 0 ? "" : attribute(name, number(value));
}

}  // namespace

Canvas& Canvas::begin(std::string_view cls, std::string_view attributes) {
  return raw(
      fmt::format("<g{}{}{}>", attribute("class", cls), attributes.empty() ? "" : " ", attributes));
}

Canvas& Canvas::end() {
  return raw("</g>\n");
}

Canvas& Canvas::title(std::string_view text) {
  return text.empty() ? *this : raw("<title>" + escaped(text) + "</title>");
}

Canvas& Canvas::line(std::string_view cls, At from, At to) {
  return path(cls, path_of({from, to}));
}

Canvas& Canvas::path(std::string_view cls, std::string_view d) {
  return raw(fmt::format("<path{} d=\"{}\"/>", attribute("class", cls), d));
}

Canvas& Canvas::rect(std::string_view cls, At corner, double width, double height) {
  return raw(fmt::format("<rect{} x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/>",
                         attribute("class", cls), number(corner.x), number(corner.y), number(width),
                         number(height)));
}

Canvas& Canvas::text(std::string_view cls, At at, Anchor anchor, std::string_view text) {
  const char* anchored = anchor == Anchor::middle ? "middle" : anchor == Anchor::end ? "end" : "";
  return raw(fmt::format("<text{}{}{}{}>{}</text>\n", attribute("class", cls), attribute("x", at.x),
                         attribute("y", at.y), attribute("text-anchor", anchored), escaped(text)));
}

Canvas& Canvas::marker(std::string_view cls, Marker marker, At at, double r) {
  const auto place = [&](double dx, double dy) { return At{at.x + dx, at.y + dy}; };
  switch (marker) {
    case Marker::circle:
      return raw(fmt::format("<circle{}{}{} r=\"{}\"/>", attribute("class", cls),
                             attribute("cx", at.x), attribute("cy", at.y), number(r)));
    case Marker::square: {
      const double s = r * 0.9;
      return path(cls, path_of({place(-s, -s), place(s, -s), place(s, s), place(-s, s)}, true));
    }
    case Marker::diamond: {
      const double s = r * 1.25;
      return path(cls, path_of({place(0, -s), place(s, 0), place(0, s), place(-s, 0)}, true));
    }
    case Marker::triangle:
      break;
  }
  return path(
      cls,
      path_of({place(0, -r * 1.2), place(r * 1.15, r * 0.9), place(-r * 1.15, r * 0.9)}, true));
}

Canvas& Canvas::raw(std::string_view markup) {
  markup_ += markup;
  return *this;
}

}  // namespace kneepoint::svg
