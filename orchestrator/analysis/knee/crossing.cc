// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/analysis/knee/crossing.h"

#include <limits>

#include "orchestrator/base/ensure.h"

namespace kneepoint {

bool reaches(double efficiency, double floor) {
  return efficiency >= floor * (1 - 1e-12);
}

Crossing find_crossing(const std::vector<int>& ks, const std::vector<double>& cost, double floor) {
  ENSURE(ks.size() == cost.size() && !ks.empty(), "one cost for each K");
  Crossing crossing;
  std::size_t& i = crossing.first_under;
  while (i < cost.size() && reaches(1 / cost[i], floor)) ++i;
  if (i == cost.size()) {
    crossing.k = std::numeric_limits<double>::infinity();
  } else if (i == 0) {
    crossing.k = ks.front();
  } else {
    const double before = ks[i - 1], after = ks[i];
    crossing.k = before + (1 / floor - cost[i - 1]) / (cost[i] - cost[i - 1]) * (after - before);
    if (crossing.k < before) crossing.k = before;  // equality within the tolerance
  }
  return crossing;
}

}  // namespace kneepoint
