// SPDX-License-Identifier: Apache-2.0
//
// What the kernel_*.cc files of one set offer each other. KP_KERNEL_SET is the set's namespace,
// KP_KERNEL_NAME its name and KP_VECTOR_BYTES the width of its registers; CMake defines them.
#pragma once

#include "workloads/numerics/kernels.h"

namespace kneepoint::workloads::KP_KERNEL_SET {

void jacobi_sweep(const double* in, double* out, Index nx, Index ny, Index nz);
void csr_multiply(const CsrView& matrix, const double* x, double* y);
double dot(const double* a, const double* b, Index n);
void add_scaled(double scale, const double* x, double* y, Index n);
void scale_and_add(double scale, const double* x, double* y, Index n);
void gemm(Index m, Index n, Index k, MatrixView a, MatrixView b, float* c, Index ldc,
          bool accumulate, float* workspace, int threads);
Index gemm_workspace(int threads);
void gemv(const float* matrix, const float* x, float* y, Index rows, Index columns);
std::int64_t circle_hits(std::uint64_t seed, std::uint64_t first, std::uint64_t pairs);

extern const KernelSet kSet;

}  // namespace kneepoint::workloads::KP_KERNEL_SET
