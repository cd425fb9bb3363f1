// SPDX-License-Identifier: Apache-2.0
//
// Runs of different provenance (two node types, two programs) are never averaged: a curve that
// mixes them becomes one curve for each, or leaves the fewer aside and says so.
#pragma once

#include <string>
#include <vector>

#include "orchestrator/analysis/curves.h"

namespace kneepoint {

// "cpu.model=A; program=x" as parts that differ between the texts, one for each text: what tells it
// from the others. A text that has nothing of its own is "provenance not recorded".
std::vector<std::string> what_differs(const std::vector<std::string>& texts);

// One curve for each provenance that has two K (or its K, when the curve has no second); runs of
// all others are set apart. The first has the smallest K0, then the most runs. Points without a
// valid run stay with it.
std::vector<CurveMembers> split_by_provenance(const StudyEvidence& evidence, CurveMembers curve);

}  // namespace kneepoint
