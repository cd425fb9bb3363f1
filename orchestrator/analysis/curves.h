// SPDX-License-Identifier: Apache-2.0
//
// Which points make one curve: build × case × mode × shape family, whatever the node count, and of
// one provenance.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "orchestrator/model/evidence.h"

namespace kneepoint {

struct CurveMembers {
  std::string build, case_name, shape_name;
  Mode mode = Mode::strong;
  std::vector<int> points;  // indexes of StudyEvidence::points, K ascending
  // What tells it from another curve of the same name, or from runs set apart; "" when nothing
  // does.
  std::string provenance;
  std::optional<std::string> runs_with;  // only runs of this RunEvidence::provenance are on it
  std::vector<std::string> apart;        // sentences: which runs are not on it, and why
};

// In the order in which the plan first names them. Ranks per node tell families apart only where
// the plan lists several for one K; a K that has one shape only belongs to every family.
// Curves that mix provenance are split: see below.
std::vector<CurveMembers> group_curves(const StudyEvidence& evidence);

// ---- Runs of different provenance (two node types, two programs) are never averaged: a curve that
// mixes them becomes one curve for each, or leaves the fewer aside and says so.

// "cpu.model=A; program=x" as parts that differ between the texts, one for each text: what tells it
// from the others. A text that has nothing of its own is "provenance not recorded".
std::vector<std::string> what_differs(const std::vector<std::string>& texts);

// One curve for each provenance that has two K (or its K, when the curve has no second); runs of
// all others are set apart. The first has the smallest K0, then the most runs. Points without a
// valid run stay with it.
std::vector<CurveMembers> split_by_provenance(const StudyEvidence& evidence, CurveMembers curve);

}  // namespace kneepoint
