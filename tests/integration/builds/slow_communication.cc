// SPDX-License-Identifier: Apache-2.0
//
// Linked into a workload it makes a slower build of the same source: every MPI_Waitall, which the
// workloads call to end an exchange, first spins for as many nanoseconds as the file beside the
// program, `<program>.spin`, says.
#include <mpi.h>

#include <filesystem>
#include <fstream>

#include "orchestrator/base/clock.h"

namespace {

kneepoint::Nanoseconds spin_of_this_build() {
  kneepoint::Nanoseconds spin = 0;
  std::ifstream(std::filesystem::read_symlink("/proc/self/exe").string() + ".spin") >> spin;
  return spin;
}

}  // namespace

extern "C" int MPI_Waitall(int count, MPI_Request requests[], MPI_Status statuses[]) {
  static const kneepoint::Nanoseconds spin = spin_of_this_build();
  const kneepoint::Clock& clock = kneepoint::system_clock();
  const kneepoint::Nanoseconds until = clock.steady() + spin;
  while (clock.steady() < until) {
  }
  return PMPI_Waitall(count, requests, statuses);
}
