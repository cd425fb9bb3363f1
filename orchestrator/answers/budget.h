// SPDX-License-Identifier: Apache-2.0
//
// Does a plan fit its budget, before anything has run? Pure. A plan is refused only when the
// workloads' models say that it can't fit; what has no model may turn out to be cheaper than its
// time limit, and the engine stops it at the budget if not.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "orchestrator/cost/billing.h"
#include "orchestrator/model/point.h"
#include "orchestrator/model/site.h"

namespace kneepoint {

struct BudgetAnswer {
  std::string sentence;               // "at most 40 node-hours and 200.00 USD"; "": no budget
  std::vector<std::string> refusals;  // why the study can't be run, and what would fit
  std::vector<std::string> warnings;  // it may stop at its budget
};

// `overrun`: how much longer than a run its allocation may be held, for which the engine holds
// money back.
BudgetAnswer fit_budget(const Study& study, const SiteLimits& site,
                        const std::optional<StudyPrice>& price, Nanoseconds overrun = 0);

// What a run at the point is billed for so long a time.
std::int64_t run_micros(const StudyPrice& price, const Point& point, double seconds);

}  // namespace kneepoint
