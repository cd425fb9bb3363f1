// SPDX-License-Identifier: Apache-2.0
//
// Which MPI calls a point spends its time in, from the profiles of its valid runs. Shares are of
// the time from MPI_Init to MPI_Finalize of all ranks together; each number is the median over
// runs.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "orchestrator/base/fields.h"
#include "orchestrator/model/evidence.h"

namespace kneepoint {

struct OperationShare {
  std::string name, kind;
  double calls = 0;         // of a rank, mean over ranks
  double bytes = 0;         // that a rank hands over to be sent, mean over ranks
  double share = 0;         // of the window
  double share_of_mpi = 0;  // of the time in MPI
  static constexpr auto fields() {
    using T = OperationShare;
    return described(one_line, field("name", &T::name), field("kind", &T::kind),
                     field("calls", &T::calls), field("bytes", &T::bytes),
                     field("share", &T::share), field("share_of_mpi", &T::share_of_mpi));
  }
};

struct MpiProfile {
  int runs = 0;       // with a profile
  double window = 0;  // MPI_Init to MPI_Finalize, the longest rank, in seconds
  double collective = 0, point_to_point = 0, wait = 0, one_sided = 0, other = 0;  // shares of it
  std::vector<OperationShare> operations;  // by share, largest first

  double communication() const { return collective + point_to_point + wait + one_sided; }
  static constexpr auto fields() {
    using T = MpiProfile;
    return described(field("runs", &T::runs), field("window", &T::window),
                     field("collective", &T::collective),
                     field("point_to_point", &T::point_to_point), field("wait", &T::wait),
                     field("one_sided", &T::one_sided), field("other", &T::other),
                     field("operations", &T::operations));
  }
};

// The longest rank's window of one run, in seconds; 0 when it has no profile.
double profile_window(const RunDetail& run);

// Nothing when no run has a profile.
std::optional<MpiProfile> profile_of(const std::vector<const RunDetail*>& runs);

}  // namespace kneepoint
