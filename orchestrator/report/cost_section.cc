// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/report/cost_section.h"

#include <algorithm>
#include <utility>

#include "orchestrator/base/json_put.h"
#include "orchestrator/report/text.h"

namespace kneepoint {
namespace {

double units_of(const CostPoint& point) {
  return to_units(point.per_result.micros);
}

// What an hour must be worth for this K to beat the slower one before it on the frontier.
std::string pays_above(const CostCurve& curve, const CostPoint& point) {
  for (const BreakEven& one : curve.break_evens) {
    if (one.faster == point.k) return amount_text(to_units(one.per_hour.micros)) + "/h";
  }
  // The cheapest of those that some value of an hour makes the best.
  const bool first =
      curve.break_evens.empty() ? point.on_frontier : curve.break_evens.front().slower == point.k;
  return first ? "0" : "never";
}

std::string cost_words(const CostPoint& point) {
  return rounded_text(point.per_result) + " " + amount_bounds(point.per_result_interval) +
         " at K=" + std::to_string(point.k);
}

// What an hour must be worth for `k` to be better than all that is slower and cheaper.
std::optional<Money> worth_of_hour(const CostCurve& curve, int k) {
  for (const BreakEven& one : curve.break_evens) {
    if (one.faster == k) return one.per_hour;
  }
  return std::nullopt;
}

// Of two that cost the same the faster one.
bool is_cheaper(const CostPoint& a, const CostPoint& b) {
  if (a.per_result.micros != b.per_result.micros) return a.per_result.micros < b.per_result.micros;
  return a.seconds / a.results < b.seconds / b.results;
}

std::string sentence(const CostCurve& curve, const CurveView& view) {
  const auto cheapest = std::min_element(curve.points.begin(), curve.points.end(), is_cheaper);
  const std::string opening = view.label + ": one " + plain(curve.result_name) + " costs ";
  const std::optional<int> k = view.to_use->k;
  const auto used = std::find_if(curve.points.begin(), curve.points.end(),
                                 [&](const CostPoint& point) { return k && point.k == *k; });
  if (used == curve.points.end()) return opening + cost_words(*cheapest) + ", the cheapest.";
  std::string text = opening + cost_words(*used);
  const bool same_results = std::all_of(
      curve.points.begin(), curve.points.end(),
      [&](const CostPoint& point) { return point.results == curve.points.front().results; });
  if (curve.mode == Mode::weak && same_results && curve.points.size() > 1) {
    return text + ", the K to use. The problem grows with K and every run counts as one " +
           plain(curve.result_name) +
           ", so K are not compared; `result: {count: ...}` in the plan says how many a run makes.";
  }
  if (used == cheapest) return text + ", the cheapest and the K to use.";
  if (used->per_result.micros == cheapest->per_result.micros) {
    return text + ", the K to use; K=" + std::to_string(cheapest->k) +
           " costs as much and is faster.";
  }
  text += ", the K to use";
  text += cheapest->per_result.micros > 0
              ? ": " + fixed_text(units_of(*used) / units_of(*cheapest), 2) + " times the least, "
              : "; the least is ";
  text += cost_words(*cheapest);
  if (const auto worth = worth_of_hour(curve, used->k)) {
    text += "; K=" + std::to_string(used->k) +
            " pays where an hour of waiting is worth more than " + rounded_text(*worth);
  } else if (!used->on_frontier) {
    text += "; another K is both faster and cheaper than K=" + std::to_string(used->k);
  }
  return text + ".";
}

// As far as the list of curves; false: there is no cost, which is said.
bool begin_cost(JsonWriter& w, const std::optional<CostReport>& cost) {
  w.key("cost");
  if (!cost) {
    w.null();
    return false;
  }
  w.begin_object();
  put_fields<Prices>(w, *cost);
  w.key("curves").begin_array();
  return true;
}

void begin_cost_curve(JsonWriter& w, const CostCurve& curve) {
  w.begin_object().put("build", curve.build).put("case", curve.case_name);
  w.put("shape", curve.shape_name).put("mode", curve.mode).put("result", curve.result_name);
}

}  // namespace

CostReport make_cost_report(const StudyAnalysis& analysis, Prices prices,
                            std::vector<CostCurve> curves) {
  CostReport report{std::move(prices), std::move(curves), {}};
  const std::vector<CurveView> views = curve_views(analysis);
  for (const CostCurve& curve : report.curves) {
    report.sentences.push_back(sentence(curve, views[curve.index]));
  }
  return report;
}

std::string prices_line(const PriceBook& book, const PriceItem& item) {
  std::string text = "Prices: " + plain(item.name);
  if (!book.path.empty()) text += " of " + plain(book.path);
  if (!book.valid_from.empty()) text += ", valid from " + plain(book.valid_from);
  if (!book.source.empty()) text += ", source: " + plain(book.source);
  text += ".";
  if (book.example) text += std::string(" ") + kExamplePrices;
  return text;
}

std::string amount_text(double units) {
  return significant_text(units, 3);
}

std::string amount_bounds(const std::optional<Interval>& interval) {
  if (!interval) return "[-]";
  return "[" + amount_text(interval->low) + ", " + amount_text(interval->high) + "]";
}

DetailTable cost_table(const CostCurve& curve, std::optional<int> marked) {
  DetailTable table;
  const std::string currency =
      curve.points.empty() ? "" : curve.points.front().per_result.currency + "/";
  table.columns = {{""},
                   {"K", Align::right},
                   {"nodes", Align::right},
                   {"T", Align::right},
                   {"E", Align::right},
                   {currency + plain(curve.result_name), Align::right},
                   {"95%", Align::right, true},
                   {"frontier", Align::right},
                   {"pays above", Align::right},
                   {"notes"}};
  for (const CostPoint& point : curve.points) {
    table.rows.push_back({marked == point.k ? ">" : "", std::to_string(point.k),
                          std::to_string(point.use.nodes), seconds_text(point.seconds),
                          efficiency_text(point.efficiency), amount_text(units_of(point)),
                          amount_bounds(point.per_result_interval),
                          point.frontier_share ? percent_text(*point.frontier_share)
                          : point.on_frontier  ? "yes"
                                               : "no",
                          pays_above(curve, point), joined(point.flags, ", ")});
  }
  const bool noted = std::any_of(curve.points.begin(), curve.points.end(),
                                 [](const CostPoint& point) { return !point.flags.empty(); });
  if (!noted) {
    table.columns.pop_back();
    for (auto& row : table.rows) row.pop_back();
  }
  for (const std::string& note : curve.notes) table.lines.push_back(note);
  return table;
}

std::vector<DetailTable> cost_tables(const std::optional<CostReport>& cost,
                                     const std::vector<CurveView>& views) {
  std::vector<DetailTable> tables;
  if (!cost) return tables;
  for (const CostCurve& curve : cost->curves) {
    const CurveView& view = views[curve.index];
    DetailTable table = cost_table(curve, view.to_use->k);
    table.title = "Cost: " + view.label;
    tables.push_back(std::move(table));
  }
  return tables;
}

void put_cost(JsonWriter& w, const std::optional<CostReport>& cost) {
  if (!begin_cost(w, cost)) return;
  for (std::size_t i = 0; i < cost->curves.size(); ++i) {
    begin_cost_curve(w, cost->curves[i]);
    w.put("sentence", cost->sentences[i]);
    put_fields(w, cost->curves[i]);
    w.end_object();
  }
  w.end_array().end_object();
}

void put_page_cost(JsonWriter& w, const std::optional<CostReport>& cost) {
  if (!begin_cost(w, cost)) return;
  for (const CostCurve& curve : cost->curves) {
    begin_cost_curve(w, curve);
    w.key("points").begin_array();
    bool billed = false;  // already
    for (const CostPoint& point : curve.points) {
      w.begin_object().put("k", point.k).put("modelled", point.modelled);
      w.put("results", point.results);
      const double seconds = to_seconds(point.bill.billed);
      if (!billed && !point.modelled && seconds > 0) {
        w.put("nodes", point.use.nodes).put("billed_seconds", seconds);
        w.put("parts", point.bill.parts);
        billed = true;
      }
      w.end_object();
    }
    w.end_array().end_object();
  }
  w.end_array().end_object();
}

}  // namespace kneepoint
