// SPDX-License-Identifier: Apache-2.0
#include "workloads/nccl/linear_net.h"

#include <cstddef>

namespace kneepoint::workloads {
namespace {

using Vector = std::vector<double>;

// `weights` (width x width) times x, or its transpose times x.
Vector times(const float* weights, const Vector& x, bool transposed) {
  const std::size_t width = x.size();
  Vector y(width, 0.0);
  for (std::size_t column = 0; column < width; ++column) {
    for (std::size_t row = 0; row < width; ++row) {
      const double w = weights[column * width + row];
      if (transposed) {
        y[column] += w * x[row];
      } else {
        y[row] += w * x[column];
      }
    }
  }
  return y;
}

}  // namespace

std::vector<double> linear_gradient(NetShape shape, const std::vector<float>& weights,
                                    const std::vector<float>& input,
                                    const std::vector<float>& target, std::int64_t samples) {
  const auto width = static_cast<std::size_t>(shape.width);
  const auto layers = static_cast<std::size_t>(shape.layers);
  Vector gradient(static_cast<std::size_t>(shape.parameters()), 0.0);
  for (std::size_t sample = 0; sample < static_cast<std::size_t>(samples); ++sample) {
    const std::size_t first = sample * width;
    std::vector<Vector> states(1);
    for (std::size_t i = 0; i < width; ++i) states[0].push_back(input[first + i]);
    for (std::size_t layer = 0; layer < layers; ++layer) {
      states.push_back(times(weights.data() + layer * width * width, states.back(), false));
    }
    Vector delta = states.back();
    for (std::size_t i = 0; i < width; ++i) delta[i] -= target[first + i];
    for (std::size_t layer = layers; layer-- > 0;) {
      for (std::size_t column = 0; column < width; ++column) {
        for (std::size_t row = 0; row < width; ++row) {
          gradient[(layer * width + column) * width + row] += delta[row] * states[layer][column];
        }
      }
      delta = times(weights.data() + layer * width * width, delta, true);
    }
  }
  return gradient;
}

}  // namespace kneepoint::workloads
