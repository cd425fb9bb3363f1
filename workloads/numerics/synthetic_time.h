// SPDX-License-Identifier: Apache-2.0
//
// The time that `synthetic` takes: T(K) = s + (1-s)/K + c log2 K in strong mode, s + (1-s) +
// c log2 K in weak mode, in units of `seconds`. K is the number of workers, not of ranks.
#pragma once

#include <cstdint>

namespace kneepoint::workloads {

struct SyntheticTime {
  double compute = 0;
  double communication = 0;
};

SyntheticTime synthetic_time(double seconds, double s, double c, int workers, bool weak);

// The factor of one iteration: 1 + noise * a normal deviate, never below 0.1; a function of seed
// and iteration alone, so that all ranks agree.
double synthetic_noise(double noise, std::uint64_t seed, int iteration);

}  // namespace kneepoint::workloads
