// SPDX-License-Identifier: Apache-2.0
//
// Admission: which of the waiting runs may start now. Pure. Runs start in the order given and never
// overtake one another, so that the interleaving that protects against drift survives the limits.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "orchestrator/backend/launcher.h"
#include "orchestrator/engine/reserve.h"
#include "orchestrator/model/plan.h"
#include "orchestrator/model/site.h"

namespace kneepoint {

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
