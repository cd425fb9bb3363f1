// SPDX-License-Identifier: Apache-2.0
//
// The words and the table of `recommend`.
#include "orchestrator/answers/study/recommend.h"

#include "orchestrator/base/numbers.h"
#include "orchestrator/base/text.h"
#include "orchestrator/report/cost_section.h"
#include "orchestrator/report/table.h"
#include "orchestrator/report/terminal/answers.h"
#include "orchestrator/report/text.h"

namespace kneepoint {
namespace {

std::string seconds_bounds(const CostPoint& point) {
  const TimeUnit unit = time_unit(point.seconds);
  return bounds_text(point.seconds_interval, unit.per_second,
                     decimals_for(point.seconds * unit.per_second, 3));
}

// What `margin` is a share of.
std::string margin_words(Objective objective) {
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

std::string choice_words(const RecommendedCurve& curve, const RecommendRequest& request) {
  const Recommendation& choice = curve.choice;
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
  text += " The runner-up, " + other + ", " + margin_words(request.objective) +
          percent_text(choice.margin) + " more";
  if (choice.margin_interval) {
    text += " [" + percent_text(choice.margin_interval->low) + ", " +
            percent_text(choice.margin_interval->high) + "]";
  }
  return text + ".";
}

std::string next_words(const Recommendation& choice) {
  std::string text =
      "Worth measuring next: K=" + std::to_string(*choice.next_k) + ", since " + choice.next_why;
  if (choice.next_cost) {
    text += "; " + counted(choice.next_runs, "run") + " would cost about " +
            rounded_text(*choice.next_cost);
  }
  return text + ".";
}

std::string points_table(const RecommendedCurve& curve) {
  const CostPoint* chosen = curve.choice.chosen;
  DetailTable table =
      cost_table(curve, chosen == nullptr ? std::nullopt : std::optional(chosen->k));
  for (Column& column : table.columns) column.title = ascii_upper(column.title);
  return to_table(table.columns, table.rows, 2);
}

}  // namespace

std::string to_text(const RecommendAnswer& answer, int width) {
  const auto& [book, item] = answer.prices;
  std::string text = "Study " + answer.study + ", prices: " + plain(item.name);
  if (!book.path.empty()) text += " of " + plain(book.path);
  text += "\n";
  if (book.example) text += wrap(kExamplePrices, width, 0);
  for (const Caveat& caveat : answer.caveats) text += wrap(plain(caveat.message), width, 0);
  for (const RecommendedCurve& curve : answer.curves) {
    text += "\n" + wrap(choice_words(curve, answer.request), width, 0);
    if (curve.choice.next_k) text += wrap(next_words(curve.choice), width, 0);
    text += "\n" + points_table(curve);
    if (!curve.held_fixed.empty()) {
      text += wrap("Held fixed: " + plain(curve.held_fixed) + ".", width, 2);
    }
    for (const std::string& note : curve.notes) text += wrap("Note: " + note + ".", width, 2);
  }
  return text;
}

}  // namespace kneepoint
