// SPDX-License-Identifier: Apache-2.0
//
// What a plain optimised loop achieves on this machine.
#pragma once

#include <cstdint>

#include "workloads/numerics/kernels.h"

namespace kneepoint::bench {

// a = b + scale * c: 24 bytes an element, as STREAM counts. a may be b or c.
void triad(double* a, const double* b, const double* c, double scale, std::int64_t n);

// The same work as the kernels of these names, written down without a thought for speed. The sweep
// is over n*n*n cells with a ghost layer.
void plain_jacobi_sweep(const double* in, double* out, std::int64_t n);
void plain_csr_multiply(const workloads::CsrView& matrix, const double* x, double* y);
double plain_dot(const double* a, const double* b, std::int64_t n);
void plain_gemv(const float* matrix, const float* x, float* y, std::int64_t rows,
                std::int64_t columns);

// Textbook order i, p, j: the inner loop vectorises, nothing is blocked.
void plain_gemm(std::int64_t n, const float* a, const float* b, float* c);

}  // namespace kneepoint::bench
