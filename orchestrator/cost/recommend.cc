// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/cost/recommend.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <tuple>

#include "orchestrator/analysis/knee/knee.h"
#include "orchestrator/analysis/statistics/intervals.h"
#include "orchestrator/base/numbers.h"
#include "orchestrator/cost/cost_curve.h"

namespace kneepoint {
namespace {

// What a run of `seconds` is expected to last with the interruptions of its nodes.
double lasting(const PriceItem& item, const CostPoint& point, double seconds) {
  if (item.spot.interruptions_per_node_hour <= 0) return seconds;
  if (!(seconds <= kMostBilledSeconds)) return INFINITY;
  const auto time = expected_time(item.spot, point.use.nodes,
                                  static_cast<Nanoseconds>(seconds * static_cast<double>(kSecond)));
  return time ? to_seconds(*time) : INFINITY;
}

double upper_seconds(const PriceItem& item, const CostPoint& point) {
  return lasting(item, point,
                 point.seconds_interval ? point.seconds_interval->high : point.seconds);
}

double upper_cost(const CostPoint& point) {
  return point.per_result_interval ? point.per_result_interval->high
                                   : to_units(point.per_result.micros);
}

// May it be recommended at all?
bool feasible(const PriceItem& item, const CostPoint& point, const RecommendRequest& request) {
  if (request.objective == Objective::deadline) {
    return upper_seconds(item, point) <= request.deadline_seconds;
  }
  return request.objective != Objective::budget ||
         upper_cost(point) <= to_units(request.budget_micros);
}

// The smaller, the better.
double score(const PriceItem& item, const CostPoint& point, double seconds, double cost,
             const RecommendRequest& request) {
  const double lasts = lasting(item, point, seconds);
  switch (request.objective) {
    case Objective::cost:
    case Objective::deadline:
      return cost;
    case Objective::time:
    case Objective::budget:
      return lasts / point.results;
    case Objective::efficiency:
      return seconds;
    case Objective::energy_delay:
      return point.kwh_per_result * (seconds / point.seconds) * lasts / point.results;
    case Objective::value_of_hour:
      return cost + to_units(request.value_of_hour) * (lasts + point.queue_seconds.value_or(0)) /
                        3600 / point.results;
  }
  return cost;
}

double score(const PriceItem& item, const CostPoint& point, const RecommendRequest& request) {
  return score(item, point, point.seconds, to_units(point.per_result.micros), request);
}

std::string asked(const PriceItem& item, const RecommendRequest& request,
                  const std::string& currency) {
  const std::string spot = item.spot.interruptions_per_node_hour > 0
                               ? ", with the time that interruptions cost on average"
                               : "";
  switch (request.objective) {
    case Objective::cost:
      return "least cost of a result";
    case Objective::time:
      return "least time for a result" + spot;
    case Objective::deadline:
      return "least cost with T within " + number_text(request.deadline_seconds) +
             " s, by the upper end of its interval" + spot;
    case Objective::budget:
      return "least time with a result within " +
             to_string(Money{request.budget_micros, currency}) +
             ", by the upper end of its interval";
    case Objective::efficiency:
      return "the largest K whose efficiency is at least " + number_text(request.floor) +
             " by the lower end of its interval, as at every smaller K";
    case Objective::energy_delay:
      return "least energy times time of a result";
    case Objective::value_of_hour:
      return "least cost of a result with an hour of waiting worth " +
             to_string(Money{request.value_of_hour, currency});
  }
  return "";
}

std::string why_none(const CostCurve& curve, const PriceItem& item,
                     const RecommendRequest& request) {
  const bool modelled =
      std::ranges::any_of(curve.points, [](const CostPoint& point) { return point.modelled; });
  const std::string kinds = modelled ? "measured or modelled " : "measured ";
  const auto by = [&](auto value) {
    return std::ranges::min_element(
        curve.points, [&](const CostPoint& a, const CostPoint& b) { return value(a) < value(b); });
  };
  if (request.objective == Objective::deadline) {
    const auto upper = [&](const CostPoint& point) { return upper_seconds(item, point); };
    const auto best = by(upper);
    return "no " + kinds + "K is fast enough: the fastest, K=" + std::to_string(best->k) +
           ", takes up to " + number_text(upper(*best)) + " s";
  }
  if (request.objective == Objective::budget) {
    const auto best = by(upper_cost);
    return "no " + kinds + "K is cheap enough: the cheapest, K=" + std::to_string(best->k) +
           ", costs up to " + number_text(upper_cost(*best)) + " " + best->per_result.currency;
  }
  return "no " + kinds + "K reaches an efficiency of " + number_text(request.floor);
}

// As the report decides it: the K, or why there is none. Modelled points have intervals of their
// own, which count only where the measured ones have some too.
RecommendedK largest_efficient(const CostCurve& curve, double floor) {
  const bool intervals = std::ranges::any_of(curve.points, [](const CostPoint& point) {
    return !point.modelled && point.efficiency_interval.has_value();
  });
  std::vector<KneePoint> points;
  for (const CostPoint& point : curve.points) {
    points.push_back({point.k, 1 / point.efficiency,
                      intervals ? point.efficiency_interval : std::nullopt,
                      static_cast<double>(point.runs), point.baseline});
  }
  return recommend_k(points, find_knee(points, floor), KneeRule::efficiency, std::nullopt);
}

void compare(const CostCurve& curve, const PriceItem& item, const RecommendRequest& request,
             Recommendation& answer) {
  const std::ptrdiff_t best = answer.chosen - curve.points.data();
  const std::ptrdiff_t second = answer.runner_up - curve.points.data();
  answer.margin =
      score(item, *answer.runner_up, request) / score(item, *answer.chosen, request) - 1;
  if (!std::isfinite(answer.margin)) answer.margin = 0;  // both cost nothing
  if (answer.chosen->modelled || answer.runner_up->modelled) {
    // No draws in common: they tie where their intervals touch.
    const bool time =
        request.objective == Objective::time || request.objective == Objective::budget;
    const auto interval = time ? &CostPoint::seconds_interval : &CostPoint::per_result_interval;
    const auto &one = answer.chosen->*interval, &other = answer.runner_up->*interval;
    answer.tie = !one || !other || other->low <= one->high;
    return;
  }
  if (curve.cost_draws.empty()) return;
  std::vector<double> margins;
  for (std::size_t r = 0; r < curve.cost_draws[best].size(); ++r) {
    const auto drawn = [&](std::ptrdiff_t i) {
      return score(item, curve.points[i], curve.seconds_draws[i][r], curve.cost_draws[i][r],
                   request);
    };
    const double one = drawn(best), other = drawn(second);
    if (one > 0 && std::isfinite(other)) margins.push_back(other / one - 1);
  }
  if (margins.empty()) return;
  const Bounds bounds = percentile_bounds(std::move(margins), kLevel);
  answer.margin_interval = Interval{bounds.low, bounds.high, kLevel, "joint bootstrap"};
  answer.tie = bounds.low <= 0;
}

// The middle of the gap above the chosen K, or below it; beyond the largest K when that was chosen.
// What it would cost to measure is left open where it can't be billed.
void suggest(const CostCurve& curve, const PriceItem& item, Recommendation& answer) {
  const CostPoint& chosen = *answer.chosen;
  const auto set_cost = [&](const Bill& bill) {
    if (bill.total > std::numeric_limits<std::int64_t>::max() / answer.next_runs) return;
    answer.next_cost = Money{answer.next_runs * bill.total, chosen.per_result.currency};
  };
  if (chosen.modelled) {
    answer.next_k = chosen.k;
    answer.next_why = "it was modelled, not measured";
    return set_cost(chosen.bill);
  }
  // On the line through the two in log K and log T; without two, T as it is.
  const auto price_at = [&](int k, const CostPoint& low, const CostPoint& high) {
    const double share = low.k < high.k ? std::log(static_cast<double>(k) / low.k) /
                                              std::log(static_cast<double>(high.k) / low.k)
                                        : 0;
    const double seconds =
        std::exp((1 - share) * std::log(low.seconds) + share * std::log(high.seconds));
    if (const auto bill = bill_of(item, use_at(curve, k), seconds)) set_cost(*bill);
  };
  const auto try_between = [&](const CostPoint& low, const CostPoint& high) {
    const int k = static_cast<int>(std::lround(std::sqrt(static_cast<double>(low.k) * high.k)));
    if (k <= low.k || k >= high.k) return false;
    answer.next_k = k;
    answer.next_why = "no K between " + std::to_string(low.k) + " and " + std::to_string(high.k) +
                      " was measured";
    price_at(k, low, high);
    return true;
  };
  const bool is_first = &chosen == &curve.points.front(), is_last = &chosen == &curve.points.back();
  if (!is_last && try_between(chosen, *(&chosen + 1))) return;
  if (is_last) {
    answer.next_k = 2 * chosen.k;
    answer.next_why = "the answer is the largest K measured: the best may lie beyond it";
    price_at(*answer.next_k, is_first ? chosen : *(&chosen - 1), chosen);
  } else if (!is_first) {
    try_between(*(&chosen - 1), chosen);
  }
}

}  // namespace

const char* to_string(Objective objective) {
  return std::array{"cost",       "time",         "deadline",     "budget",
                    "efficiency", "energy_delay", "value_of_hour"}[static_cast<std::size_t>(
      objective)];
}

Result<void> check(const RecommendRequest& request, const PriceItem& item) {
  const EnergyPrice& energy = item.energy;
  if (request.objective == Objective::energy_delay &&
      energy.idle_watts_per_node + energy.busy_watts_per_worker <= 0) {
    return Error{ErrorCode::invalid, "energy_delay needs watts: item '" + item.name +
                                         "' has no energy.idle_watts_per_node or "
                                         "energy.busy_watts_per_worker"};
  }
  return {};
}

Recommendation recommend(const CostCurve& curve, const PriceItem& item,
                         const RecommendRequest& request) {
  Recommendation answer;
  if (curve.points.empty()) {
    answer.why = "no K has a valid run";
    return answer;
  }
  if (request.objective == Objective::efficiency) {
    const RecommendedK to_use = largest_efficient(curve, request.floor);
    if (!to_use.k) {
      answer.why = to_use.reason == KReason::one_k
                       ? "only K=" + std::to_string(curve.points.front().k) + " has a valid run"
                       : why_none(curve, item, request);
      return answer;
    }
    answer.chosen = &*std::ranges::find(curve.points, *to_use.k, &CostPoint::k);
    if (answer.chosen != &curve.points.back()) answer.runner_up = answer.chosen + 1;
  } else {
    // Of two that are equally good the faster one, then the cheaper one.
    const auto is_better = [&](const CostPoint& a, const CostPoint& b) {
      const auto rank = [&](const CostPoint& point) {
        return std::make_tuple(score(item, point, request), point.seconds / point.results,
                               point.per_result.micros);
      };
      return rank(a) < rank(b);
    };
    for (const CostPoint& point : curve.points) {
      if (!feasible(item, point, request)) continue;
      if (answer.chosen == nullptr || is_better(point, *answer.chosen)) {
        answer.runner_up = answer.chosen;
        answer.chosen = &point;
      } else if (answer.runner_up == nullptr || is_better(point, *answer.runner_up)) {
        answer.runner_up = &point;
      }
    }
    if (answer.chosen == nullptr) {
      answer.why = why_none(curve, item, request);
      return answer;
    }
    if (answer.runner_up != nullptr) compare(curve, item, request, answer);
  }
  answer.why = asked(item, request, answer.chosen->per_result.currency);
  suggest(curve, item, answer);
  return answer;
}

}  // namespace kneepoint
