// SPDX-License-Identifier: Apache-2.0
//
// One curve: its times, and all that is computed from them and from the details of its runs.
#pragma once

#include "orchestrator/analysis/curves.h"
#include "orchestrator/analysis/study_analysis.h"

namespace kneepoint {

// `curve` is the summary of `members`. options.bootstrap is used as it is.
CurveAnalysis analyse_curve(const StudyEvidence& evidence, const CurveMembers& members,
                            const Curve& curve, const AnalysisOptions& options);

// From the last point's breakdown when that is consistent, else from the best model's terms; none
// when nothing is lost or neither is there.
std::optional<LossShares> loss_shares(const Curve& curve, const CurveAnalysis& analysis);

}  // namespace kneepoint
