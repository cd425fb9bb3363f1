// SPDX-License-Identifier: Apache-2.0
//
// The matrix product, and a multi-layer perceptron on it: equal widths, relu between the layers,
// none after the last, loss = half the squared distance to the target, SUMMED over the samples, so
// that shards of any size add up. Per layer the parameters are a width x width matrix, then a bias.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "workloads/numerics/kernels.h"

namespace kneepoint::workloads {

// Row-major and untransposed; `transposed` reads the same bytes as the transpose.
inline MatrixView row_major(const float* data, Index columns) {
  return {data, columns, 1};
}
inline MatrixView transposed(const float* data, Index columns) {
  return {data, 1, columns};
}

// Owns the packing buffers, so that a product in a timed loop allocates nothing. One per thread of
// control; the threads inside are OpenMP's.
class Gemm {
 public:
  explicit Gemm(const KernelSet& set = kernels());
  // C (m x n, row-major) = A (m x k) B (k x n).
  void multiply(Index m, Index n, Index k, MatrixView a, MatrixView b, float* c);

 private:
  struct Free {
    void operator()(float* p) const;
  };
  const KernelSet& set_;
  int threads_;
  std::unique_ptr<float, Free> workspace_;
};

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
