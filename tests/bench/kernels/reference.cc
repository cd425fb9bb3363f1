// SPDX-License-Identifier: Apache-2.0
//
// The references, compiled for the machine at hand.
#include "tests/bench/kernels/reference.h"

namespace kneepoint::bench {

void triad(double* __restrict a, const double* __restrict b, const double* __restrict c,
           double scale, std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i) a[i] = b[i] + scale * c[i];
}

void plain_gemm(std::int64_t n, const float* __restrict a, const float* __restrict b,
                float* __restrict c) {
  for (std::int64_t i = 0; i < n * n; ++i) c[i] = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    for (std::int64_t p = 0; p < n; ++p) {
      const float left = a[i * n + p];
      for (std::int64_t j = 0; j < n; ++j) c[i * n + j] += left * b[p * n + j];
    }
  }
}

}  // namespace kneepoint::bench
