// SPDX-License-Identifier: Apache-2.0
//
// The network of nccl_data_parallel by plain loops in double precision: the reference that the
// device's gradient is compared with. Layers are linear, since cuBLAS has no other functions and
// there is no device code. Matrices are column-major; a sample is a column.
#pragma once

#include <cstdint>
#include <vector>

namespace kneepoint::workloads {

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

}  // namespace kneepoint::workloads
