// SPDX-License-Identifier: Apache-2.0
//
// A multi-layer perceptron of equal widths with its loss and gradient: relu between the layers,
// none after the last, loss = half the squared distance to the target, SUMMED over the samples, so
// that shards of any size add up. Per layer the parameters are a width x width matrix, then a bias.
#pragma once

#include <vector>

#include "workloads/numerics/gemm.h"

namespace kneepoint::workloads {

struct MlpShape {
  Index width = 0;
  int layers = 0;
  Index layer_parameters() const { return width * width + width; }
  Index parameters() const { return layers * layer_parameters(); }
};

class Mlp {
 public:
  Mlp(MlpShape shape, Index most_samples);

  std::vector<float>& parameters() { return parameters_; }

  // `input` and `target` are samples x width, row-major.
  double loss(const float* input, const float* target, Index samples);
  // Writes the gradient of the summed loss; returns nothing, the loss costs extra.
  void gradient(const float* input, const float* target, Index samples, float* gradient);

 private:
  void forward(const float* input, Index samples);

  MlpShape shape_;
  std::vector<float> parameters_;
  std::vector<std::vector<float>> outputs_;  // of each layer
  std::vector<float> delta_, next_delta_;
  Gemm gemm_;
};

// The same gradient by plain loops in double precision: the reference that the workload and the
// tests compare with.
std::vector<double> reference_gradient(MlpShape shape, const std::vector<float>& parameters,
                                       const float* input, const float* target, Index samples);

}  // namespace kneepoint::workloads
