// SPDX-License-Identifier: Apache-2.0
#include "workloads/nccl/buckets.h"

#include <algorithm>

namespace kneepoint::workloads {

std::vector<Bucket> make_buckets(int layers, std::size_t layer_elements, std::size_t least) {
  std::vector<Bucket> buckets;
  std::size_t count = 0;
  for (int layer = layers - 1; layer >= 0; --layer) {
    count += layer_elements;
    if (count < std::max<std::size_t>(least, 1) && layer > 0) continue;
    if (count > 0) {
      buckets.push_back({static_cast<std::size_t>(layer) * layer_elements, count, layer});
    }
    count = 0;
  }
  return buckets;
}

}  // namespace kneepoint::workloads
