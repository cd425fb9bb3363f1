// SPDX-License-Identifier: Apache-2.0
//
// A sentence and a table per curve with prices, and the JSON of them. An hour of waiting is worth
// something: the frontier says from which worth on a faster K that costs more pays.
#include "orchestrator/report/cost_section.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "orchestrator/base/json_put.h"
#include "orchestrator/report/text.h"

namespace kneepoint {
namespace {

double units_of(const CostPoint& point) {
  return to_units(point.per_result.micros);
}

// What an hour must be worth for `k` to be better than all that is slower and cheaper.
std::optional<Money> worth_of_hour(const CostCurve& curve, int k) {
  const auto it = std::find_if(curve.break_evens.begin(), curve.break_evens.end(),
                               [k](const BreakEven& one) { return one.faster == k; });
  return it == curve.break_evens.end() ? std::nullopt : std::optional(it->per_hour);
}

std::string pays_above(const CostCurve& curve, const CostPoint& point) {
  if (const auto worth = worth_of_hour(curve, point.k)) {
    return amount_text(to_units(worth->micros)) + "/h";
  }
  // The cheapest of those that some value of an hour makes the best.
  const bool first =
      curve.break_evens.empty() ? point.on_frontier : curve.break_evens.front().slower == point.k;
  return first ? "0" : "never";
}

std::string cost_words(const CostPoint& point) {
  return fmt::format("{} {} at K={}", rounded_text(point.per_result),
                     amount_bounds(point.per_result_interval), point.k);
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
    return fmt::format(
        "{}, the K to use. The problem grows with K and every run counts as one {}, so K are not "
        "compared; `result: {{count: ...}}` in the plan says how many a run makes.",
        text, plain(curve.result_name));
  }
  if (used == cheapest) return text + ", the cheapest and the K to use.";
  if (used->per_result.micros == cheapest->per_result.micros) {
    return fmt::format("{}, the K to use; K={} costs as much and is faster.", text, cheapest->k);
  }
  text += ", the K to use";
  text += cheapest->per_result.micros > 0
              ? fmt::format(": {:.2f} times the least, ", units_of(*used) / units_of(*cheapest))
              : "; the least is ";
  text += cost_words(*cheapest);
  if (const auto worth = worth_of_hour(curve, used->k)) {
    text += fmt::format("; K={} pays where an hour of waiting is worth more than {}", used->k,
                        rounded_text(*worth));
  } else if (!used->on_frontier) {
    text += fmt::format("; another K is both faster and cheaper than K={}", used->k);
  }
  return text + ".";
}

// How a bill is made, by one measured K, and the results at each.
void put_page_points(JsonWriter& w, const CostCurve& curve) {
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
  w.end_array();
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

std::string priced_words(const Prices& prices) {
  const auto& [book, item] = prices;
  return "prices: " + plain(item.name) + (book.path.empty() ? "" : " of " + plain(book.path));
}

std::string prices_line(const Prices& prices) {
  const PriceBook& book = prices.book;
  std::string text = first_upper(priced_words(prices));
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

TextTable cost_table(const CostCurve& curve, std::optional<int> marked) {
  const std::string currency =
      curve.points.empty() ? "" : curve.points.front().per_result.currency + "/";
  const std::vector<ColumnOf<CostPoint>> columns = {
      {"", [=](auto& point) { return marked == point.k ? ">" : ""; }, Align::left},
      {"K", [](auto& point) { return std::to_string(point.k); }},
      {"nodes", [](auto& point) { return std::to_string(point.use.nodes); }},
      {"T", [](auto& point) { return seconds_text(point.seconds); }},
      {"E", [](auto& point) { return efficiency_text(point.efficiency); }},
      {currency + plain(curve.result_name),
       [](auto& point) { return amount_text(units_of(point)); }},
      {"95%", [](auto& point) { return amount_bounds(point.per_result_interval); }, Align::right,
       true},
      {"frontier",
       [](auto& point) {
         if (point.frontier_share) return percent_text(*point.frontier_share);
         return std::string(point.on_frontier ? "yes" : "no");
       }},
      {"pays above", [&](auto& point) { return pays_above(curve, point); }},
      {"notes", [](auto& point) { return joined(point.flags, ", "); }, Align::left}};
  TextTable table = table_of(columns, curve.points);
  const bool noted = std::any_of(curve.points.begin(), curve.points.end(),
                                 [](const CostPoint& point) { return !point.flags.empty(); });
  if (!noted) drop_column(table, columns.size() - 1);
  table.lines = curve.notes;
  return table;
}

std::vector<TextTable> cost_tables(const CostReport& cost, const std::vector<CurveView>& views) {
  std::vector<TextTable> tables;
  for (const CostCurve& curve : cost.curves) {
    tables.push_back(cost_table(curve, views[curve.index].to_use->k));
    tables.back().title = "Cost: " + views[curve.index].label;
  }
  return tables;
}

void put_cost(JsonWriter& w, const std::optional<CostReport>& cost, bool whole) {
  w.key("cost");
  if (!cost) {
    w.null();
    return;
  }
  w.begin_object();
  put_fields<Prices>(w, *cost);
  w.key("curves").begin_array();
  for (std::size_t i = 0; i < cost->curves.size(); ++i) {
    const CostCurve& curve = cost->curves[i];
    w.begin_object().put("build", curve.build).put("case", curve.case_name);
    w.put("shape", curve.shape_name).put("mode", curve.mode).put("result", curve.result_name);
    if (whole) {
      w.put("sentence", cost->sentences[i]);
      put_fields(w, curve);
    } else {
      put_page_points(w, curve);
    }
    w.end_object();
  }
  w.end_array().end_object();
}

}  // namespace kneepoint
