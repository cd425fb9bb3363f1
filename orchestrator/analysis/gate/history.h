// SPDX-License-Identifier: Apache-2.0
//
// From the nights of a segment to what the gate looks at: points by their key, one value a night;
// the build may change from night to night. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "orchestrator/analysis/gate/gate.h"
#include "orchestrator/analysis/gate/segment.h"
#include "orchestrator/base/fields.h"
#include "orchestrator/model/baseline.h"
#include "orchestrator/model/evidence.h"

namespace kneepoint {

struct NightParts {  // of the median T, seconds; all 0: the workload doesn't say
  double compute = 0, communication = 0, rest = 0;
  static constexpr auto fields() {
    using T = NightParts;
    return described(KP_NAMED(compute, communication), field("imbalance", &T::rest));
  }
};

struct GateHistory {
  std::vector<std::string> nights;             // ids of studies, tonight last
  std::vector<std::string> builds;             // beside them: hashes of programs; "": not recorded
  std::vector<GateSeries> series;              // points of tonight
  std::vector<std::vector<NightParts>> parts;  // by series and night
  std::string changed;  // what of the environment differs from the night before; "": nothing
  std::vector<std::string> failed;  // points of tonight with a failed run
  std::string state = "finished";   // of tonight's study
  int runs = 0, runs_to_go = 0;     // of it
};

// `tonight` has the points; its own night is the segment's last.
GateHistory make_history(const Segment& segment, const StudyEvidence& tonight);

// Which part of T grew most. None: it did not grow, or nobody knows.
std::optional<MovedTerm> moved_term(const GateHistory& history, const GateFinding& finding);
// The same of parts of a growth that are known.
std::optional<MovedTerm> largest_growth(const NightParts& growth);

// The changes of the level, oldest first; tonight's level is since the last.
std::vector<LevelChange> all_changes(const GateHistory& history, const GateFinding& finding);

// What of it made a finding slower, and since when: fills in those members of the answer.
void explain(const GateHistory& history, GateAnswer& answer);

bool belongs(const GateSeries& series, const GateFinding& finding);

}  // namespace kneepoint
