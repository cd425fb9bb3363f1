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

// Which curve of a study.
struct CurveName {
  std::string build, case_name, shape_name;
  Mode mode = Mode::strong;
  // What tells it from another curve of the same name ("cpu.model=..."), or from runs set apart; ""
  // when nothing does: runs of different provenance are never averaged.
  std::string provenance;

  // Whatever the mode.
  bool is_same_case(const CurveName& other) const {
    return build == other.build && case_name == other.case_name && shape_name == other.shape_name &&
           provenance == other.provenance;
  }
};

struct CurveMembers : CurveName {
  std::vector<int> points;               // indexes of StudyEvidence::points, K ascending
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

// ---- Which runs enter a number: the one definition that summaries, analyses and rounds share.

// It succeeded, with a time that is positive and finite.
bool counts(const RunEvidence& run);
// It counts, and its provenance is that of the curve.
bool counts_on(const CurveMembers& curve, const RunEvidence& run);

std::vector<const RunEvidence*> valid_runs(const CurveMembers& curve, const PointEvidence& point);
std::vector<double> valid_seconds(const CurveMembers& curve, const PointEvidence& point);

// Runs that succeeded with a time that no analysis can use, one sentence each, naming the run.
std::vector<std::string> unusable_times(const CurveMembers& curve, const StudyEvidence& evidence);

// Its detail, when it was read; else nullptr.
const RunDetail* detail_of(const PointEvidence& point, const RunEvidence& run);
// Those of the valid runs that have one.
std::vector<const RunDetail*> valid_details(const CurveMembers& curve, const PointEvidence& point);

}  // namespace kneepoint
