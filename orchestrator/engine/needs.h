// SPDX-License-Identifier: Apache-2.0
//
// What runs need, as admission counts it. Pure.
#pragma once

#include <vector>

#include "orchestrator/engine/admission.h"
#include "orchestrator/engine/run_table.h"
#include "orchestrator/engine/spending.h"

namespace kneepoint {

// These runs as the steps of one allocation, one after the other: the largest counts, and it is
// held for all of the time. A run of which nothing is known is taken at its time limit, so that no
// budget is passed by surprise. `allocation`: the one that they are steps of; "": a new one.
Need need_of_all(const std::vector<int>& runs, RunTable& table, const Study& study,
                 const Capabilities& backend, const Spending& spending,
                 const std::string& allocation = "");

// Of all allocations that are not over, on top of what was spent before.
Usage usage_of(RunTable& table, const Study& study, const Capabilities& backend,
               const Spending& spending);

}  // namespace kneepoint
