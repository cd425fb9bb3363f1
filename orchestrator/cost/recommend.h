// SPDX-License-Identifier: Apache-2.0
//
// Which K to use, by a stated objective: the answer, the runner-up and the margin, "tie" where the
// runs can't tell them apart, and the K worth measuring next. Of a curve without modelled points
// only K that were measured are recommended. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "orchestrator/base/result.h"
#include "orchestrator/cost/cost_curve.h"

namespace kneepoint {

enum class Objective { cost, time, deadline, budget, efficiency, energy_delay, value_of_hour };
const char* to_string(Objective objective);

struct RecommendRequest {
  Objective objective = Objective::cost;
  double deadline_seconds = 0;     // deadline: of one run
  std::int64_t budget_micros = 0;  // budget: for one result
  double floor = 0.7;              // efficiency
  std::int64_t value_of_hour = 0;  // value_of_hour: what an hour of waiting is worth
};

// What is given must be used, and what is used given; the error names it.
Result<void> check(const RecommendRequest& request, const PriceItem& item);

struct Recommendation {
  const CostPoint* chosen = nullptr;  // nullptr: `why` says why none
  const CostPoint* runner_up = nullptr;
  double margin = 0;  // the runner-up's score over the chosen's, less 1
  std::optional<Interval> margin_interval;
  bool tie = false;           // the interval of the margin holds 0
  std::string why;            // in words: what was asked, and why this one or none
  std::optional<int> next_k;  // worth measuring
  std::string next_why;
  std::optional<Money> next_cost;  // of `next_runs` runs there
  int next_runs = 5;

  static constexpr auto fields() {
    using T = Recommendation;
    constexpr auto k_of = [](const CostPoint* point) {
      return point == nullptr ? std::nullopt : std::optional(point->k);
    };
    return described(
        field("k", [k_of](const T& one) { return k_of(one.chosen); }), field("why", &T::why),
        field("runner_up", [k_of](const T& one) { return k_of(one.runner_up); }),
        field("margin", &T::margin), field("margin_interval", &T::margin_interval),
        field("tie", &T::tie), field("next_k", &T::next_k), field("next_runs", &T::next_runs),
        field("next_micros", [](const T& one) { return micros_of(one.next_cost); }));
  }
};

// `curve` outlives the answer.
Recommendation recommend(const CostCurve& curve, const PriceItem& item,
                         const RecommendRequest& request);

}  // namespace kneepoint
