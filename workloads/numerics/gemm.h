// SPDX-License-Identifier: Apache-2.0
//
// Gemm: owns the packing buffers, so that a product in a timed loop allocates nothing. One per
// thread of control; the threads inside are OpenMP's.
#pragma once

#include <cstddef>
#include <memory>

#include "workloads/numerics/kernels.h"

namespace kneepoint::workloads {

// Row-major and untransposed; `transposed` reads the same bytes as the transpose.
inline MatrixView row_major(const float* data, Index columns) {
  return {data, columns, 1};
}
inline MatrixView transposed(const float* data, Index columns) {
  return {data, 1, columns};
}

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

}  // namespace kneepoint::workloads
