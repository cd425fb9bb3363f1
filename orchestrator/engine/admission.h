// SPDX-License-Identifier: Apache-2.0
//
// Admission: which of the waiting runs may start now. Pure. Runs start in the order given and never
// overtake one another, so that the interleaving that protects against drift survives the limits.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "orchestrator/backend/launcher.h"
#include "orchestrator/base/clock.h"
#include "orchestrator/model/plan.h"
#include "orchestrator/model/site.h"

namespace kneepoint {

// Reserve: what a budget must hold back for an allocation before it starts, so that spending can
// never pass it: the limits of its steps and what the backend may hold it beyond them. Where the
// whole time limits don't fit, steps get shorter ones that do. Pure.

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

// What one allocation takes while it is there.
struct Need {
  int nodes = 1;
  int cpus = 0;       // slots of the shared machine; 0 for runs that only sleep
  BudgetClaim claim;  // on the budget; without steps: none
};

struct Ceilings {
  int concurrent = 1;
  int nodes = 0;            // 0: none
  int cpus = 0;             // 0: not counted (nodes are the backend's business)
  double node_seconds = 0;  // budget; 0: none
  std::int64_t micros = 0;  // budget of money in `currency`; 0: none
  std::string currency;

  bool has_budget() const { return node_seconds > 0 || micros > 0; }
};

struct Usage {
  int runs = 0;
  int nodes = 0;
  int cpus = 0;
  double node_seconds = 0;  // spent, plus what is held back for the active ones
  std::int64_t micros = 0;
};

struct Admission {
  int count = 0;                  // the first `count` of the waiting may start
  std::vector<Reserve> reserves;  // of each of them
  std::string waiting;            // why the next one may not: "for a free core: 2 of 2 in use"
  bool over_budget = false;       // the next one could pass the budget
};

Admission admit(const std::vector<Need>& waiting, const Usage& usage, const Ceilings& ceilings);

// The smaller of plan and site wins; `asked` (a flag) comes before the plan's wish, never above the
// site's ceiling.
Ceilings ceilings_of(const Limits& plan, const SiteLimits& site, const Capabilities& backend,
                     int asked);

// More ranks × threads than the machine has cores, or than the site asks for, and they really
// compute.
bool is_oversubscribed(const Point& point, const Capabilities& backend);

Need need_of(const Point& point, const Capabilities& backend);

}  // namespace kneepoint
