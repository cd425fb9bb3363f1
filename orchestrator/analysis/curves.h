// SPDX-License-Identifier: Apache-2.0
//
// Which points make one curve: build × case × mode × shape family, whatever the node count.
#pragma once

#include <string>
#include <vector>

#include "orchestrator/model/evidence.h"

namespace kneepoint {

struct CurveMembers {
  std::string build, case_name, shape_name;
  Mode mode = Mode::strong;
  std::vector<int> points;  // indexes of StudyEvidence::points, K ascending
};

// In the order in which the plan first names them. Ranks per node tell families apart only where
// the plan lists several for one K; a K that has one shape only belongs to every family.
std::vector<CurveMembers> group_curves(const StudyEvidence& evidence);

}  // namespace kneepoint
