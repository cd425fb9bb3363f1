// SPDX-License-Identifier: Apache-2.0
//
// How a study used its queue: one job for each run, or many runs as steps of one allocation; what
// that held fixed, and how long allocations waited. Waiting is never part of T. Read from what
// happened to the runs, not from what the site asked for.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "orchestrator/base/fields.h"
#include "orchestrator/model/evidence.h"

namespace kneepoint {

// Allocations that held a run at this K.
struct QueueWait {
  int k = 1;
  int nodes = 1;  // of the run, not of its allocation
  int runs = 0;
  int allocations = 0;                             // whose wait is known
  double median_seconds = 0, largest_seconds = 0;  // over these
  static constexpr auto fields() {
    using T = QueueWait;
    return described(one_line, KP_NAMED(k, nodes, runs, allocations),
                     field("median", &T::median_seconds), field("largest", &T::largest_seconds));
  }
};

struct QueueUse {
  bool packed = false;  // some allocation held several runs
  int runs = 0;         // that were handed over
  int allocations = 0;
  int most_runs = 0;  // in one allocation
  // Packed: inside every allocation the nodes of a smaller step are among those of a larger one,
  // and equal steps have the same. Unknown: not all steps have their nodes recorded.
  std::optional<bool> nested;
  int waits_known = 0;  // allocations
  double median_wait_seconds = 0, largest_wait_seconds = 0;
  std::vector<QueueWait> waits;  // by K, then nodes
};

// None: nothing was handed over, or the backend has no queue.
std::optional<QueueUse> queue_use(const StudyEvidence& evidence);

// The nodes that a run had, each once: as its queue says, else as the run itself reported.
std::vector<std::string> nodes_of(const RunEvidence& run);

// "one job per run (60 jobs)" or "packed: 60 runs as steps of 2 allocations, at most 30 in one".
std::string way_of(const QueueUse& queue);
// What this held fixed: "nested nodes inside 2 allocations", "each run got its own nodes".
std::string held_fixed_by(const QueueUse& queue);

}  // namespace kneepoint
