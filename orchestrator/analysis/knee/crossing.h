// SPDX-License-Identifier: Apache-2.0
//
// Where a smoothed normalised cost 1/E crosses a floor of E: what find_knee() and its bootstrap
// share.
#pragma once

#include <cstddef>
#include <vector>

namespace kneepoint {

// Equality cases are exact (Amdahl with 5% serial has E(6) = 0.8), so every comparison with the
// floor gives way by 1e-12 of it.
bool reaches(double efficiency, double floor);

struct Crossing {
  std::size_t first_under = 0;  // index of the first K under the floor; their number: none
  double k = 0;                 // by interpolation of the cost; infinity: none
};

// `cost` is not decreasing and has one value for each K, ascending.
Crossing find_crossing(const std::vector<int>& ks, const std::vector<double>& cost, double floor);

}  // namespace kneepoint
