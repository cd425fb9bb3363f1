// SPDX-License-Identifier: Apache-2.0
//
// A halo exchange as a user would write it: no code of ours, its own timers around every MPI call.
#include "tests/integration/profile/own_timers.h"

int main(int argc, char** argv) {
  OwnTimers timers(&argc, &argv);
  const int rank = timers.rank(), ranks = timers.ranks();
  const int cells = 200000, steps = timers.argument(1, 300);
  std::vector<double> now(cells + 2, rank), next(cells + 2, 0);
  const int left = rank > 0 ? rank - 1 : MPI_PROC_NULL;
  const int right = rank + 1 < ranks ? rank + 1 : MPI_PROC_NULL;
  for (int step = 0; step < steps; ++step) {
    MPI_Request requests[4];
    timers.time([&] {
      MPI_Irecv(&now[0], 1, MPI_DOUBLE, left, 0, MPI_COMM_WORLD, &requests[0]);
      MPI_Irecv(&now[cells + 1], 1, MPI_DOUBLE, right, 1, MPI_COMM_WORLD, &requests[1]);
      MPI_Isend(&now[1], 1, MPI_DOUBLE, left, 1, MPI_COMM_WORLD, &requests[2]);
      MPI_Isend(&now[cells], 1, MPI_DOUBLE, right, 0, MPI_COMM_WORLD, &requests[3]);
    });
    for (int i = 2; i < cells; ++i) next[i] = 0.25 * (now[i - 1] + 2 * now[i] + now[i + 1]);
    timers.time([&] { MPI_Waitall(4, requests, MPI_STATUSES_IGNORE); });
    next[1] = 0.25 * (now[0] + 2 * now[1] + now[2]);
    next[cells] = 0.25 * (now[cells - 1] + 2 * now[cells] + now[cells + 1]);
    std::swap(now, next);
  }
  return timers.finish(now[1]);
}
