// SPDX-License-Identifier: Apache-2.0
//
// The references, compiled for the machine at hand.
#include "tests/bench/kernels/reference.h"

namespace kneepoint::bench {

void triad(double* a, const double* b, const double* c, double scale, std::int64_t n) {
#pragma omp simd
  for (std::int64_t i = 0; i < n; ++i) a[i] = b[i] + scale * c[i];
}

void plain_jacobi_sweep(const double* __restrict in, double* __restrict out, std::int64_t n) {
  const std::int64_t row = n + 2, plane = row * row;
  for (std::int64_t z = 1; z <= n; ++z) {
    for (std::int64_t y = 1; y <= n; ++y) {
      const std::int64_t begin = z * plane + y * row + 1;
      for (std::int64_t i = begin; i < begin + n; ++i) {
        out[i] =
            (in[i - 1] + in[i + 1] + in[i - row] + in[i + row] + in[i - plane] + in[i + plane]) *
            (1.0 / 6.0);
      }
    }
  }
}

void plain_csr_multiply(const workloads::CsrView& matrix, const double* __restrict x,
                        double* __restrict y) {
  for (std::int64_t row = 0; row < matrix.rows; ++row) {
    double sum = 0;
    for (std::int32_t i = matrix.row_begin[row]; i < matrix.row_begin[row + 1]; ++i) {
      sum += matrix.values[i] * x[matrix.columns[i]];
    }
    y[row] = sum;
  }
}

double plain_dot(const double* a, const double* b, std::int64_t n) {
  double sum = 0;
#pragma omp simd reduction(+ : sum)
  for (std::int64_t i = 0; i < n; ++i) sum += a[i] * b[i];
  return sum;
}

void plain_gemv(const float* __restrict matrix, const float* __restrict x, float* __restrict y,
                std::int64_t rows, std::int64_t columns) {
  for (std::int64_t row = 0; row < rows; ++row) {
    const float* line = matrix + row * columns;
    float sum = 0;
#pragma omp simd reduction(+ : sum)
    for (std::int64_t i = 0; i < columns; ++i) sum += line[i] * x[i];
    y[row] = sum;
  }
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
