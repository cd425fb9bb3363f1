// SPDX-License-Identifier: Apache-2.0
//
// Which MPI calls a point spends its time in, from the profiles of its valid runs. Shares are of
// the time from MPI_Init to MPI_Finalize of all ranks together; each number is the median over
// runs.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "orchestrator/model/evidence.h"

namespace kneepoint {

struct OperationShare {
  std::string name, kind;
  double calls = 0;         // of a rank, mean over ranks
  double bytes = 0;         // that a rank hands over to be sent, mean over ranks
  double share = 0;         // of the window
  double share_of_mpi = 0;  // of the time in MPI
};

struct MpiProfile {
  int runs = 0;       // with a profile
  double window = 0;  // MPI_Init to MPI_Finalize, the longest rank, in seconds
  double collective = 0, point_to_point = 0, wait = 0, one_sided = 0, other = 0;  // shares of it
  std::vector<OperationShare> operations;  // by share, largest first

  double communication() const { return collective + point_to_point + wait + one_sided; }
};

// The longest rank's window of one run, in seconds; 0 when it has no profile.
double profile_window(const RunDetail& run);

// Nothing when no run has a profile.
std::optional<MpiProfile> profile_of(const std::vector<const RunDetail*>& runs);

}  // namespace kneepoint
