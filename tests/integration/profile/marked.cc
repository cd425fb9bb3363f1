// SPDX-License-Identifier: Apache-2.0
//
// An MPI program that marks its iterations; rank 1 has much more to do than rank 0.
#include <mpi.h>

#include <vector>

#include "agents/probe/kneepoint/probe.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  std::vector<double> values(20000, 1.0);
  for (int step = 0; step < 20; ++step) {
    kp_iteration_begin();
    for (int sweep = 0; sweep < (rank == 0 ? 1 : 200); ++sweep) {
      for (double& v : values) v = 0.5 * v + 1;
    }
    double sum = 0;
    MPI_Allreduce(&values[0], &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    kp_iteration_end();
  }
  kp_metric("answer", values[0], "");
  MPI_Finalize();
  return 0;
}
