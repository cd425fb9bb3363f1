// SPDX-License-Identifier: Apache-2.0
//
// Puts figures together: which ones a curve has, as elements of a page and as files.
#include "orchestrator/report/figures/figures.h"

#include <fmt/core.h>

#include <set>

#include "orchestrator/report/figures/svg.h"
#include "orchestrator/report/text.h"

namespace kneepoint {

namespace {

constexpr std::size_t kLongestName = 60;
constexpr double kCaptionSize = 11;
constexpr double kCaptionRow = 15;
constexpr double kRoom = 10;

// For file names: letters, digits and dashes.
std::string slug(const std::string& text) {
  std::string out;
  for (const char c : text) {
    const char low = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    const bool good = (low >= 'a' && low <= 'z') || (low >= '0' && low <= '9');
    if (good) {
      out += low;
    } else if (!out.empty() && out.back() != '-') {
      out += '-';
    }
    if (out.size() >= kLongestName) break;
  }
  while (!out.empty() && out.back() == '-') out.pop_back();
  return out.empty() ? "case" : out;
}

// A page's figures begin at their corner, files have some room around.
std::string opening(const Figure& figure, double room, double height,
                    const std::string& attributes) {
  return fmt::format(
      "<svg class=\"kp\"{} viewBox=\"{} {} {} {}\" "
      "role=\"img\"{}{}>\n<title>{}</title><desc>{}</desc>\n",
      attributes, svg::number(-room), svg::number(-room), svg::number(figure.width + 2 * room),
      svg::number(height + 2 * room), figure.data.empty() ? "" : " ", figure.data,
      svg::escaped(svg::fitted(figure.heading + ": " + plain(figure.about), 1, 120)),
      svg::escaped(figure.description));
}

void add_files(const std::vector<Figure>& figures, const std::string& stem,
               const std::string& suffix, std::set<std::string>& taken,
               std::vector<FigureFile>& files) {
  for (const Figure& figure : figures) {
    if (!suffix.empty() && figure.data.empty()) continue;  // has no K axis to change
    const std::string base = stem + "-" + figure.name + suffix;
    std::string name = base;
    for (int n = 2; !taken.insert(name).second; ++n) name = base + "-" + std::to_string(n);
    files.push_back({name + ".svg", standalone_svg(figure)});
  }
}

}  // namespace

std::vector<Figure> curve_figures(const Document& document, const CurveView& view, KScale scale) {
  std::vector<Figure> figures;
  for (std::optional<Figure>& figure : std::vector<std::optional<Figure>>{
           efficiency_figure(document, view, scale), time_figure(document, view, scale),
           speedup_figure(document, view, scale), breakdown_figure(document, view),
           cost_figure(document, view), roofline_figure(view)}) {
    if (figure) figures.push_back(std::move(*figure));
  }
  return figures;
}

std::string SharedPieces::drawn(const svg::Piece& piece) {
  if (!piece.shared || piece.markup.empty()) return piece.markup;
  const auto [place, first] =
      ids_.try_emplace({piece.markup, piece.k_axis}, "shared-" + std::to_string(ids_.size() + 1));
  // Where it is used again, styles see nothing above this group.
  return first ? "<g class=\"kp\" id=\"" + place->second + "\">" + piece.markup + "</g>\n"
               : "<use href=\"#" + place->second + "\"/>\n";
}

std::string inline_svg(const Figure& figure, SharedPieces& shared) {
  std::string out = opening(figure, 0, figure.height, "");
  for (const svg::Piece& piece : figure.pieces) out += shared.drawn(piece);
  return out + "</svg>\n";
}

std::string standalone_svg(const Figure& figure) {
  const double room = kRoom, width = figure.width;
  std::vector<std::string> lines = {svg::fitted(plain(figure.about), kCaptionSize, width)};
  for (std::string& line : svg::lines_of(plain(figure.caption), kCaptionSize, width)) {
    lines.push_back(std::move(line));
  }
  const double height = figure.height + 6 + kCaptionRow * static_cast<double>(lines.size());
  const std::string attributes =
      fmt::format(" xmlns=\"http://www.w3.org/2000/svg\" width=\"{}\" height=\"{}\"",
                  svg::number(width + 2 * room), svg::number(height + 2 * room));
  const std::string out = opening(figure, room, height, attributes) + "<style>" + figure_style() +
                          "</style>\n" + figure_patterns();
  svg::Canvas canvas;
  canvas.rect("bg", {-room, -room}, width + 2 * room, height + 2 * room);
  for (const svg::Piece& piece : figure.pieces) canvas.raw(piece.markup);
  double y = figure.height + 14;
  for (const std::string& line : lines) {
    canvas.text("", {2, y}, svg::Anchor::start, line);
    y += kCaptionRow;
  }
  return out + canvas.markup() + "</svg>\n";
}

std::vector<FigureFile> figure_files(const Document& document) {
  const std::vector<CurveView> views = curve_views(document.analysis);
  std::vector<FigureFile> files;
  std::set<std::string> taken;
  for (const KScale scale : {KScale::log2, KScale::linear}) {
    const std::string suffix = scale == KScale::log2 ? "" : "-linear";
    for (const std::vector<std::size_t>& curves : curves_by_case(views)) {
      for (const std::size_t i : curves) {
        add_files(curve_figures(document, views[i], scale), slug(views[i].label), suffix, taken,
                  files);
      }
      if (const std::optional<Figure> both = modes_figure(document, views, curves, scale)) {
        add_files({*both}, slug(views[curves[0]].curve->case_name), suffix, taken, files);
      }
    }
  }
  return files;
}

// ---- How figures look. The colours are those that Okabe and Ito chose to be told apart by
// everybody, lighter ones on dark; shape, dash and pattern say the same again.

const std::string& figure_style() {
  static const std::string style = R"(
svg.kp{--ink:#1a1f26;--mute:#545d69;--grid:#e4e7eb;--axis:#7d8793;--paper:#fff;--c1:#0072b2;--c2:#c24e00;--c3:#007a5a;--c4:#9c4f7d;--c5:#e69f00;--sky:#56b4e9}
@media (prefers-color-scheme:dark){svg.kp{--ink:#e9ecef;--mute:#aab3bd;--grid:#2b323b;--axis:#7b8794;--paper:#161a20;--c1:#6cc0f0;--c2:#ff9a57;--c3:#35cfa0;--c4:#e3a3c8;--c5:#e69f00;--sky:#2f7fb0}}
@media print{svg.kp{--ink:#000;--mute:#444;--grid:#ddd;--axis:#666;--paper:#fff;--c1:#0072b2;--c2:#c24e00;--c3:#007a5a;--c4:#9c4f7d;--c5:#e69f00;--sky:#56b4e9}}
.kp{font-family:system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif}
.kp text{font-size:11px;fill:var(--mute);stroke:none}
.kp .yt{text-anchor:end}
.kp .kt{text-anchor:middle}
.kp .ti{font-size:13px;font-weight:600;fill:var(--ink)}
.kp .lb{fill:var(--ink)}
.kp .mu{font-style:italic}
.kp .hl,.kp .knt{fill:var(--c2);font-weight:600}
.kp .fpt{fill:var(--ink);font-weight:600}
.kp .bg{fill:var(--paper)}
.kp path{fill:none}
.kp .ax{stroke:var(--axis)}
.kp .gr{stroke:var(--grid)}
.kp .ex{fill:url(#kp-hatch);stroke:none}
.kp .ba{fill:var(--c3);fill-opacity:.16;stroke:none}
.kp .mo{stroke:var(--c3);stroke-width:1.8}
.kp .mx{stroke-dasharray:5 4}
.kp .id{stroke:var(--mute);stroke-width:1.2;stroke-dasharray:2 3}
.kp .fl{stroke:var(--mute);stroke-width:1;stroke-dasharray:7 4}
.kp .fp{stroke:var(--ink);stroke-width:1.3;stroke-dasharray:7 3}
.kp .kb{fill:var(--c2);fill-opacity:.14;stroke:none}
.kp .kn{stroke:var(--c2);stroke-width:1.8}
.kp .me circle,.kp .me path,.kp circle.me{fill:var(--c1);stroke:var(--c1);stroke-width:1.4}
.kp .we path{fill:var(--c4);stroke:var(--c4);stroke-width:1.4}
.kp .eb,.kp .me .eb,.kp .we .eb,.kp .us .eb{fill:none;stroke-width:1.4}
.kp .ho circle,.kp circle.ho{fill:var(--paper)}
.kp .us path,.kp path.us{fill:var(--c2);stroke:var(--paper);stroke-width:1}
.kp .us .eb{stroke:var(--c2)}
.kp path.b1,.kp .b1{fill:var(--sky)}
.kp path.b2,.kp .b2{fill:url(#kp-dots)}
.kp path.b3,.kp .b3{fill:url(#kp-lines)}
.kp .hv path{pointer-events:all}
.kp .hb{stroke:var(--mute);stroke-opacity:.35}
.kp .p2{fill:var(--c5)}
.kp .p3{fill:var(--c2)}
.kp .pi{fill:#1a1f26;stroke:none}
.kp .pl{stroke:#fff;stroke-opacity:.75;stroke-width:1.6}
)";
  return style;
}

const std::string& figure_patterns() {
  static const std::string patterns =
      "<defs>"
      "<pattern id=\"kp-hatch\" width=\"7\" height=\"7\" patternUnits=\"userSpaceOnUse\" "
      "patternTransform=\"rotate(45)\"><path class=\"hb\" d=\"M0 0V7\"/></pattern>"
      "<pattern id=\"kp-dots\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\">"
      "<rect class=\"p2\" width=\"6\" height=\"6\"/><circle class=\"pi\" cx=\"3\" cy=\"3\" "
      "r=\"1\"/>"
      "</pattern>"
      "<pattern id=\"kp-lines\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\" "
      "patternTransform=\"rotate(45)\"><rect class=\"p3\" width=\"6\" height=\"6\"/>"
      "<path class=\"pl\" d=\"M3 0V6\"/></pattern></defs>\n";
  return patterns;
}

}  // namespace kneepoint
