// SPDX-License-Identifier: Apache-2.0
//
// The figures of a report: SVG drawn from the Document, for the page and as files of their own.
// Points are measured and never joined; lines are models or ideals; what is beyond the K measured
// is hatched. The same Document gives the same bytes.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "orchestrator/report/document.h"
#include "orchestrator/report/figures/svg.h"

namespace kneepoint {

enum class KScale { log2, linear };

struct Figure {
  Figure(const char* name_, std::string heading_, std::string about_)
      : name(name_), heading(std::move(heading_)), about(std::move(about_)), method(name_) {}

  std::string name;         // "efficiency": unique on its curve
  std::string heading;      // "Efficiency"
  std::string about;        // the curve's label, or the case
  std::string method;       // where a page says how its numbers were made
  std::string description;  // what a person who can't see it should know
  std::string caption;
  std::string data;  // attributes for the page's script; "": its K axis can't be changed
  std::vector<svg::Piece> pieces;  // below <svg>, without title and description
  double width = 440, height = 300;
};

// T, speedup, efficiency; where the time goes, cost and roofline where known. None without data.
std::vector<Figure> curve_figures(const Document& document, const CurveView& view,
                                  KScale scale = KScale::log2);
// Strong and weak efficiency of one case on the same axes; none unless it has both. `curves` as
// curves_by_case() gives them.
std::optional<Figure> modes_figure(const Document& document, const std::vector<CurveView>& views,
                                   const std::vector<std::size_t>& curves,
                                   KScale scale = KScale::log2);

// What several figures of one page share is drawn by the first of them.
class SharedPieces {
 public:
  std::string drawn(const svg::Piece& piece);

 private:
  std::map<std::pair<std::string, std::string>, std::string> ids_;  // by markup and K axis
};

// An element of a page that has figure_style() and figure_patterns().
std::string inline_svg(const Figure& figure, SharedPieces& shared);
// A file of its own: style, title and caption included.
std::string standalone_svg(const Figure& figure);

// All figures of a document with the names of their files, both K axes: "jacobi-strong-time.svg".
struct FigureFile {
  std::string name, svg;
};
std::vector<FigureFile> figure_files(const Document& document);

const std::string& figure_style();     // CSS
const std::string& figure_patterns();  // <defs>

// The parts, each in a file of its own.
std::optional<Figure> time_figure(const Document& document, const CurveView& view, KScale scale);
std::optional<Figure> speedup_figure(const Document& document, const CurveView& view, KScale scale);
std::optional<Figure> efficiency_figure(const Document& document, const CurveView& view,
                                        KScale scale);
std::optional<Figure> breakdown_figure(const Document& document, const CurveView& view);
std::optional<Figure> cost_figure(const Document& document, const CurveView& view);
std::optional<Figure> roofline_figure(const CurveView& view);

}  // namespace kneepoint
