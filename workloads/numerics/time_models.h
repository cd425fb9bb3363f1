// SPDX-License-Identifier: Apache-2.0
//
// Formulas of time: a message's latency and inverse bandwidth from measured times, and what
// `synthetic` takes.
#pragma once

#include <cstdint>
#include <vector>

namespace kneepoint::workloads {

// t = alpha + beta * bytes, least squares on the relative error, so that the small messages count
// as much as the large ones.
struct MessageTime {
  double bytes = 0;
  double seconds = 0;  // > 0
};

struct MessageFit {
  double alpha = 0;           // s
  double beta = 0;            // s per byte
  double relative_error = 0;  // root mean square of (fit - t) / t
};

// Both coefficients are kept at or above 0: where the best fit is negative, that term is left out.
MessageFit fit_messages(const std::vector<MessageTime>& times);

// Bus bandwidth of an all-reduce in GB/s: bytes / t * 2 (ranks - 1) / ranks.
double bus_bandwidth(double bytes, double seconds, int ranks);

// The sweep: `largest` and ever smaller by `factor` down to 8 bytes, ascending; whole doubles.
std::vector<std::int64_t> message_sizes(std::int64_t largest, std::int64_t factor);

// The time that `synthetic` takes: T(K) = s + (1-s)/K + c log2 K in strong mode, s + (1-s) +
// c log2 K in weak mode, in units of `seconds`. K is the number of workers, not of ranks.
struct SyntheticTime {
  double compute = 0;
  double communication = 0;
};

SyntheticTime synthetic_time(double seconds, double s, double c, int workers, bool weak);

// The factor of one iteration: 1 + noise * a normal deviate, never below 0.1; a function of seed
// and iteration alone, so that all ranks agree.
double synthetic_noise(double noise, std::uint64_t seed, int iteration);

}  // namespace kneepoint::workloads
