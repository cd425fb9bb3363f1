// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/engine/reserve.h"

#include <algorithm>

#include "orchestrator/base/ensure.h"

namespace kneepoint {
namespace {

Reserve cost_of(const BudgetClaim& claim, std::vector<Nanoseconds> limits) {
  Reserve cost;
  int nodes = 0;
  for (std::size_t i = 0; i < limits.size(); ++i) nodes = std::max(nodes, claim.steps[i].nodes);
  const Nanoseconds held = longest_hold(claim, limits);
  cost.node_seconds = to_seconds(held) * nodes;
  if (claim.bill) cost.micros = claim.bill(limits.size(), held);
  cost.limits = std::move(limits);
  return cost;
}

bool fits(const Reserve& cost, const Purse& purse) {
  return (!purse.node_seconds || cost.node_seconds <= *purse.node_seconds) &&
         (!purse.micros || cost.micros <= *purse.micros);
}

std::vector<Nanoseconds> limits_of(const BudgetClaim& claim, Nanoseconds StepTimes::*which,
                                   std::size_t steps) {
  std::vector<Nanoseconds> limits;
  for (std::size_t i = 0; i < steps; ++i) limits.push_back(claim.steps[i].*which);
  return limits;
}

}  // namespace

StepTimes step_times(int nodes, Nanoseconds expected, Nanoseconds limit, Nanoseconds cut) {
  StepTimes times{nodes, limit, limit, limit};
  if (expected > 0) {
    times.least = std::min(expected, limit);
    times.tight = expected > limit / kTightLimit ? limit : expected * kTightLimit;
  }
  if (cut > 0) {
    times.least = std::max(times.least, cut > limit / 2 ? limit : 2 * cut);
    times.tight = std::max(times.tight, times.least);
  }
  return times;
}

Nanoseconds longest_hold(const BudgetClaim& claim, const std::vector<Nanoseconds>& limits) {
  Nanoseconds held = claim.overrun;
  for (const Nanoseconds limit : limits) held += limit + claim.step_margin;
  return held;
}

Reserve least_of_first(const BudgetClaim& claim) {
  return cost_of(claim, limits_of(claim, &StepTimes::least, 1));
}

std::optional<Reserve> reserve(const BudgetClaim& claim, const Purse& purse) {
  ENSURE(!claim.steps.empty(), "an allocation has a step");
  const std::size_t all = claim.steps.size();
  Reserve whole = cost_of(claim, limits_of(claim, &StepTimes::limit, all));
  if (fits(whole, purse)) return whole;
  // The most steps whose tight limits fit: none of `too_many`, all of `enough`.
  std::optional<Reserve> tight;
  for (std::size_t enough = 0, too_many = all + 1; too_many - enough > 1;) {
    const std::size_t steps = enough == 0 && too_many == all + 1 ? all : (enough + too_many) / 2;
    Reserve cost = cost_of(claim, limits_of(claim, &StepTimes::tight, steps));
    const bool fit = fits(cost, purse);
    (fit ? enough : too_many) = steps;
    if (fit) tight = std::move(cost);
  }
  if (tight) return tight;
  Reserve best = least_of_first(claim);
  if (!fits(best, purse)) return std::nullopt;
  // The longest limit that is paid for, to the millisecond.
  Nanoseconds low = claim.steps.front().least, high = claim.steps.front().tight;
  while (high - low > kMillisecond) {
    const Nanoseconds middle = low + (high - low) / 2;
    Reserve longer = cost_of(claim, {middle});
    if (fits(longer, purse)) {
      best = std::move(longer);
      low = middle;
    } else {
      high = middle;
    }
  }
  return best;
}

}  // namespace kneepoint
