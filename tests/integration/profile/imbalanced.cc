// SPDX-License-Identifier: Apache-2.0
//
// Ranks with unequal work that meet at a barrier, and a message around the ring: no code of ours.
#include "tests/integration/profile/own_timers.h"

int main(int argc, char** argv) {
  OwnTimers timers(&argc, &argv);
  const int steps = timers.argument(1, 60);
  const int rank = timers.rank(), ranks = timers.ranks();
  std::vector<double> values(4096, 1.0), theirs(4096);
  for (int step = 0; step < steps; ++step) {
    for (int sweep = 0; sweep < 200 * (rank + 1); ++sweep) {
      for (double& v : values) v = 0.5 * v + 1;
    }
    timers.time([&] { MPI_Barrier(MPI_COMM_WORLD); });
    timers.time([&] {
      MPI_Sendrecv(values.data(), 4096, MPI_DOUBLE, (rank + 1) % ranks, 0, theirs.data(), 4096,
                   MPI_DOUBLE, (rank + ranks - 1) % ranks, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    });
  }
  return timers.finish(theirs[0]);
}
