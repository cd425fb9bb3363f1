// SPDX-License-Identifier: Apache-2.0
//
// What runs need, as admission counts it. Pure.
#pragma once

#include <vector>

#include "orchestrator/engine/admission.h"
#include "orchestrator/engine/run_table.h"

namespace kneepoint {

// These runs as the steps of one allocation, one after the other: the largest counts, and it is
// held for all of the time.
Need need_of_all(const std::vector<int>& runs, RunTable& table, const Study& study,
                 const Capabilities& backend);

// Of all allocations that are not over, on top of what was used before.
Usage usage_of(RunTable& table, const Study& study, const Capabilities& backend,
               double node_seconds);

}  // namespace kneepoint
