// SPDX-License-Identifier: Apache-2.0
//
// First come, first served, within limits. A run that needs more than the whole machine (asked for
// by `oversubscribe: true`) waits until it has the machine to itself.
#include "orchestrator/engine/admission.h"

#include <algorithm>

#include "orchestrator/base/ensure.h"
#include "orchestrator/base/text.h"
#include "orchestrator/model/money.h"

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

namespace {

// The smaller of two ceilings, where 0 means "none".
template <typename T>
T smaller(T a, T b) {
  if (a == 0) return b;
  if (b == 0) return a;
  return std::min(a, b);
}

std::string hours(double node_seconds) {
  return format_number("%.4g", node_seconds / 3600);
}

// What is left.
Purse purse_of(const Usage& usage, const Ceilings& ceilings) {
  Purse purse;
  if (ceilings.node_seconds > 0) purse.node_seconds = ceilings.node_seconds - usage.node_seconds;
  if (ceilings.micros > 0) purse.micros = ceilings.micros - usage.micros;
  return purse;
}

std::string past_budget(const BudgetClaim& claim, const Usage& usage, const Ceilings& ceilings) {
  const Reserve least = least_of_first(claim);
  const std::string spent = usage.runs > 0 ? " spent or held back" : " spent";
  const bool hours_end =
      ceilings.node_seconds > 0 && least.node_seconds > ceilings.node_seconds - usage.node_seconds;
  if (hours_end) {
    return "the budget of " + hours(ceilings.node_seconds) +
           " node-hours: " + hours(usage.node_seconds) + " are" + spent +
           ", the next run is estimated at " + hours(least.node_seconds);
  }
  return "the budget of " + to_string(Money{ceilings.micros, ceilings.currency}) + ": " +
         micros_text(usage.micros) + " is" + spent + ", the next run is estimated at " +
         micros_text(least.micros);
}

std::string in_use(int used, int limit) {
  return std::to_string(used) + " of " + std::to_string(limit) + " in use";
}

}  // namespace

Admission admit(const std::vector<Need>& waiting, const Usage& usage, const Ceilings& ceilings) {
  Admission answer;
  Usage now = usage;
  for (const Need& need : waiting) {
    if (now.runs >= ceilings.concurrent) {
      answer.waiting = "for a free place: " + in_use(now.runs, ceilings.concurrent);
      break;
    }
    std::optional<Reserve> held = Reserve{};
    if (!need.claim.steps.empty()) {
      held = reserve(need.claim, purse_of(now, ceilings));
      if (!held) {
        answer.waiting = past_budget(need.claim, now, ceilings);
        answer.over_budget = true;
        break;
      }
    }
    if (ceilings.nodes > 0 && now.runs > 0 && now.nodes + need.nodes > ceilings.nodes) {
      answer.waiting = "for free nodes: " + in_use(now.nodes, ceilings.nodes);
      break;
    }
    if (ceilings.cpus > 0 && need.cpus > 0 && now.cpus > 0 &&
        now.cpus + need.cpus > ceilings.cpus) {
      answer.waiting = "for a free core: " + in_use(now.cpus, ceilings.cpus);
      break;
    }
    ++now.runs;
    now.nodes += need.nodes;
    now.cpus += need.cpus;
    now.node_seconds += held->node_seconds;
    now.micros += held->micros;
    answer.reserves.push_back(std::move(*held));
    ++answer.count;
    // The steps behind those that the budget pays for wait for the next look.
    if (answer.reserves.back().limits.size() < need.claim.steps.size()) break;
  }
  return answer;
}

Ceilings ceilings_of(const Limits& plan, const SiteLimits& site, const Capabilities& backend,
                     int asked) {
  Ceilings c;
  const int wish = asked > 0             ? asked
                   : plan.concurrent > 0 ? plan.concurrent
                                         : backend.default_concurrent;
  c.concurrent = std::max(1, smaller(wish, site.concurrent));
  c.nodes = smaller(smaller(plan.nodes, site.nodes), backend.nodes);
  c.cpus = backend.shares_cores ? backend.cores_per_node : 0;
  c.node_seconds = smaller(plan.node_hours, site.node_hours) * 3600;
  c.micros = plan.amount_micros;
  c.currency = plan.currency;
  return c;
}

bool is_oversubscribed(const Point& point, const Capabilities& backend) {
  const int per_node = point.shape.ranks_per_node * point.shape.threads_per_rank;
  if (backend.cores_asked > 0 && !point.emulated && per_node > backend.cores_asked) return true;
  return backend.shares_cores && !point.emulated && backend.cores_per_node > 0 &&
         point.shape.cpus() > backend.cores_per_node;
}

Need need_of(const Point& point, const Capabilities& backend) {
  Need need;
  need.nodes = point.shape.nodes;
  if (backend.shares_cores && !point.emulated) {
    need.cpus = std::min(point.shape.cpus(), std::max(1, backend.cores_per_node));
  }
  return need;
}

}  // namespace kneepoint
