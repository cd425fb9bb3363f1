// SPDX-License-Identifier: Apache-2.0
//
// Monte Carlo points by Philox4x32-10 (Salmon, Moraes, Dror and Shaw, 2011): the numbers depend on
// the seed and the pair's index alone, so the answer is the same however the pairs are split. And
// the table of this set's kernels.
#include "workloads/numerics/kernel_bodies.h"
#include "workloads/numerics/philox.h"

namespace kneepoint::workloads::KP_KERNEL_SET {

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
