// SPDX-License-Identifier: Apache-2.0
//
// Memory-bound kernels in double precision: the stencil sweep, the sparse product, vector updates;
// Monte Carlo points; and the table of this set's kernels.
#include "workloads/numerics/counter_random.h"
#include "workloads/numerics/kernels.h"

namespace kneepoint::workloads::KP_KERNEL_SET {
namespace {

constexpr Index kCacheLine = 8;  // doubles

// Asks for the next line of the plane ahead and of the result: lines are short, and a processor
// that finds its streams by itself starts anew at each of them. May name addresses past the end.
inline void ask_for_next_line(const double* ahead, const double* result, Index line) {
  for (Index x = 0; x < line; x += kCacheLine) {
    __builtin_prefetch(ahead + line + x, 0);
    __builtin_prefetch(result + line + x, 1);
  }
}

}  // namespace

void jacobi_sweep(const double* in, double* out, Index nx, Index ny, Index nz) {
  const Index line = nx + 2;
  const Index plane = line * (ny + 2);
#pragma omp parallel for collapse(2) schedule(static)
  for (Index z = 1; z <= nz; ++z) {
    for (Index y = 1; y <= ny; ++y) {
      const double* __restrict c = in + z * plane + y * line;
      double* __restrict o = out + z * plane + y * line;
      ask_for_next_line(c + plane, o, line);
#pragma omp simd
      for (Index x = 1; x <= nx; ++x) {
        o[x] =
            ((c[x - 1] + c[x + 1]) + (c[x - line] + c[x + line]) + (c[x - plane] + c[x + plane])) *
            (1.0 / 6.0);
      }
    }
  }
}

void csr_multiply(const CsrView& matrix, const double* x, double* y) {
  const std::int32_t* __restrict begin = matrix.row_begin;
  const std::int32_t* __restrict columns = matrix.columns;
  const double* __restrict values = matrix.values;
#pragma omp parallel for schedule(static)
  for (Index row = 0; row < matrix.rows; ++row) {
    double sum = 0;
    for (std::int32_t at = begin[row]; at < begin[row + 1]; ++at) {
      sum += values[at] * x[columns[at]];
    }
    y[row] = sum;
  }
}

double dot(const double* a, const double* b, Index n) {
  double sum = 0;
#pragma omp parallel for simd schedule(static) reduction(+ : sum)
  for (Index i = 0; i < n; ++i) sum += a[i] * b[i];
  return sum;
}

void add_scaled(double scale, const double* x, double* y, Index n) {
#pragma omp parallel for simd schedule(static)
  for (Index i = 0; i < n; ++i) y[i] += scale * x[i];
}

void scale_and_add(double scale, const double* x, double* y, Index n) {
#pragma omp parallel for simd schedule(static)
  for (Index i = 0; i < n; ++i) y[i] = x[i] + scale * y[i];
}

// Monte Carlo points by Philox4x32-10 (Salmon, Moraes, Dror and Shaw, 2011): the numbers depend on
// the seed and the pair's index alone, so the answer is the same however the pairs are split.
std::int64_t circle_hits(std::uint64_t seed, std::uint64_t first, std::uint64_t pairs) {
  std::int64_t hits = 0;
  const std::int64_t count = static_cast<std::int64_t>(pairs);
#pragma omp parallel for simd schedule(static) reduction(+ : hits)
  for (std::int64_t i = 0; i < count; ++i) {
    const std::uint64_t index = first + static_cast<std::uint64_t>(i);
    const PhiloxWords w =
        philox({static_cast<std::uint32_t>(index), static_cast<std::uint32_t>(index >> 32), 0, 0},
               static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32));
    hits += in_circle(w.w0, w.w1) + in_circle(w.w2, w.w3);
  }
  return hits;
}

const KernelSet kSet = {KP_KERNEL_NAME, jacobi_sweep, csr_multiply,   dot,  add_scaled,
                        scale_and_add,  gemm,         gemm_workspace, gemv, circle_hits};

}  // namespace kneepoint::workloads::KP_KERNEL_SET
