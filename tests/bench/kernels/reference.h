// SPDX-License-Identifier: Apache-2.0
//
// What a plain optimised loop achieves on this machine.
#pragma once

#include <cstdint>

namespace kneepoint::bench {

// a = b + scale * c: 24 bytes an element, as STREAM counts.
void triad(double* a, const double* b, const double* c, double scale, std::int64_t n);

// Textbook order i, p, j: the inner loop vectorises, nothing is blocked.
void plain_gemm(std::int64_t n, const float* a, const float* b, float* c);

}  // namespace kneepoint::bench
