// SPDX-License-Identifier: Apache-2.0
//
// The inner loops of the workloads, compiled once per instruction set and chosen at start by what
// the processor can do (docs/decisions/0004-kernel-vectorisation.md). Plain pointers only: a
// kernel_*.cc file must not use the standard library, or code for a newer processor could replace
// the common copy of an inline function. Threads by OpenMP; x is the fastest index everywhere.
#pragma once

#include <cstdint>

namespace kneepoint::workloads {

using Index = std::int64_t;

// A compressed sparse row matrix that somebody else owns.
struct CsrView {
  Index rows = 0;
  const std::int32_t* row_begin = nullptr;  // rows + 1 entries
  const std::int32_t* columns = nullptr;
  const double* values = nullptr;
};

// Element (i, j) lies at data[i * row_stride + j * column_stride]: a transpose is a swap of
// strides.
struct MatrixView {
  const float* data = nullptr;
  Index row_stride = 0;
  Index column_stride = 1;
};

struct KernelSet {
  const char* name;

  // One sweep over the nx*ny*nz inner cells of arrays with a ghost layer on every side: out = mean
  // of in's six neighbours.
  void (*jacobi_sweep)(const double* in, double* out, Index nx, Index ny, Index nz);

  void (*csr_multiply)(const CsrView& matrix, const double* x, double* y);  // y = A x
  double (*dot)(const double* a, const double* b, Index n);
  void (*add_scaled)(double scale, const double* x, double* y, Index n);     // y += scale x
  void (*scale_and_add)(double scale, const double* x, double* y, Index n);  // y = x + scale y

  // C (m x n, rows of ldc) = A (m x k) B (k x n), plus C if `accumulate`. `workspace` holds
  // gemm_workspace(threads) floats, aligned to 64 bytes.
  void (*gemm)(Index m, Index n, Index k, MatrixView a, MatrixView b, float* c, Index ldc,
               bool accumulate, float* workspace, int threads);
  Index (*gemm_workspace)(int threads);
  void (*gemv)(const float* matrix, const float* x, float* y, Index rows, Index columns);

  // Points inside the quarter circle among the Philox pairs [first, first + pairs): two points
  // each.
  std::int64_t (*circle_hits)(std::uint64_t seed, std::uint64_t first, std::uint64_t pairs);
};

// The best set for this processor; the environment's KNEEPOINT_KERNELS names another one (for
// tests and comparisons). Chosen once.
const KernelSet& kernels();

// Every set of this build that this processor can run, plainest first.
int kernel_set_count();
const KernelSet& kernel_set(int index);

// Threads inside a rank. OMP_NUM_THREADS decides; without it a rank has one thread, because a rank
// that takes every core it can see would fight with its neighbours.
void limit_threads_by_environment();  // call once, before the first kernel
int thread_count();                   // of the next parallel region; 1 without OpenMP

}  // namespace kneepoint::workloads

// What the kernel_*.cc files of one set offer each other. KP_KERNEL_SET is the set's namespace,
// KP_KERNEL_NAME its name and KP_VECTOR_BYTES the width of its registers; CMake defines them.
#ifdef KP_KERNEL_SET
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
#endif
