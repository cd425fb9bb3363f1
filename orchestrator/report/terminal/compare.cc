// SPDX-License-Identifier: Apache-2.0
//
// The words and the tables of `compare`.
#include "orchestrator/answers/study/compare.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "orchestrator/base/numbers.h"
#include "orchestrator/report/cost_section.h"
#include "orchestrator/report/table.h"
#include "orchestrator/report/terminal/answers.h"
#include "orchestrator/report/text.h"

namespace kneepoint {
namespace {

std::string ratio_words(const ComparedPoint& point) {
  return amount_text(*point.ratio) + (point.interval ? " " + amount_bounds(point.interval) : "");
}

std::string knee_words(const ComparedKnee& knee) {
  if (!knee.k) return knee.where.empty() ? "not known" : knee.where;
  if (!knee.low) return "K=" + number_text(*knee.k);
  return fmt::format("K={} [{}, {}]", number_text(*knee.k), number_text(*knee.low),
                     knee.open_high || !knee.high ? "beyond" : number_text(*knee.high));
}

std::string curve_title(const CurveComparison& curve) {
  const std::string build = curve.build_a == curve.build_b ? curve.build_a : "default";
  return curve_name(build, curve.case_name, curve.mode) +
         (curve.shape.empty() ? "" : ", " + curve.shape);
}

const char* faster_words(Faster faster) {
  switch (faster) {
    case Faster::b:
      return ": it is faster";
    case Faster::a:
      return ": it is slower";
    case Faster::unclear:
      return ": the runs can't tell which is faster";
    case Faster::unknown:
      break;
  }
  return "";
}

std::string time_words(const PricedComparison& curve, double floor) {
  const std::string title = curve_title(curve);
  if (!curve.telling_k) {
    return fmt::format("{}: T can't be compared, since {}.", title, curve.obstacles.front());
  }
  const PricedPoint& at = *curve.telling();
  const std::string keeps = "A has E >= " + efficiency_text(floor);
  std::string text =
      fmt::format("{}: at K={} ({}) B takes {} times as long as A{}.", title, at.k,
                  at.a.efficiency >= floor ? "the largest common K at which " + keeps
                                           : keeps + " at no common K",
                  ratio_words(at),
                  at.faster == Faster::unknown ? " (" + at.why + ")" : faster_words(at.faster));
  std::array<int, 4> counts = {};
  for (const ComparedPoint& point : curve.points) {
    if (point.ratio) ++counts[static_cast<std::size_t>(point.faster)];
  }
  const auto count_of = [&](Faster one) { return counts[static_cast<std::size_t>(one)]; };
  const int compared = counts[0] + counts[1] + counts[2] + counts[3];
  if (const int unknown = count_of(Faster::unknown); unknown < compared) {
    text += fmt::format(
        " Of {} common K B is faster at {} and slower at {}; at {} the runs can't tell{}.",
        compared, count_of(Faster::b), count_of(Faster::a), count_of(Faster::unclear),
        unknown > 0 ? fmt::format(", at {} there is no interval", unknown) : "");
  }
  return text;
}

// At which price of its hours B is worth it; "" where that can't be said.
std::string price_words(const CompareAnswer& answer, const ComparePair& pair,
                        const PricedComparison& curve) {
  const PricedPoint* at = curve.telling();
  if (at == nullptr || !at->below || !pair.no_money.empty()) return "";
  const BreakEvenPrice& price = *at->below;
  const std::string opening = fmt::format("At K={} ", price.k);
  const std::string unit = std::string(to_string(price.unit)) + "-hour";
  if (price.unused) {
    return fmt::format("{}no price follows: B is charged by the {}, and its runs hold no {}.",
                       opening, unit, to_string(price.unit));
  }
  if (!price.below) {
    const bool free = at->cost_a && at->cost_a->per_result.micros == 0;
    return opening + "B is not worth it at any price" +
           (free ? ": by the prices given a result costs nothing on A."
                 : " of a " + unit +
                       ": what it charges beside its hours is more than a result costs on A.");
  }
  const double most = to_units(price.below->micros);
  if (!answer.priced) {
    return fmt::format("{}B is worth it below {} {} times what a node-hour of A costs.", opening,
                       amount_text(most), amount_bounds(price.interval));
  }
  const Money asked{unit_price(pair.b.prices.item, price.unit), price.below->currency};
  const double now = to_units(asked.micros);
  const char* verdict = price.interval ? now < price.interval->low    ? ", so it is."
                                         : now > price.interval->high ? ", so it is not."
                                                                      : ", so the runs can't tell."
                        : now < most   ? ", so it is (no interval)."
                                       : ", so it is not (no interval).";
  return fmt::format("{}B is worth it below {} {} per {}; it costs {}{}", opening,
                     rounded_text(*price.below), amount_bounds(price.interval), unit,
                     rounded_text(asked), verdict);
}

std::string points_table(const ComparePair& pair, const PricedComparison& curve) {
  const auto& points = curve.priced_points;
  if (points.empty()) return "";
  const bool money = std::any_of(points.begin(), points.end(),
                                 [](const PricedPoint& at) { return at.cost_a || at.cost_b; });
  const auto seconds = [money](const PointSummary& side, bool has_cost) {
    return has_cost || !money ? seconds_text(side.seconds) : "-";
  };
  std::vector<ColumnOf<PricedPoint>> columns = {
      {"K", [](auto& at) { return std::to_string(at.k); }},
      {"RUNS",
       [](auto& at) { return std::to_string(at.a.valid) + "/" + std::to_string(at.b.valid); }},
      {"T A", [&](auto& at) { return seconds(at.a, at.cost_a.has_value()); }},
      {"T B", [&](auto& at) { return seconds(at.b, at.cost_b.has_value()); }},
      {"B/A", [](auto& at) { return or_dash(at.ratio, amount_text); }},
      {"95%", [](auto& at) { return amount_bounds(at.interval); }},
      {"E A", [](auto& at) { return efficiency_text(at.a.efficiency); }},
      {"E B", [](auto& at) { return efficiency_text(at.b.efficiency); }},
  };
  if (money) {
    const auto cost = [](const CostPoint& point) {
      return amount_text(to_units(point.per_result.micros));
    };
    const std::string result = "/" + plain(curve.result_name);
    columns.push_back({pair.a.prices.book.currency + result + " A",
                       [=](auto& at) { return or_dash(at.cost_a, cost); }});
    columns.push_back({pair.b.prices.book.currency + result + " B",
                       [=](auto& at) { return or_dash(at.cost_b, cost); }});
    columns.push_back({"B BELOW", [](auto& at) -> std::string {
                         if (!at.below || at.below->unused) return "-";
                         return at.below->below ? amount_text(to_units(at.below->below->micros))
                                                : "never";
                       }});
    columns.push_back(
        {"95%", [](auto& at) { return at.below ? amount_bounds(at.below->interval) : "[-]"; }});
  }
  return "\n" + to_table(columns, points, 2);
}

std::string differences_table(const std::vector<Difference>& differences, int indent) {
  if (differences.empty()) return "";
  const std::vector<ColumnOf<Difference>> columns = {
      {"DIFFERS", [](auto& one) { return one.what; }, Align::left},
      {"A", [](auto& one) { return one.a; }, Align::left},
      {"B", [](auto& one) { return one.b; }, Align::left},
  };
  return "\n" + to_table(columns, differences, indent);
}

std::string curve_text(const CompareAnswer& answer, const ComparePair& pair,
                       const PricedComparison& curve, int width) {
  const std::string words =
      fmt::format("{} The knee (E >= {}) of A is {}, of B {}.", time_words(curve, answer.floor),
                  efficiency_text(answer.floor), knee_words(curve.knee_of(false)),
                  knee_words(curve.knee_of(true)));
  std::string text = "\n" + wrap(plain(words), width, 0);
  text += wrap(price_words(answer, pair, curve), width, 0) + points_table(pair, curve);
  if (!curve.only_a.empty()) text += wrap("Only A has K=" + ks_text(curve.only_a) + ".", width, 2);
  if (!curve.only_b.empty()) text += wrap("Only B has K=" + ks_text(curve.only_b) + ".", width, 2);
  for (const ComparedPoint& at : curve.points) {
    if (!curve.telling_k || at.ratio || at.why.empty()) continue;
    text += wrap(fmt::format("K={} is not compared: {}.", at.k, plain(at.why)), width, 2);
  }
  for (std::size_t i = curve.telling_k ? 0 : 1; i < curve.obstacles.size(); ++i) {
    text += wrap("Besides, " + plain(curve.obstacles[i]) + ".", width, 2);
  }
  return text + differences_table(curve.differences, 2);
}

}  // namespace

std::string to_text(const CompareAnswer& answer, int width) {
  std::string text;
  bool example = false;
  for (const ComparePair& pair : answer.pairs) {
    if (!text.empty()) text += "\n";
    for (const auto& [side, study] : {std::pair{"A", &pair.a}, std::pair{"B", &pair.b}}) {
      text += fmt::format("{}: {}{}\n", side, study->id,
                          answer.priced ? ", " + priced_words(study->prices) : "");
      example = example || study->prices.book.example;
    }
    if (example) text += std::string(kExamplePrices) + "\n";
    for (const std::string& note : pair.notes) text += wrap(plain(note), width, 0);
    for (const PricedComparison& curve : pair.curves) {
      text += curve_text(answer, pair, curve, width);
    }
    if (!pair.no_money.empty()) text += "\n" + wrap("Note: " + pair.no_money + ".", width, 0);
    if (!pair.not_compared.empty()) text += "\nNot compared:\n";
    for (const std::string& one : pair.not_compared) text += wrap(plain(one), width, 2);
    text += differences_table(pair.differences, 0);
  }
  return plain_lines(text);
}

}  // namespace kneepoint
