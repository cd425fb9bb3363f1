// SPDX-License-Identifier: Apache-2.0
//
// What must be measured in turns, the pinned build and the night's own, to settle what is suspect;
// and what was measured so, as the gate takes it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "orchestrator/analysis/gate/gate.h"
#include "orchestrator/model/baseline.h"
#include "orchestrator/model/evidence.h"

namespace kneepoint {

// Labels of the two builds.
inline constexpr char kPinnedBuild[] = "pinned";
inline constexpr char kTonightsBuild[] = "tonight";

// Ten pairs at a point of its own, five at every K of a curve.
struct TurnsWanted {
  std::string key;
  int pairs = 10;
};
// Empty: nothing is suspect, or what failed or ran elsewhere has nothing to confirm.
std::vector<TurnsWanted> turns_wanted(const std::vector<GateSeries>& series,
                                      const GateAnswer& answer);

// Why nothing is measured, a sentence; "": it is.
std::string why_no_turns(const GateAnswer& answer, const std::vector<TurnsWanted>& wanted,
                         const std::optional<Baseline>& baseline);

// Of all points those that are wanted, with as many repeats as pairs.
void keep_wanted(const std::vector<TurnsWanted>& wanted, std::vector<Point>& points);

// The pairs under the names that the night's points have.
std::vector<ConfirmedPoint> turns_of(const StudyEvidence& measured,
                                     const std::vector<TurnsWanted>& wanted);

// Was what was measured as the night's build another program than the night ran? Where either was
// not recorded nobody knows, and it counts as the same.
bool is_other_program(const StudyEvidence& night, const StudyEvidence& measured);

}  // namespace kneepoint
