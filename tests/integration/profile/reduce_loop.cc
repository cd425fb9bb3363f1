// SPDX-License-Identifier: Apache-2.0
//
// An all-reduce loop as a user would write it: no code of ours, its own timers around MPI.
#include "tests/integration/profile/own_timers.h"

int main(int argc, char** argv) {
  OwnTimers timers(&argc, &argv);
  const int steps = timers.argument(1, 200);
  std::vector<double> values(8192, 1.0 + timers.rank()), sums(8192);
  for (int step = 0; step < steps; ++step) {
    for (int sweep = 0; sweep < 80; ++sweep) {
      for (double& v : values) v = 0.5 * v + 1;
    }
    timers.time([&] {
      MPI_Allreduce(values.data(), sums.data(), 8192, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    });
  }
  return timers.finish(sums[0]);
}
