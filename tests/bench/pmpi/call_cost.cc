// SPDX-License-Identifier: Apache-2.0
//
// What one MPI call costs at least: a cheap all-reduce of one rank with itself, many times. Prints
// the nanoseconds of a call in the quickest of many batches, which other load does not reach.
#include <mpi.h>

#include <algorithm>
#include <cstdio>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  constexpr int kBatches = 200, kCalls = 2000;
  double best = 1e9;
  for (int batch = 0; batch < kBatches; ++batch) {
    double mine = 1, sum = 0;
    const double from = MPI_Wtime();
    for (int i = 0; i < kCalls; ++i) {
      MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_SELF);
    }
    best = std::min(best, (MPI_Wtime() - from) / kCalls);
  }
  std::printf("call %.2f ns\n", best * 1e9);
  MPI_Finalize();
  return 0;
}
