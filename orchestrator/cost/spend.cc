// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/cost/spend.h"

namespace kneepoint {

std::int64_t bill_of(const StudyPrice& price, const HeldAllocation& allocation) {
  const Use use{allocation.nodes, allocation.gpus, allocation.cores, allocation.workers};
  return bill_run(price.item, use, allocation.held_ns).total;
}

const StudyPrice& price_for(const HeldAllocation& allocation, const StudyPrice& present,
                            const std::vector<StudyPrice>& earlier) {
  const auto number = static_cast<std::size_t>(allocation.price);
  return allocation.price >= 1 && number <= earlier.size() ? earlier[number - 1] : present;
}

Money spend_of(const StudyEvidence& evidence, const StudyPrice& price,
               const std::vector<StudyPrice>& earlier) {
  Money sum{0, price.currency};
  for (const HeldAllocation& allocation : evidence.allocations) {
    sum.micros += bill_of(price_for(allocation, price, earlier), allocation);
  }
  return sum;
}

}  // namespace kneepoint
