// SPDX-License-Identifier: Apache-2.0
//
// The only file that calls OpenMP's library.
#include "workloads/numerics/threads.h"

#ifdef _OPENMP
#include <omp.h>
#endif

#include <cstdlib>

namespace kneepoint::workloads {

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
