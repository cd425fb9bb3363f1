// SPDX-License-Identifier: Apache-2.0
//
// Reserve: what a budget must hold back for an allocation before it starts, so that spending can
// never pass it: the limits of its steps and what the backend may hold it beyond them. Where the
// whole time limits don't fit, steps get shorter ones that do. Pure.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "orchestrator/base/clock.h"

namespace kneepoint {

// A step that is known to take `expected` gets at least three times that where a budget is tight.
constexpr int kTightLimit = 3;

struct StepTimes {
  int nodes = 1;
  Nanoseconds least = 0;  // what it is expected to take: with less it does not start
  Nanoseconds tight = 0;  // what it gets where the budget is too small for the limits of all
  Nanoseconds limit = 0;  // of the plan
};

// `expected`: 0 if nothing is known, and then it takes its limit. `cut`: the limit at which the
// budget cut it before, 0 if it did not; with less than twice that it would only be cut again.
StepTimes step_times(int nodes, Nanoseconds expected, Nanoseconds limit, Nanoseconds cut);

// Steps that would share an allocation, in their order.
struct BudgetClaim {
  std::vector<StepTimes> steps;
  Nanoseconds overrun = 0;      // of the allocation beyond the limits of its steps
  Nanoseconds step_margin = 0;  // for starting and ending one of several steps
  // What the first `steps` of them are billed if the allocation is held so long; empty: no price.
  std::function<std::int64_t(std::size_t steps, Nanoseconds held)> bill;
};

// What is left of a budget; without a value there is no such budget.
struct Purse {
  std::optional<double> node_seconds;
  std::optional<std::int64_t> micros;
};

struct Reserve {
  std::vector<Nanoseconds> limits;  // of the first so many steps; the others wait
  double node_seconds = 0;
  std::int64_t micros = 0;
};

// How long the allocation may be held if its first steps have these limits.
Nanoseconds longest_hold(const BudgetClaim& claim, const std::vector<Nanoseconds>& limits);

// The whole limits if they fit; else the tight ones; else those of as many steps as fit; else all
// that is left for the first. None: not even what the first is expected to take is there.
std::optional<Reserve> reserve(const BudgetClaim& claim, const Purse& purse);

// What the first step needs at the least.
Reserve least_of_first(const BudgetClaim& claim);

}  // namespace kneepoint
