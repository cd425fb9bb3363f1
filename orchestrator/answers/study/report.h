// SPDX-License-Identifier: Apache-2.0
//
// What a report is made from: a study with its analysis and, where prices and times are known, what
// its results cost. report/document.h draws it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "orchestrator/analysis/study_analysis.h"
#include "orchestrator/answers/context.h"
#include "orchestrator/answers/prices.h"
#include "orchestrator/base/result.h"
#include "orchestrator/cost/cost_curve.h"

namespace kneepoint {

// With the cores of this machine; the answer is the same with any number of them.
AnalysisOptions analysis_options();
// The same with a study's seed, as whatever is resampled for its costs wants it.
AnalysisOptions analysis_options(const StudyEvidence& evidence);

struct ReportAnswer {
  StudyEvidence study;
  StudyAnalysis analysis;
  std::optional<Prices> prices;  // none: not known, or the study has no times
  std::vector<CostCurve> costs;  // by those prices
};

// `builds`: what two builds are judged by.
ReportAnswer analyse_priced(StudyEvidence evidence, const std::optional<Prices>& prices,
                            const GateOptions& builds = {});

struct ReportRequest {
  std::string study;  // as typed; "": the newest
  PriceChoice prices;
};
// The same of a stored study, all its details read. Thresholds for builds are the stored plan's.
Result<ReportAnswer> report_study(const Context& context, const ReportRequest& request);

}  // namespace kneepoint
