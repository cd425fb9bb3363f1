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
    return described(field("compute", &T::compute), field("communication", &T::communication),
                     field("imbalance", &T::rest));
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

// Which part of T grew most since the nights before, with its share of the growth: "communication",
// "imbalance and waiting", "compute", of a strong curve also "serial" (compute that doesn't shrink
// with K). Where the workload doesn't say, by the shape of the growth over K. None: it did not
// grow, or nobody knows.
struct MovedTerm {
  std::string name;
  double share = 0;
  bool by_shape = false;
  static constexpr auto fields() {
    return described(field("part", &MovedTerm::name), field("share", &MovedTerm::share));
  }
};
std::optional<MovedTerm> moved_term(const GateHistory& history, const GateFinding& finding);
// The same of parts of a growth that are known.
std::optional<MovedTerm> largest_growth(const NightParts& growth);

// The changes of the level, oldest first.
struct DatedChange {
  std::size_t night = 0;  // first of the new level
  double ratio = 1;       // of the new level to the one before
};
std::vector<DatedChange> all_changes(const GateHistory& history, const GateFinding& finding);
// The last of them, which tonight's level is since; none: no change is dated.
std::optional<DatedChange> last_change(const GateHistory& history, const GateFinding& finding);

bool belongs(const GateSeries& series, const GateFinding& finding);

}  // namespace kneepoint
