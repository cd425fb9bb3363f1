// SPDX-License-Identifier: Apache-2.0
//
// The formula behind `synthetic`, and its seeded noise.
#include "workloads/numerics/synthetic_time.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "orchestrator/base/random.h"

namespace kneepoint::workloads {

SyntheticTime synthetic_time(double seconds, double s, double c, int workers, bool weak) {
  const double k = workers;
  return {seconds * (s + (1 - s) / (weak ? 1 : k)), seconds * c * std::log2(k)};
}

double synthetic_noise(double noise, std::uint64_t seed, int iteration) {
  if (noise == 0) return 1;
  Random random(seed, "noise " + std::to_string(iteration));
  return std::max(0.1, 1 + noise * random.normal());
}

}  // namespace kneepoint::workloads
