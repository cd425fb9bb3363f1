// SPDX-License-Identifier: Apache-2.0
//
// What the NCCL programs need that no device is needed for, pure: sizes and rates of messages, the
// buckets that gradients travel in, a reference gradient, and how much communication is exposed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "orchestrator/base/clock.h"

namespace kneepoint::workloads {

// Sizes and rates of collectives as nccl-tests define them. `bytes` is always the size of the
// message: of the whole vector for an all-reduce, of what one rank sends for a reduce-scatter, of
// what one rank ends up with for an all-gather.
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

// The network of nccl_data_parallel by plain loops in double precision: the reference that the
// device's gradient is compared with. Layers are linear, since cuBLAS has no other functions and
// there is no device code. Matrices are column-major; a sample is a column.
struct NetShape {
  std::int64_t width = 0;
  int layers = 0;
  std::int64_t layer_parameters() const { return width * width; }
  std::int64_t parameters() const { return layers * layer_parameters(); }
};

// Of half the squared distance to the target, summed over the samples.
std::vector<double> linear_gradient(NetShape shape, const std::vector<float>& weights,
                                    const std::vector<float>& input,
                                    const std::vector<float>& target, std::int64_t samples);

// Which gradients travel together. The gradient is one array, layer after layer; the backward
// pass makes its layers from the last to the first, and a bucket can leave when its lowest layer is
// made.
struct Bucket {
  std::size_t begin = 0;  // elements of the gradient
  std::size_t count = 0;
  int last_made = 0;  // the layer that completes it
};

// In the order in which they become ready. A bucket takes whole layers until it has `least`
// elements; every element is in exactly one bucket.
std::vector<Bucket> make_buckets(int layers, std::size_t layer_elements, std::size_t least);

// How much communication is exposed: the time in which a device communicates and computes nothing.
// Spans of time in, seconds out. Spans may touch, overlap and come in any order.
struct Span {
  double begin = 0;  // s
  double end = 0;    // s, >= begin
};

// Seconds that lie in one span at least.
double covered(std::vector<Span> spans);

// Seconds of communication that no computing covers.
double exposed(const std::vector<Span>& communication, const std::vector<Span>& compute);

// What goes into a sample whose wall time is `total`. A device's clock is not the host's: where its
// account comes to more than the wall time, both parts are scaled down to fit.
struct Account {
  Nanoseconds compute = 0;
  Nanoseconds communication = 0;  // exposed
};
Account account(double compute_seconds, double exposed_seconds, Nanoseconds total);

}  // namespace kneepoint::workloads
