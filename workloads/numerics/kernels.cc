// SPDX-License-Identifier: Apache-2.0
//
// Which kernel sets this build has, and which of them this processor can run.
#include "workloads/numerics/kernels.h"

#ifdef _OPENMP
#include <omp.h>
#endif

#include <cstdlib>
#include <cstring>
#include <vector>

namespace kneepoint::workloads {

namespace kernels_plain {
extern const KernelSet kSet;
}
#ifdef KP_KERNELS_X86
namespace kernels_v3 {
extern const KernelSet kSet;
}
namespace kernels_v4 {
extern const KernelSet kSet;
}
#endif

namespace {

std::vector<const KernelSet*> usable_sets() {
  std::vector<const KernelSet*> sets = {&kernels_plain::kSet};
#ifdef KP_KERNELS_X86
  __builtin_cpu_init();
  const bool v3 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                  __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
  const bool v4 = v3 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                  __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
                  __builtin_cpu_supports("avx512vl");
  if (v3) sets.push_back(&kernels_v3::kSet);
  if (v4) sets.push_back(&kernels_v4::kSet);
#endif
  return sets;
}

const std::vector<const KernelSet*>& sets() {
  static const std::vector<const KernelSet*> all = usable_sets();
  return all;
}

const KernelSet& choose() {
  if (const char* wanted = std::getenv("KNEEPOINT_KERNELS")) {
    for (const KernelSet* set : sets()) {
      if (std::strcmp(set->name, wanted) == 0) return *set;
    }
  }
  return *sets().back();
}

}  // namespace

const KernelSet& kernels() {
  static const KernelSet& chosen = choose();
  return chosen;
}

int kernel_set_count() {
  return static_cast<int>(sets().size());
}

const KernelSet& kernel_set(int index) {
  return *sets().at(static_cast<std::size_t>(index));
}

// The only file that calls OpenMP's library.

void limit_threads_by_environment() {
#ifdef _OPENMP
  if (std::getenv("OMP_NUM_THREADS") == nullptr) omp_set_num_threads(1);
#endif
}

int thread_count() {
#ifdef _OPENMP
  return omp_get_max_threads();
#else
  return 1;
#endif
}

}  // namespace kneepoint::workloads
