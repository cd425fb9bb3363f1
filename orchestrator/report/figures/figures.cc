// SPDX-License-Identifier: Apache-2.0
//
// Puts figures together: which ones a curve has, as elements of a page and as files.
#include "orchestrator/report/figures/figures.h"

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
  const std::string corner = svg::number(-room) + " " + svg::number(-room) + " ";
  return "<svg class=\"kp\"" + attributes + " viewBox=\"" + corner +
         svg::number(figure.width + 2 * room) + " " + svg::number(height + 2 * room) +
         "\" role=\"img\"" + (figure.data.empty() ? "" : " " + figure.data) + ">\n<title>" +
         svg::escaped(svg::fitted(figure.heading + ": " + plain(figure.about), 1, 120)) +
         "</title><desc>" + svg::escaped(figure.description) + "</desc>\n";
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
  const std::string out =
      opening(figure, room, height,
              " xmlns=\"http://www.w3.org/2000/svg\" width=\"" + svg::number(width + 2 * room) +
                  "\" height=\"" + svg::number(height + 2 * room) + "\"") +
      "<style>" + figure_style() + "</style>\n" + figure_patterns();
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

}  // namespace kneepoint
