// SPDX-License-Identifier: Apache-2.0
//
// What runs need, as admission counts it. Pure.
#pragma once

#include <vector>

#include "orchestrator/engine/admission.h"
#include "orchestrator/engine/packing.h"
#include "orchestrator/engine/run_table.h"
#include "orchestrator/engine/spending.h"

namespace kneepoint {

// These runs as the steps of one new allocation, one after the other: the largest counts, and it is
// held for all of the time. A run of which nothing is known is taken at its time limit. The answer
// refers to `study` and `spending`.
Need need_of_all(const std::vector<int>& runs, RunTable& table, const Study& study,
                 const Capabilities& backend, const Spending& spending, bool packed);

// The first `count` of the waiting runs, for pack().
std::vector<PackItem> pack_items(RunTable& table, const Study& study, std::size_t count);

// What was spent, and what is held back for the allocations that are not over: all that their steps
// may still take.
Usage usage_of(RunTable& table, const Study& study, const Capabilities& backend,
               const Spending& spending, bool packed);

// The limit that the attempt was handed over with.
Nanoseconds limit_of(const AttemptRow& attempt, const Limits& limits);

}  // namespace kneepoint
