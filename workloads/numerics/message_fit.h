// SPDX-License-Identifier: Apache-2.0
//
// Latency and inverse bandwidth from measured message times: t = alpha + beta * bytes, least
// squares on the relative error, so that the small messages count as much as the large ones.
#pragma once

#include <cstdint>
#include <vector>

namespace kneepoint::workloads {

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

}  // namespace kneepoint::workloads
