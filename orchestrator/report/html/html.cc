// SPDX-License-Identifier: Apache-2.0
//
// The page from top to bottom: the answer in words, then curve by curve figures and tables, then
// where the numbers come from and how they were made.
#include "orchestrator/report/html/html.h"

#include <fmt/core.h>

#include "orchestrator/report/figures/figures.h"
#include "orchestrator/report/figures/svg.h"
#include "orchestrator/report/text.h"

namespace kneepoint {
namespace {

using html::element;
using svg::escaped;

constexpr std::size_t kMostInNavigation = 12;
constexpr std::size_t kMostWithDetails = 60;  // curves; a page of more is for an overview
constexpr double kTitleWidth = 60;            // of a name in the navigation, in characters' widths

constexpr char kNoBundle[] =
    "The what-if part needs node at build time: this kneepoint was built without it. Everything "
    "else of the page is here; `kneepoint predict` and `kneepoint recommend` answer the same in a "
    "terminal.";

// `cls`: an attribute; "": none. "how" links to what is said of this figure's numbers.
std::string figure_element(const Figure& figure, SharedPieces& shared, const char* cls = "") {
  return fmt::format(
      "<figure{}>{}<figcaption>{} <a href=\"#how-{}\">how</a></figcaption></figure>\n", cls,
      inline_svg(figure, shared), escaped(figure.caption), figure.method);
}

// '<' only stands inside of strings, where it may be written like this: no markup can begin.
std::string script_safe(const std::string& json) {
  std::string out;
  for (const char c : json) {
    if (c == '<') {
      out += "\\u003c";
    } else if (c != '\n') {
      out += c;
    }
  }
  return out;
}

std::string opening(const Document& document) {
  return "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
         "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
         "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
         "'unsafe-inline'; script-src 'unsafe-inline'; img-src data:\">\n"
         "<meta name=\"generator\" content=\"kneepoint\">\n<title>" +
         escaped(svg::fitted(plain(document.study.id), 1, 80)) +
         ": scaling report</title>\n<style>" + html::kStyle + figure_style() +
         "</style>\n</head>\n<body>\n<svg class=\"kp patterns\" "
         "aria-hidden=\"true\">" +
         figure_patterns() + "</svg>\n";
}

std::string head_of_page(const Document& document) {
  const StudyEvidence& study = document.study;
  std::string out = "<header>\n" + element("h1", study.name.empty() ? study.id : study.name);
  out += element("p",
                 fmt::format("{} · {} on {}{} · worker: {}{}", study.id, study.state, study.site,
                             study.site == study.backend ? "" : " (" + study.backend + ")",
                             to_string(study.worker),
                             study.created_ns > 0 ? " · " + to_utc_text(study.created_ns) : ""),
                 "sub");
  if (document.red) out += element("p", "RED: " + document.red_reason, "red");
  out += element("p", first_upper(document.headline), "lead");
  for (const std::string& finding : document.findings) out += element("p", finding, "finding");
  if (!document.queue.empty()) out += element("p", document.queue, "sub");
  return out + "</header>\n";
}

std::string bar(const std::vector<CurveView>& views,
                const std::vector<std::vector<std::size_t>>& cases) {
  std::string out =
      "<div class=\"bar\"><div><nav aria-label=\"Parts of the report\">"
      "<a href=\"#answer\">Answer</a>";
  for (std::size_t i = 0; i < cases.size() && i < kMostInNavigation; ++i) {
    const Curve& curve = *views[cases[i].front()].curve;
    out += fmt::format("<a href=\"#case-{}\">{}</a>", i + 1,
                       escaped(svg::fitted(plain(curve.case_name), 1, kTitleWidth * 0.3)));
  }
  if (cases.size() > kMostInNavigation) {
    out += fmt::format("<span class=\"sub\">and {} more</span>", cases.size() - kMostInNavigation);
  }
  return out +
         "<a href=\"#what-if\">What if</a><a href=\"#caveats\">Caveats</a>"
         "<a href=\"#methods\">Methods</a></nav>"
         "<fieldset><legend>K axis</legend>"
         "<label><input type=\"radio\" name=\"k-axis\" value=\"log2\" checked>log2</label>"
         "<label><input type=\"radio\" name=\"k-axis\" value=\"linear\">linear</label>"
         "</fieldset></div></div>\n";
}

std::string questions_of_page(const Document& document) {
  if (document.questions.empty()) return "";
  std::string out = "<h2 id=\"questions\">Five questions</h2>\n<ol class=\"five\">";
  for (const Question& question : document.questions) {
    out += "<li>" + escaped(question.question) + html::list(to_lines(question)) + "</li>\n";
  }
  return out + "</ol>\n";
}

std::string curve_part(const Document& document, const CurveView& view, std::size_t at,
                       SharedPieces& shared) {
  const CurvePart& part = document.curves[at];
  const CurveTable& table = part.table;
  std::string out = element("h3", table.title);
  out += element("p", table.held_fixed, "sub");
  for (const std::string& finding : table.findings) out += element("p", finding, "finding");
  std::string figures;
  for (const Figure& figure : curve_figures(document, view)) {
    figures += figure_element(figure, shared);
  }
  out += figures.empty() ? element("p", "No figure: no point has a valid run.", "sub")
                         : "<div class=\"figures\">\n" + figures + "</div>\n";
  out += html::table(table, table.title, table.flags);
  for (const std::string& line : table.lines) out += element("p", line, "sub");
  if (document.summary().curves.size() > kMostWithDetails) return out;
  std::string details;
  for (const TextTable& detail : part.details) details += html::detail(detail);
  if (!details.empty()) {
    out += "<details><summary>Models, knees by every rule, predictions and the rest</summary>\n" +
           details + "</details>\n";
  }
  return out;
}

std::string case_parts(const Document& document, const std::vector<CurveView>& views,
                       const std::vector<std::vector<std::size_t>>& cases) {
  std::string out;
  SharedPieces shared;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    out += fmt::format("<section class=\"case\"><h2 id=\"case-{}\">{}</h2>\n", i + 1,
                       escaped(views[cases[i].front()].curve->case_name));
    if (const std::optional<Figure> both = modes_figure(document, views, cases[i])) {
      out += figure_element(*both, shared, " class=\"both\"");
    }
    for (const std::size_t c : cases[i]) out += curve_part(document, views[c], c, shared);
    out += "</section>\n";
  }
  return out;
}

std::string costs(const Document& document) {
  if (!document.cost) return "";
  std::string out = "<h2 id=\"cost\">What it costs</h2>\n";
  out += element("p", prices_line(*document.cost), "sub");
  if (document.summary().curves.size() > kMostWithDetails) return out;
  out += "<details><summary>Cost tables</summary>\n";
  for (const TextTable& detail : document.cost_tables) out += html::detail(detail);
  return out + "</details>\n";
}

std::string caveats(const Document& document) {
  std::string out = "<h2 id=\"caveats\">Caveats</h2>\n";
  std::string said = html::list(document.notes);
  for (const TextTable& detail : document.tables) said += html::detail(detail);
  if (document.summary().curves.size() > kMostWithDetails) {
    said +=
        element("p", fmt::format("A page of more than {} curves leaves out models, predictions, "
                                 "costs and the other tables of details: `kneepoint report` and "
                                 "`report --json` have them.",
                                 kMostWithDetails));
  }
  return out + (said.empty() ? element("p", "None.") : said);
}

}  // namespace

std::string to_html(const Document& document, const HtmlOptions& options) {
  const std::vector<CurveView> views = curve_views(document.analysis);
  const auto cases = curves_by_case(views);
  std::string out = opening(document) + head_of_page(document) + bar(views, cases) + "<main>\n";
  out += "<h2 id=\"answer\">The answer</h2>\n";
  out += views.empty() ? element("p", "The study has no points.") : html::answers(document, views);
  out += questions_of_page(document) + costs(document);
  out += case_parts(document, views, cases);
  out += "<section id=\"what-if\"><h2>What if</h2>";
  out += options.web.built
             ? "<noscript>" + element("p", "This part needs JavaScript.") + "</noscript>"
             : element("p", kNoBundle, "sub");
  out += "</section>\n" + caveats(document);
  out += "<h2 id=\"provenance\">Provenance</h2>\n" + html::provenance(document);
  out += "<h2 id=\"methods\">How each number was made</h2>\n" + html::methods(document);
  out +=
      "</main>\n<footer>Made by kneepoint from the study's database alone; the same study gives "
      "the same page. Lines are models.</footer>\n";
  out += "<script type=\"application/json\" id=\"kneepoint-report\">" +
         script_safe(to_json(document, JsonExtent::page)) + "</script>\n";
  if (options.web.built) {
    out += "<style>" + std::string(options.web.report_style) + "</style>\n<script>" +
           std::string(options.web.report_script) + "</script>\n";
  }
  return out + "<script>" + html::kScript + "</script>\n</body>\n</html>\n";
}

}  // namespace kneepoint
