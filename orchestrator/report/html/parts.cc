// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/report/html/parts.h"

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

std::string header_text(const std::string& header) {
  std::string name = header;
  // A word broken for a narrow column is whole again.
  if (const std::size_t broken = name.find("-\n"); broken != std::string::npos) {
    name.erase(broken, 2);
  }
  std::replace(name.begin(), name.end(), '\n', ' ');
  return name;
}

// An interval shares the cell of the value that it belongs to.
std::vector<std::string> merged_html(const TextTable& table,
                                     const std::vector<std::string>& cells) {
  std::vector<std::string> out;
  for (std::size_t c = 0; c < cells.size(); ++c) {
    if (table.columns[c].belongs_left && !out.empty()) {
      if (!cells[c].empty()) out.back() += " <i>" + escaped(cells[c]) + "</i>";
    } else {
      out.push_back(escaped(cells[c]));
    }
  }
  return out;
}

std::string pair(const std::string& term, const std::string& text) {
  return text.empty() ? "" : "<dt>" + escaped(term) + "</dt><dd>" + escaped(text) + "</dd>";
}

std::string without_prefix(const std::string& text, const std::string& prefix) {
  return text.starts_with(prefix) ? text.substr(prefix.size()) : text;
}

std::string first_upper(std::string text) {
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') {
    text[0] = static_cast<char>(text[0] - 'a' + 'A');
  }
  return text;
}

// "each result takes 23% more worker-hours than at K=1": what stands for money without prices.
std::string cost_words(const Document& document, const CurveView& view, int k) {
  for (std::size_t c = 0; document.cost && c < document.cost->curves.size(); ++c) {
    if (&document.summary().curves[document.cost->curves[c].index] != view.curve) continue;
    return first_upper(without_prefix(document.cost->sentences[c], view.label + ": "));
  }
  for (const PointSummary& p : view.curve->points) {
    if (p.point.k != k || !(p.efficiency > 0)) continue;
    return "Each result takes " + change_text(1 / p.efficiency) +
           " worker-hours than at K=" + std::to_string(view.curve->k0) + "; prices are not known.";
  }
  return "";
}

std::string confidence_words(const CurveView& view, int k) {
  for (const PointSummary& p : view.curve->points) {
    if (p.point.k != k || p.baseline || !p.efficiency_interval) continue;
    return ", " + level_text(p.efficiency_interval->level) + " over " + std::to_string(p.valid) +
           " runs";
  }
  return "";
}

// Where nothing explains the loss: that is said, too.
std::string unknown_limit(const CurveView& view) {
  const PointSummary* last = view.largest();
  if (last == nullptr || last->baseline) return "";
  if (last->efficiency >= 1) {
    return "None in sight: no efficiency is lost up to K=" + std::to_string(last->point.k) + ".";
  }
  return "Not known: neither the ranks' own times nor a model of T account for the loss at K=" +
         std::to_string(last->point.k) + ".";
}

std::string mode_answer(const Document& document, const CurveView& view) {
  const CurveAnswer answer = answer_of(view);
  const std::string mode = to_string(view.curve->mode);
  std::string out = "<div class=\"mode\"><p class=\"use\"><span class=\"badge " + mode + "\">" +
                    mode + "</span> ";
  if (!answer.none.empty()) {
    return out + "<strong>No answer</strong></p>" + element("p", first_upper(answer.none) + ".") +
           "</div>\n";
  }
  out += answer.k ? "<strong>Use K=" + std::to_string(*answer.k) + "</strong>"
                  : std::string("<strong>No K is sure</strong>");
  if (view.curve->emulated) out += " <span class=\"badge\">emulated</span>";
  if (is_simulated(document.study)) {
    out += " <span class=\"badge\">simulated, nothing was measured</span>";
  }
  if (is_imported(document.study)) out += " <span class=\"badge\">imported</span>";
  if (view.curve->stand_in) out += " <span class=\"badge\">CPU stand-in, no GPU</span>";
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
                    (ordered.size() > 1 ? " (" + std::to_string(ordered[i].first) + " runs)" : ""));
  }
  if (ordered.size() > kValuesShown) {
    words.push_back("and " + std::to_string(ordered.size() - kValuesShown) + " more values");
  }
  return joined(words, "; ");
}

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
  const bool flagged = std::any_of(flags.begin(), flags.end(),
                                   [](const std::string& flag) { return !flag.empty(); });
  std::vector<std::string> names;
  std::vector<bool> right;
  for (const Column& column : table.columns) {
    names.push_back(header_text(column.title));
    if (!column.belongs_left || right.empty()) right.push_back(column.align == Align::right);
  }
  std::string out = "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"" +
                    escaped(label) + "\"><table><thead><tr>";
  const std::vector<std::string> header = merged_html(table, names);
  for (std::size_t c = 0; c < header.size(); ++c) {
    out += std::string("<th scope=\"col\"") + (right[c] ? "" : " class=\"l\"") + ">" + header[c];
  }
  if (flagged) out += "<th scope=\"col\" class=\"l\">flags";
  out += "</thead><tbody>\n";
  for (std::size_t r = 0; r < table.rows.size(); ++r) {
    out += "<tr>";
    const std::vector<std::string> cells = merged_html(table, table.rows[r]);
    for (std::size_t c = 0; c < cells.size(); ++c) {
      out += (right[c] ? "<td>" : "<td class=\"l\">") + cells[c];
    }
    if (flagged) out += "<td class=\"l\">" + escaped(flags[r]);
    out += "\n";
  }
  return out + "</tbody></table></div>\n";
}

std::string detail(const DetailTable& detail) {
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
  if (document.cost) out += pair("prices", prices_line(document.cost->book, document.cost->item));
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

}  // namespace kneepoint::html
