// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/cli/recommend_text.h"

#include "orchestrator/base/numbers.h"
#include "orchestrator/base/text.h"
#include "orchestrator/cli/curve_words.h"
#include "orchestrator/report/cost_section.h"
#include "orchestrator/report/table.h"
#include "orchestrator/report/text.h"

namespace kneepoint::cli {
namespace {

std::string seconds_bounds(const CostPoint& point) {
  const TimeUnit unit = time_unit(point.seconds);
  return bounds_text(point.seconds_interval, unit.per_second,
                     decimals_for(point.seconds * unit.per_second, 3));
}

// What `margin` is a share of.
std::string compared(Objective objective) {
  switch (objective) {
    case Objective::time:
    case Objective::budget:
      return "takes ";
    case Objective::energy_delay:
      return "has an energy-delay of ";
    default:
      return "costs ";
  }
}

std::string choice_words(const CostCurve& curve, const Recommendation& choice,
                         const RecommendRequest& request) {
  const std::string name = curve_name(curve.build, curve.case_name, curve.mode);
  if (choice.chosen == nullptr) return name + ": no answer; " + choice.why + ".";
  const CostPoint& best = *choice.chosen;
  std::string text = name + ": use K=" + std::to_string(best.k) + ". One run takes " +
                     seconds_text(best.seconds) + " " + seconds_bounds(best) + "; one " +
                     plain(curve.result_name) + " costs " + rounded_text(best.per_result) + " " +
                     amount_bounds(best.per_result_interval) + ". Asked for: " + choice.why + ".";
  if (choice.runner_up == nullptr) return text;
  const std::string other = "K=" + std::to_string(choice.runner_up->k);
  if (request.objective == Objective::efficiency) {
    return text + " " + other + " has E=" + efficiency_text(choice.runner_up->efficiency) + ".";
  }
  if (choice.tie) {
    return text + " It is a tie with " + other + ": the runs can't tell which is better (" +
           percent_text(choice.margin) + " apart).";
  }
  text += " The runner-up, " + other + ", " + compared(request.objective) +
          percent_text(choice.margin) + " more";
  if (choice.margin_interval) {
    text += " [" + percent_text(choice.margin_interval->low) + ", " +
            percent_text(choice.margin_interval->high) + "]";
  }
  return text + ".";
}

std::string next_words(const Recommendation& choice) {
  if (!choice.next_k) return "";
  std::string text =
      "Worth measuring next: K=" + std::to_string(*choice.next_k) + ", since " + choice.next_why;
  if (choice.next_cost) {
    text += "; " + counted(choice.next_runs, "run") + " would cost about " +
            rounded_text(*choice.next_cost);
  }
  return text + ".";
}

std::optional<int> k_of(const CostPoint* point) {
  return point == nullptr ? std::nullopt : std::optional(point->k);
}

std::string table_text(const CostCurve& curve, const Recommendation& choice) {
  const DetailTable table = cost_table(curve, k_of(choice.chosen));
  std::vector<Column> columns;
  for (const kneepoint::Column& column : table.columns) {
    std::string title = column.header;
    for (char& c : title) {
      if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
    }
    columns.push_back({title, column.right ? Align::right : Align::left});
  }
  return to_table(columns, table.rows, 2);
}

void put_curve(JsonWriter& json, const CostCurve& curve, const Recommendation& choice) {
  json.begin_object().put("build", curve.build).put("case", curve.case_name);
  json.put("shape", curve.shape_name).put("mode", curve.mode).put("held_fixed", curve.held_fixed);
  json.put("result", curve.result_name).put("k", k_of(choice.chosen)).put("why", choice.why);
  json.put("runner_up", k_of(choice.runner_up)).put("margin", choice.margin);
  json.put("margin_interval", choice.margin_interval).put("tie", choice.tie);
  json.put("next_k", choice.next_k).put("next_runs", choice.next_runs).key("next_micros");
  choice.next_cost ? json.value(choice.next_cost->micros) : json.null();
  put_cost_curve(json, curve);
  json.end_object();
}

}  // namespace

std::string recommend_text(const RecommendAnswer& answer, int width) {
  std::string text = "Study " + answer.study + ", prices: " + plain(answer.item.name);
  if (!answer.book.path.empty()) text += " of " + plain(answer.book.path);
  text += "\n";
  if (answer.book.example) {
    text += wrap("These prices are EXAMPLES, not what anybody charges today.", width, 0);
  }
  for (const Caveat& caveat : answer.caveats) text += wrap(plain(caveat.message), width, 0);
  for (std::size_t i = 0; i < answer.curves.size(); ++i) {
    const CostCurve& curve = answer.curves[i];
    const Recommendation& choice = answer.choices[i];
    text += "\n" + wrap(choice_words(curve, choice, answer.request), width, 0);
    if (const std::string next = next_words(choice); !next.empty()) {
      text += wrap(next, width, 0);
    }
    text += "\n" + table_text(curve, choice);
    if (!curve.held_fixed.empty()) {
      text += wrap("Held fixed: " + plain(curve.held_fixed) + ".", width, 2);
    }
    for (const std::string& note : curve.notes) text += wrap("Note: " + note + ".", width, 2);
  }
  return text;
}

std::string recommend_json(const RecommendAnswer& answer) {
  JsonWriter json(2);
  json.begin_object().put("schema", "kneepoint.recommend/1").put("study", answer.study);
  json.put("objective", answer.request.objective);
  put_prices(json, answer.book, answer.item);
  json.put("caveats", answer.caveats).key("curves").begin_array();
  for (std::size_t i = 0; i < answer.curves.size(); ++i) {
    put_curve(json, answer.curves[i], answer.choices[i]);
  }
  return json.end_array().end_object().text();
}

}  // namespace kneepoint::cli
