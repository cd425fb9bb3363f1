// SPDX-License-Identifier: Apache-2.0
//
// Packing: which of the waiting runs share an allocation. Pure. Runs keep their order, so that what
// interleaving spreads over time stays spread; a step never has less time than its own limit, so
// that no run is cut short by the ones before it.
#pragma once

#include <vector>

#include "orchestrator/base/clock.h"
#include "orchestrator/model/plan.h"
#include "orchestrator/model/site.h"

namespace kneepoint {

struct PackItem {
  int nodes = 1;
  Nanoseconds limit = 0;   // of the run
  bool with_next = false;  // the two builds of a pair: no allocation ends between them
};

// What an allocation needs for one step besides the run's limit: starting it and ending it.
constexpr Nanoseconds kStepMargin = 15 * kSecond;

// The batches, as indices into `waiting`. `places` is how many allocations may start now: the runs
// are spread over them evenly. A run of more than `most_nodes` nodes (0: not known) would have the
// whole allocation refused and goes alone. With one_per_run every run does.
std::vector<std::vector<int>> pack(const std::vector<PackItem>& waiting, const Packing& packing,
                                   int places, int most_nodes);

// The longest that an allocation may take: what the engine ends it after.
Nanoseconds longest_allocation(const Packing& packing, Nanoseconds timeout);

// How many allocations at once are wished for, for ceilings_of(): `asked` is the flag, 0: none.
int wished_concurrent(const Packing& packing, const Limits& plan, int asked);

}  // namespace kneepoint
