// SPDX-License-Identifier: Apache-2.0
//
// Which gradients travel together. Pure. The gradient is one array, layer after layer; the backward
// pass makes its layers from the last to the first, and a bucket can leave when its lowest layer is
// made.
#pragma once

#include <cstddef>
#include <vector>

namespace kneepoint::workloads {

struct Bucket {
  std::size_t begin = 0;  // elements of the gradient
  std::size_t count = 0;
  int last_made = 0;  // the layer that completes it
};

// In the order in which they become ready. A bucket takes whole layers until it has `least`
// elements; every element is in exactly one bucket.
std::vector<Bucket> make_buckets(int layers, std::size_t layer_elements, std::size_t least);

}  // namespace kneepoint::workloads
