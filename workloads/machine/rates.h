// SPDX-License-Identifier: Apache-2.0
//
// The two rates that a roofline is made of, each the best of several tries within a time budget: a
// busy moment can only make a try slower.
#pragma once

#include <cstdint>

#include "orchestrator/base/clock.h"

namespace kneepoint::workloads {

// Which share of `threads` CPUs this process really had since it was made: much below 1, and other
// programs were in the way.
class Attention {
 public:
  Attention();
  double share(int threads) const;

 private:
  Nanoseconds wall_;
  double cpu_;
};

// Floating point operations per second of one core in single precision, by the gemm of the
// data_parallel workload.
double gemm_rate(Nanoseconds budget);

// False in a build without OpenMP: then every rate is that of one core.
bool can_use_threads();

// Bytes per second of a[i] = b[i] + s c[i] in doubles, 24 bytes an element, on `threads` threads
// that each first touch what they use; 0 when there is no memory for it.
double triad_rate(std::int64_t elements, int threads, Nanoseconds budget);

}  // namespace kneepoint::workloads
