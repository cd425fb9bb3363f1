// SPDX-License-Identifier: Apache-2.0
//
// The words and the table of `recommend`.
#include "orchestrator/answers/study/recommend.h"

#include <fmt/core.h>

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
  if (choice.chosen == nullptr) return fmt::format("{}: no answer; {}.", name, choice.why);
  const CostPoint& best = *choice.chosen;
  const std::string text = fmt::format(
      "{}: use K={}. One run takes {} {}; one {} costs {} {}. Asked for: {}.", name, best.k,
      seconds_text(best.seconds), seconds_bounds(best), plain(curve.result_name),
      rounded_text(best.per_result), amount_bounds(best.per_result_interval), choice.why);
  if (choice.runner_up == nullptr) return text;
  const int other = choice.runner_up->k;
  if (request.objective == Objective::efficiency) {
    return fmt::format("{} K={} has E={}.", text, other,
                       efficiency_text(choice.runner_up->efficiency));
  }
  const std::string margin = percent_text(choice.margin);
  if (choice.tie) {
    return fmt::format("{} It is a tie with K={}: the runs can't tell which is better ({} apart).",
                       text, other, margin);
  }
  const auto& bounds = choice.margin_interval;
  return fmt::format(
      "{} The runner-up, K={}, {}{} more{}.", text, other, margin_words(request.objective), margin,
      bounds ? fmt::format(" [{}, {}]", percent_text(bounds->low), percent_text(bounds->high))
             : "");
}

std::string next_words(const Recommendation& choice) {
  std::string text =
      fmt::format("Worth measuring next: K={}, since {}", *choice.next_k, choice.next_why);
  if (choice.next_cost) {
    text += fmt::format("; {} would cost about {}", counted(choice.next_runs, "run"),
                        rounded_text(*choice.next_cost));
  }
  return text + ".";
}

std::string points_table(const RecommendedCurve& curve) {
  const CostPoint* chosen = curve.choice.chosen;
  TextTable table = cost_table(curve, chosen == nullptr ? std::nullopt : std::optional(chosen->k));
  for (Column& column : table.columns) column.title = ascii_upper(column.title);
  return to_table(std::move(table), 2);
}

}  // namespace

std::string to_text(const RecommendAnswer& answer, int width) {
  std::string text = fmt::format("Study {}, {}\n", answer.study, priced_words(answer.prices));
  if (answer.prices.book.example) text += wrap(kExamplePrices, width, 0);
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
