// SPDX-License-Identifier: Apache-2.0
//
// How `run` and `report` analyse a study: with the cores of this machine. The answer is the same
// with any number of them.
#pragma once

#include "orchestrator/analysis/study_analysis.h"
#include "orchestrator/answers/prices.h"
#include "orchestrator/report/document.h"

namespace kneepoint::cli {

AnalysisOptions analysis_options();

// The report of a study, with what its results cost where prices and times are known.
Document priced_document(StudyEvidence evidence, const std::optional<Prices>& prices,
                         const GateOptions& builds = {});

// The same of a stored study, all its details read.
Result<Document> document_of(StudyStore& store, const StudyRow& row,
                             const std::optional<Prices>& prices);

}  // namespace kneepoint::cli
