// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/cli/compare_text.h"

#include <algorithm>

#include "orchestrator/base/numbers.h"
#include "orchestrator/cli/curve_words.h"
#include "orchestrator/report/table.h"
#include "orchestrator/report/text.h"

namespace kneepoint::cli {
namespace {

constexpr int kDigits = 3;

std::string amount(double units) {
  return significant_text(units, kDigits);
}

std::string amounts(const std::optional<Interval>& interval) {
  return interval ? "[" + amount(interval->low) + ", " + amount(interval->high) + "]" : "[-]";
}

std::string ratio_words(const ComparedPoint& point) {
  return amount(*point.ratio) + (point.interval ? " " + amounts(point.interval) : "");
}

std::string knee_words(const KneeAnswer& knee, const std::optional<Knee>& range) {
  if (!knee.k) return knee.where();
  std::string text = "K=" + number_text(*knee.k);
  if (range && range->low) {
    text += " [" + number_text(*range->low) + ", " +
            (range->open_high || !range->high ? "beyond" : number_text(*range->high)) + "]";
  }
  return text;
}

std::string k_list(const std::vector<int>& list) {
  std::string text;
  for (const int k : list) text += (text.empty() ? "" : ", ") + std::to_string(k);
  return text;
}

int count_of(const CurveComparison& curve, Faster which) {
  return static_cast<int>(std::count_if(
      curve.points.begin(), curve.points.end(),
      [&](const ComparedPoint& point) { return point.ratio && point.faster == which; }));
}

std::string curve_title(const CurveComparison& curve) {
  const std::string build = curve.build_a == curve.build_b ? curve.build_a : "default";
  return curve_name(build, curve.case_name, curve.mode) +
         (curve.shape.empty() ? "" : ", " + curve.shape);
}

std::string time_words(const CurveComparison& curve, double floor, int telling) {
  std::string text = curve_title(curve) + ": ";
  if (telling < 0) return text + "T can't be compared, since " + curve.obstacles.front() + ".";
  const ComparedPoint& at = curve.points[static_cast<std::size_t>(telling)];
  text += "at K=" + std::to_string(at.k);
  text += at.a.efficiency >= floor
              ? " (the largest common K at which A has E >= " + efficiency_text(floor) + ")"
              : " (A has E >= " + efficiency_text(floor) + " at no common K)";
  text += " B takes " + ratio_words(at) + " times as long as A";
  if (at.faster == Faster::b) text += ": it is faster";
  if (at.faster == Faster::a) text += ": it is slower";
  if (at.faster == Faster::unclear) text += ": the runs can't tell which is faster";
  if (at.faster == Faster::unknown) text += " (" + at.why + ")";
  text += ".";
  const int compared = static_cast<int>(
      std::count_if(curve.points.begin(), curve.points.end(),
                    [](const ComparedPoint& point) { return point.ratio.has_value(); }));
  if (const int unknown = count_of(curve, Faster::unknown); unknown < compared) {
    text += " Of " + std::to_string(compared) + " common K B is faster at " +
            std::to_string(count_of(curve, Faster::b)) + " and slower at " +
            std::to_string(count_of(curve, Faster::a)) + "; at " +
            std::to_string(count_of(curve, Faster::unclear)) + " the runs can't tell";
    text += unknown > 0 ? ", at " + std::to_string(unknown) + " there is no interval." : ".";
  }
  return text;
}

std::string price_words(const CompareAnswer& answer, const ComparePair& pair,
                        const ComparedCost& cost, int telling) {
  if (telling < 0 || !pair.no_money.empty()) return "";
  const auto& below = cost.below[static_cast<std::size_t>(telling)];
  if (!below) return "";
  const std::string at = "At K=" + std::to_string(below->k) + " B is ";
  const std::string unit = std::string(to_string(below->unit)) + "-hour";
  if (below->unused) {
    return "At K=" + std::to_string(below->k) + " no price follows: B is charged by the " + unit +
           ", and its runs hold no " + to_string(below->unit) + ".";
  }
  const auto& here = cost.a[static_cast<std::size_t>(telling)];
  if (!below->below && here && here->per_result.micros == 0) {
    return at + "not worth it at any price: by the prices given a result costs nothing on A.";
  }
  if (!below->below) {
    return at + "not worth it at any price of a " + unit +
           ": what it charges beside its hours is more than a result costs on A.";
  }
  if (!answer.priced) {
    return at + "worth it below " + amount(to_units(below->below->micros)) + " " +
           amounts(below->interval) + " times what a node-hour of A costs.";
  }
  const PriceItem& item = answer.studies[pair.other].item;
  std::string text = at + "worth it below " + rounded_text(*below->below) + " " +
                     amounts(below->interval) + " per " + unit + "; ";
  const double price = to_units(unit_price(item, below->unit));
  text += "it costs " + rounded_text({unit_price(item, below->unit), below->below->currency});
  if (!below->interval) {
    return text + (price < to_units(below->below->micros) ? ", so it is" : ", so it is not") +
           " (no interval).";
  }
  return text + (price < below->interval->low    ? ", so it is."
                 : price > below->interval->high ? ", so it is not."
                                                 : ", so the runs can't tell.");
}

std::string curve_table(const CompareAnswer& answer, const ComparePair& pair,
                        const CurveComparison& curve, const ComparedCost& cost) {
  double shortest = 0;
  for (const ComparedPoint& at : curve.points) {
    shortest = shortest == 0 ? at.b.seconds : std::min({shortest, at.a.seconds, at.b.seconds});
  }
  std::vector<std::vector<std::string>> rows;
  bool money = false;
  for (const auto& one : cost.a) money = money || one.has_value();
  for (const auto& one : cost.b) money = money || one.has_value();
  const bool seconds = !curve.points.empty() && money;
  for (std::size_t i = 0; i < curve.points.size(); ++i) {
    const ComparedPoint& at = curve.points[i];
    const auto cost_text = [](const std::optional<CostPoint>& point) {
      return point ? amount(to_units(point->per_result.micros)) : "-";
    };
    const auto& below = cost.below[i];
    std::vector<std::string> row = {std::to_string(at.k),
                                    std::to_string(at.a.runs) + "/" + std::to_string(at.b.runs),
                                    cost.a[i] || !money ? seconds_text(at.a.seconds) : "-",
                                    cost.b[i] || !money ? seconds_text(at.b.seconds) : "-",
                                    at.ratio ? amount(*at.ratio) : "-",
                                    amounts(at.interval),
                                    efficiency_text(at.a.efficiency),
                                    efficiency_text(at.b.efficiency)};
    if (seconds) {
      row.push_back(cost_text(cost.a[i]));
      row.push_back(cost_text(cost.b[i]));
      row.push_back(!below || below->unused ? "-"
                    : below->below          ? amount(to_units(below->below->micros))
                                            : "never");
      row.push_back(below ? amounts(below->interval) : "[-]");
    }
    rows.push_back(std::move(row));
  }
  std::vector<Column> columns = {
      {"K", Align::right},   {"RUNS", Align::right}, {"T A", Align::right}, {"T B", Align::right},
      {"B/A", Align::right}, {"95%", Align::right},  {"E A", Align::right}, {"E B", Align::right}};
  if (seconds) {
    const std::string result = "/" + plain(cost.result_name);
    columns.push_back({answer.studies[0].book.currency + result + " A", Align::right});
    columns.push_back({answer.studies[pair.other].book.currency + result + " B", Align::right});
    columns.push_back({"B BELOW", Align::right});
    columns.push_back({"95%", Align::right});
  }
  return rows.empty() ? "" : "\n" + to_table(columns, rows, 2);
}

std::string differences_text(const std::vector<Difference>& differences, int indent) {
  std::vector<std::vector<std::string>> rows;
  for (const Difference& one : differences) {
    rows.push_back({plain(one.what), plain(one.a), plain(one.b)});
  }
  return rows.empty() ? "" : to_table({{"DIFFERS"}, {"A"}, {"B"}}, rows, indent);
}

std::string curve_text(const CompareAnswer& answer, const ComparePair& pair, std::size_t index,
                       int width) {
  const CurveComparison& curve = pair.comparison.curves[index];
  const ComparedCost& cost = pair.costs[index];
  const int telling = telling_point(curve, answer.floor);
  std::string words = time_words(curve, answer.floor, telling);
  words += " The knee (E >= " + efficiency_text(answer.floor) + ") of A is " +
           knee_words(curve.knee_a, curve.knee_range_a) + ", of B " +
           knee_words(curve.knee_b, curve.knee_range_b) + ".";
  std::string text = "\n" + wrap(plain(words), width, 0);
  const std::string money = price_words(answer, pair, cost, telling);
  if (!money.empty()) text += wrap(money, width, 0);
  text += curve_table(answer, pair, curve, cost);
  if (!curve.only_a.empty()) text += wrap("Only A has K=" + k_list(curve.only_a) + ".", width, 2);
  if (!curve.only_b.empty()) text += wrap("Only B has K=" + k_list(curve.only_b) + ".", width, 2);
  if (telling >= 0) {
    for (const ComparedPoint& at : curve.points) {
      if (at.ratio || at.why.empty()) continue;
      text +=
          wrap("K=" + std::to_string(at.k) + " is not compared: " + plain(at.why) + ".", width, 2);
    }
  }
  for (std::size_t i = telling < 0 ? 1 : 0; i < curve.obstacles.size(); ++i) {
    text += wrap("Besides, " + plain(curve.obstacles[i]) + ".", width, 2);
  }
  if (!curve.differences.empty()) text += "\n" + differences_text(curve.differences, 2);
  return text;
}

}  // namespace

int telling_point(const CurveComparison& curve, double floor) {
  int chosen = -1;
  for (std::size_t i = 0; i < curve.points.size(); ++i) {
    const ComparedPoint& at = curve.points[i];
    if (!at.ratio) continue;
    if (chosen < 0 || at.a.efficiency >= floor * (1 - 1e-12)) chosen = static_cast<int>(i);
  }
  return chosen;
}

std::string compare_text(const CompareAnswer& answer, int width) {
  std::string text;
  bool example = false;
  for (const ComparePair& pair : answer.pairs) {
    const CompareStudy& a = answer.studies[0];
    const CompareStudy& b = answer.studies[pair.other];
    if (!text.empty()) text += "\n";
    for (const auto& [side, study] : {std::pair{"A", &a}, std::pair{"B", &b}}) {
      text += std::string(side) + ": " + study->id;
      if (answer.priced) text += ", prices: " + plain(study->item.name) + " of " + study->book.path;
      text += "\n";
      example = example || study->book.example;
    }
    if (example) text += "These prices are EXAMPLES, not what anybody charges today.\n";
    for (const std::string& note : pair.comparison.notes) text += wrap(plain(note), width, 0);
    for (std::size_t i = 0; i < pair.comparison.curves.size(); ++i) {
      text += curve_text(answer, pair, i, width);
    }
    if (!pair.no_money.empty()) text += "\n" + wrap("Note: " + pair.no_money + ".", width, 0);
    if (!pair.comparison.not_compared.empty()) {
      text += "\nNot compared:\n";
      for (const std::string& one : pair.comparison.not_compared)
        text += wrap(plain(one), width, 2);
    }
    if (!pair.comparison.differences.empty()) {
      text += "\n" + differences_text(pair.comparison.differences, 0);
    }
  }
  return plain_lines(text);
}

}  // namespace kneepoint::cli
