// SPDX-License-Identifier: Apache-2.0
//
// From the studies of a series to what the gate looks at: one night per study, points by their key,
// the segment since the environment last changed. A build may change from night to night; node
// type, MPI and kernels may not. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "orchestrator/analysis/gate.h"
#include "orchestrator/model/evidence.h"

namespace kneepoint {

struct NightParts {  // of the median T, seconds; all 0: the workload doesn't say
  double compute = 0, communication = 0, rest = 0;
};

struct GateHistory {
  std::vector<std::string> nights;             // ids of studies, tonight last
  std::vector<std::string> builds;             // beside them: hashes of programs; "": not recorded
  std::vector<GateSeries> series;              // points of tonight
  std::vector<std::vector<NightParts>> parts;  // by series and night
  std::string changed;        // what of the environment differs from the night before; "": nothing
  int other_environment = 0;  // earlier nights left out for it
  std::vector<std::string> failed;  // points of tonight with a failed run
};

// `studies` oldest first, tonight last and not empty.
GateHistory make_history(const std::vector<StudyEvidence>& studies);

// The environment alone: provenance without the program.
std::string environment_of(const StudyEvidence& study);

// Which part of T grew most since the nights before: "communication", "compute", "imbalance and
// waiting", with the share of the growth; none: it did not grow, or nobody knows.
struct MovedTerm {
  std::string name;
  double share = 0;
};
std::optional<MovedTerm> moved_term(const GateHistory& history, const GateFinding& finding);

// The last change of the level, which tonight's belongs to; none: no change is dated.
struct DatedChange {
  std::size_t night = 0;  // first of the new level
  double ratio = 1;       // of the new level to the one before
};
std::optional<DatedChange> last_change(const GateHistory& history, const GateFinding& finding);

}  // namespace kneepoint
