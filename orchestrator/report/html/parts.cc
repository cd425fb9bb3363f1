// SPDX-License-Identifier: Apache-2.0
//
// Tables, the answers of the first screen, where the numbers come from and how they were made.
#include "orchestrator/report/html/html.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>

#include "orchestrator/report/figures/svg.h"
#include "orchestrator/report/text.h"

namespace kneepoint::html {
namespace {

using svg::escaped;

constexpr std::size_t kValuesShown = 4;  // of one fact
constexpr std::size_t kLongestFact = 300;

std::string pair(const std::string& term, const std::string& text) {
  return text.empty() ? "" : "<dt>" + escaped(term) + "</dt><dd>" + escaped(text) + "</dd>";
}

std::string without_prefix(const std::string& text, const std::string& prefix) {
  return text.starts_with(prefix) ? text.substr(prefix.size()) : text;
}

// "each result takes 23% more worker-hours than at K=1": what stands for money without prices.
std::string cost_words(const Document& document, const CurveView& view, int k) {
  if (const CostCurve* costs = document.costs_of(view)) {
    const std::string& sentence = document.cost->sentences[costs - document.cost->curves.data()];
    return first_upper(without_prefix(sentence, view.label + ": "));
  }
  for (const PointSummary& p : view.curve->points) {
    if (p.point.k != k || !(p.efficiency > 0)) continue;
    return fmt::format("Each result takes {} worker-hours than at K={}; prices are not known.",
                       change_text(1 / p.efficiency), view.curve->k0);
  }
  return "";
}

std::string confidence_words(const CurveView& view, int k) {
  for (const PointSummary& p : view.curve->points) {
    if (p.point.k != k || p.baseline || !p.efficiency_interval) continue;
    return fmt::format(", {} over {} runs", level_text(p.efficiency_interval->level), p.valid);
  }
  return "";
}

// Where nothing explains the loss: that is said, too.
std::string unknown_limit(const CurveView& view) {
  const PointSummary* last = view.largest();
  if (last == nullptr || last->baseline) return "";
  if (last->efficiency >= 1) {
    return fmt::format("None in sight: no efficiency is lost up to K={}.", last->point.k);
  }
  return fmt::format(
      "Not known: neither the ranks' own times nor a model of T account for the loss at K={}.",
      last->point.k);
}

std::string mode_answer(const Document& document, const CurveView& view) {
  const CurveAnswer answer = answer_of(view);
  std::string out =
      fmt::format("<div class=\"mode\"><p class=\"use\"><span class=\"badge {0}\">{0}</span> ",
                  to_string(view.curve->mode));
  if (!answer.none.empty()) {
    return out + "<strong>No answer</strong></p>" + element("p", first_upper(answer.none) + ".") +
           "</div>\n";
  }
  out += answer.k ? fmt::format("<strong>Use K={}</strong>", *answer.k)
                  : "<strong>No K is sure</strong>";
  for (const auto& [holds, words] :
       {std::pair{view.curve->emulated, "emulated"},
        {is_simulated(document.study), "simulated, nothing was measured"},
        {is_imported(document.study), "imported"},
        {view.curve->stand_in, "CPU stand-in, no GPU"}}) {
    if (holds) out += fmt::format(" <span class=\"badge\">{}</span>", words);
  }
  out += "</p>\n<dl>";
  const auto said = [](const std::string& text, const char* prefix) {
    return first_upper(without_prefix(text, prefix));
  };
  out += pair("Knee", (answer.rule.empty() ? "" : first_upper(answer.rule) + "; ") +
                          said(answer.knee, "the knee is "));
  if (answer.k) {
    out += pair("At K=" + std::to_string(*answer.k),
                first_upper(answer.efficiency) + confidence_words(view, *answer.k));
  }
  out += pair("Perhaps", answer.possible);
  out += pair("Limit", answer.limit.empty() ? unknown_limit(view) : said(answer.limit, ""));
  out += pair("Beyond", said(answer.turning, ""));
  if (answer.k) out += pair("Cost", cost_words(document, view, *answer.k));
  out += pair("Note", said(answer.relative, ""));
  return out + "</dl></div>\n";
}

std::string shortened(const std::string& text) {
  const std::string safe = plain(text);
  if (safe.size() <= kLongestFact) return safe;
  std::size_t end = kLongestFact;
  while (end > 0 && (static_cast<unsigned char>(safe[end]) & 0xC0) == 0x80) --end;
  return safe.substr(0, end) + "… (" + std::to_string(safe.size()) + " bytes)";
}

// Name of a fact -> its values with the number of runs that say so.
using Facts = std::map<std::string, std::map<std::string, int>>;

Facts facts_of(const StudyEvidence& study) {
  Facts facts;
  for (const PointEvidence& point : study.points) {
    for (const RunDetail& run : point.details) {
      std::set<std::pair<std::string, std::string>> said;  // by this run, on any node
      for (const Fact& fact : run.facts) said.emplace(fact.name, fact.value);
      for (const auto& [name, value] : said) ++facts[name][value];
    }
  }
  return facts;
}

std::string fact_words(const std::map<std::string, int>& values) {
  std::vector<std::pair<int, std::string>> ordered;
  for (const auto& [value, runs] : values) ordered.emplace_back(runs, value);
  std::stable_sort(ordered.begin(), ordered.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<std::string> words;
  for (std::size_t i = 0; i < ordered.size() && i < kValuesShown; ++i) {
    words.push_back(shortened(ordered[i].second) +
                    (ordered.size() > 1 ? fmt::format(" ({} runs)", ordered[i].first) : ""));
  }
  if (ordered.size() > kValuesShown) {
    words.push_back(fmt::format("and {} more values", ordered.size() - kValuesShown));
  }
  return joined(words, "; ");
}

// How a number was made, in a sentence or two; docs/methods.md derives it.
struct Method {
  const char *id, *name, *text, *anchor;
  bool of_money = false;
};

constexpr Method kMethods[] = {
    {"time", "T(K)",
     "The median over the runs at K that succeeded. T of a run is the mean of its timed "
     "iterations, each the maximum over ranks, times their number. Runs that failed enter no "
     "number; outliers are flagged, never dropped.",
     "t-and-which-runs-count"},
    {"speedup", "Speedup S",
     "Strong: T(K0)/T(K). Weak: scaled, K/K0 times T(K0)/T(K). K0 is the smallest K with a valid "
     "run.",
     "speedup-and-efficiency"},
    {"efficiency", "Efficiency E",
     "S divided by K/K0. Where the work per worker is not constant on a weak curve, E is by work, "
     "and E by time stands beside it.",
     "speedup-and-efficiency"},
    {"interval", "Intervals",
     "Over runs, never over the iterations inside one. Of T: order statistics of the median. Of E: "
     "Hodges-Lehmann for the ratio of two samples, at the level that it really has; with too few "
     "runs Welch's t on logarithms, and with one run none.",
     "intervals"},
    {"knee", "Knee and K to use",
     "The knee is where E falls to the floor, by interpolating K·T(K); its interval resamples all "
     "runs of the curve together. The K to use is the largest measured K that surely keeps the "
     "floor, with every smaller one.",
     "the-knee-rule-efficiency"},
    {"model", "Model line",
     "T = a + b/K + c·log2 K + d·(K-1) with the terms that the runs can tell apart, none below 0; "
     "ranked by AICc.",
     "models"},
    {"band", "Model band, extrapolation",
     "90% of single runs, over all models that stay plausible. Beyond the largest K measured it is "
     "extrapolated, hatched, and shown up to twice that K.",
     "predictions-beyond-the-k-measured"},
    {"breakdown", "Where the time goes",
     "From the ranks' own totals in the run whose T is the median: computing, waiting for the "
     "slowest rank, and the rest, which is communication.",
     "breakdown"},
    {"cost", "Cost",
     "What the price book bills for one run of the median T, whole nodes and billing steps "
     "included, by its results and the share of runs that succeeded. The interval is joint with "
     "that of time. A K is on the frontier if no other is both faster and cheaper.",
     "cost-of-a-result", true},
    {"roofline", "Roofline",
     "Flops and bytes as the workload states them; peak and bandwidth as measured on the node.",
     "roofline-work-and-depth"},
    {"limit", "What limits it",
     "Shares of the loss at the largest K: from the breakdown where the ranks reported, else from "
     "the terms of the best model.",
     "what-the-loss-consists-of"},
};

}  // namespace

std::string element(std::string_view tag, std::string_view text, std::string_view cls) {
  const std::string name(tag);
  return "<" + name + (cls.empty() ? "" : " class=\"" + std::string(cls) + "\"") + ">" +
         escaped(text) + "</" + name + ">\n";
}

std::string list(const std::vector<std::string>& lines) {
  if (lines.empty()) return "";
  std::string out = "<ul>";
  for (const std::string& line : lines) out += element("li", line);
  return out + "</ul>\n";
}

std::string table(const TextTable& table, std::string_view label,
                  const std::vector<std::string>& flags) {
  const TextTable page = for_page(table, flags, escaped, " <i>", "</i>");
  std::string out = fmt::format(
      "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"{}\"><table><thead><tr>",
      escaped(label));
  const auto left = [&](std::size_t c) {
    return page.columns[c].align == Align::left ? " class=\"l\">" : ">";
  };
  for (std::size_t c = 0; c < page.columns.size(); ++c) {
    out += std::string("<th scope=\"col\"") + left(c) + page.columns[c].title;
  }
  out += "</thead><tbody>\n";
  for (const auto& row : page.rows) {
    out += "<tr>";
    for (std::size_t c = 0; c < row.size(); ++c) out += std::string("<td") + left(c) + row[c];
    out += "\n";
  }
  return out + "</tbody></table></div>\n";
}

std::string detail(const TextTable& detail) {
  std::string out = element("h4", detail.title);
  if (!detail.columns.empty()) out += table(detail, detail.title);
  return out + list(detail.lines);
}

std::string answers(const Document& document, const std::vector<CurveView>& views) {
  std::string out = "<div class=\"cards\">\n";
  for (const std::vector<std::size_t>& curves : curves_by_case(views)) {
    const Curve& first = *views[curves.front()].curve;
    std::string name = views[curves.front()].label;
    // The label says the mode, which the badge says too.
    const std::string opening = plain(first.case_name) + " " + to_string(first.mode);
    if (name.starts_with(opening)) name = plain(first.case_name) + name.substr(opening.size());
    out += "<article class=\"card\">" + element("h3", name);
    out += "<div class=\"modes\">\n";
    for (const std::size_t i : curves) out += mode_answer(document, views[i]);
    out += "</div></article>\n";
  }
  return out + "</div>\n";
}

std::string provenance(const Document& document) {
  const StudyEvidence& study = document.study;
  std::string out = "<dl class=\"facts\">";
  out += pair("study", study.id) + pair("name", study.name) + pair("state", study.state);
  out += pair("site", study.site + " (" + study.backend + ")");
  out += pair("worker", to_string(study.worker)) + pair("seed", std::to_string(study.seed));
  out += pair("knee rule", (study.knee_rule.empty() ? "efficiency" : study.knee_rule) + ", floor " +
                               count_text(study.knee_floor));
  if (study.created_ns > 0) out += pair("created", to_utc_text(study.created_ns));
  if (study.node_seconds > 0) {
    out += pair("node-hours", significant_text(study.node_seconds / 3600, 3));
  }
  if (document.cost) out += pair("prices", prices_line(*document.cost));
  out += "</dl>\n";
  const Facts facts = facts_of(study);
  if (facts.empty()) {
    return out + element("p", "The runs recorded nothing of nodes and programs.");
  }
  out += "<details><summary>What the runs recorded: " + std::to_string(facts.size()) +
         " facts</summary>\n<dl class=\"facts\">";
  for (const auto& [name, values] : facts) out += pair(shortened(name), fact_words(values));
  return out + "</dl></details>\n";
}

std::string methods(const Document& document) {
  std::string out = "<dl class=\"how\">";
  for (const Method& method : kMethods) {
    if (method.of_money && !document.cost) continue;
    out += fmt::format("<dt id=\"how-{}\">{}</dt><dd>{} <code>docs/methods.md#{}</code></dd>\n",
                       method.id, escaped(method.name), escaped(method.text), method.anchor);
  }
  return out + "</dl>\n";
}

}  // namespace kneepoint::html
