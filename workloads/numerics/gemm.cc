// SPDX-License-Identifier: Apache-2.0
//
// Buffers for the gemm kernel.
#include "workloads/numerics/gemm.h"

#include <cstdlib>

#include "orchestrator/base/ensure.h"
#include "workloads/numerics/kernels.h"

namespace kneepoint::workloads {

void Gemm::Free::operator()(float* p) const {
  std::free(p);
}

Gemm::Gemm(const KernelSet& set) : set_(set), threads_(thread_count()) {
  const std::size_t bytes = static_cast<std::size_t>(set.gemm_workspace(threads_)) * sizeof(float);
  workspace_.reset(static_cast<float*>(std::aligned_alloc(64, (bytes + 63) / 64 * 64)));
  ENSURE(workspace_ != nullptr, "no memory for gemm's buffers");
}

void Gemm::multiply(Index m, Index n, Index k, MatrixView a, MatrixView b, float* c) {
  set_.gemm(m, n, k, a, b, c, n, false, workspace_.get(), threads_);
}

}  // namespace kneepoint::workloads
