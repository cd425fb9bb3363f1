// SPDX-License-Identifier: Apache-2.0
//
// Sizes and rates of collectives as nccl-tests define them. Pure. `bytes` is always the size of the
// message: of the whole vector for an all-reduce, of what one rank sends for a reduce-scatter, of
// what one rank ends up with for an all-gather.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace kneepoint::workloads {

enum class Collective { all_reduce, reduce_scatter, all_gather };

// In the order of the enum: the words of the parameter `collective`.
const std::vector<std::string>& collective_words();
Collective parse_collective(const std::string& word);  // one of those words

// bytes / seconds, in GB/s (1e9 bytes).
double algorithm_bandwidth(double bytes, double seconds);

// What the busiest link carries per byte of the message: 2(n-1)/n, (n-1)/n, (n-1)/n.
double bus_factor(Collective collective, int ranks);

// The algorithm bandwidth times that factor; 0 on one rank.
double bus_bandwidth(Collective collective, double bytes, double seconds, int ranks);

// `largest` and ever smaller by `factor`, ascending, each a whole number of floats for every rank
// that the collective cuts it for.
std::vector<std::int64_t> message_sweep(Collective collective, std::int64_t largest,
                                        std::int64_t factor, int ranks);

}  // namespace kneepoint::workloads
