// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/cost/spend.h"

namespace kneepoint {

std::int64_t bill_of(const StudyPrice& price, const HeldAllocation& allocation) {
  const Use use{allocation.nodes, allocation.gpus, allocation.cores, allocation.workers};
  return bill_run(price.item, use, allocation.held_ns).total;
}

Money spend_of(const StudyEvidence& evidence, const StudyPrice& price) {
  Money sum{0, price.currency};
  for (const HeldAllocation& allocation : evidence.allocations) {
    sum.micros += bill_of(price, allocation);
  }
  return sum;
}

}  // namespace kneepoint
