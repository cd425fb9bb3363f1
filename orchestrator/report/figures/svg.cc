// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/report/figures/svg.h"

#include <algorithm>
#include <cmath>

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

const char* to_string(Anchor anchor) {
  return anchor == Anchor::middle ? "middle" : anchor == Anchor::end ? "end" : "";
}

}  // namespace

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : plain(text)) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        out += c;
    }
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

void Canvas::cls(std::string_view cls) {
  if (!cls.empty()) markup_ += " class=\"" + std::string(cls) + "\"";
}

Canvas& Canvas::begin(std::string_view cls_, std::string_view attributes) {
  markup_ += "<g";
  cls(cls_);
  if (!attributes.empty()) markup_ += " " + std::string(attributes);
  markup_ += ">";
  return *this;
}

Canvas& Canvas::end() {
  markup_ += "</g>\n";
  return *this;
}

Canvas& Canvas::title(std::string_view text) {
  if (!text.empty()) markup_ += "<title>" + escaped(text) + "</title>";
  return *this;
}

Canvas& Canvas::line(std::string_view cls_, At from, At to) {
  return path(cls_, path_of({from, to}));
}

Canvas& Canvas::path(std::string_view cls_, std::string_view d) {
  markup_ += "<path";
  cls(cls_);
  markup_ += " d=\"" + std::string(d) + "\"/>";
  return *this;
}

Canvas& Canvas::rect(std::string_view cls_, At corner, double width, double height,
                     std::string_view title_) {
  markup_ += "<rect";
  cls(cls_);
  markup_ += " x=\"" + number(corner.x) + "\" y=\"" + number(corner.y) + "\" width=\"" +
             number(width) + "\" height=\"" + number(height) + "\"";
  if (title_.empty()) {
    markup_ += "/>";
    return *this;
  }
  markup_ += ">";
  title(title_);
  markup_ += "</rect>";
  return *this;
}

Canvas& Canvas::text(std::string_view cls_, At at, Anchor anchor, std::string_view text) {
  markup_ += "<text";
  cls(cls_);
  if (at.x != 0) markup_ += " x=\"" + number(at.x) + "\"";
  if (at.y != 0) markup_ += " y=\"" + number(at.y) + "\"";
  if (anchor != Anchor::start) {
    markup_ += std::string(" text-anchor=\"") + to_string(anchor) + "\"";
  }
  markup_ += ">" + escaped(text) + "</text>\n";
  return *this;
}

Canvas& Canvas::marker(std::string_view cls_, Marker marker, At at, double radius) {
  const double r = radius;
  const auto place = [&](double dx, double dy) { return At{at.x + dx, at.y + dy}; };
  switch (marker) {
    case Marker::circle:
      markup_ += "<circle";
      cls(cls_);
      if (at.x != 0) markup_ += " cx=\"" + number(at.x) + "\"";
      if (at.y != 0) markup_ += " cy=\"" + number(at.y) + "\"";
      markup_ += " r=\"" + number(r) + "\"/>";
      return *this;
    case Marker::square: {
      const double s = r * 0.9;
      return path(cls_, path_of({place(-s, -s), place(s, -s), place(s, s), place(-s, s)}, true));
    }
    case Marker::diamond: {
      const double s = r * 1.25;
      return path(cls_, path_of({place(0, -s), place(s, 0), place(0, s), place(-s, 0)}, true));
    }
    case Marker::triangle:
      break;
  }
  return path(
      cls_,
      path_of({place(0, -r * 1.2), place(r * 1.15, r * 0.9), place(-r * 1.15, r * 0.9)}, true));
}

Canvas& Canvas::raw(std::string_view markup) {
  markup_ += markup;
  return *this;
}

}  // namespace kneepoint::svg
