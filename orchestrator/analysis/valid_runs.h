// SPDX-License-Identifier: Apache-2.0
//
// Which runs enter a number: the one definition that summaries, analyses and rounds share.
#pragma once

#include <string>
#include <vector>

#include "orchestrator/analysis/curves.h"
#include "orchestrator/model/evidence.h"

namespace kneepoint {

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

}  // namespace kneepoint
