// SPDX-License-Identifier: Apache-2.0
//
// A study with everything that a report can say, put together by hand: what the goldens of the
// detail tables draw, whatever the analysis makes of real runs.
#pragma once

#include "orchestrator/report/document.h"

namespace kneepoint {

StudyEvidence full_study();
StudyAnalysis full_analysis(const StudyEvidence& study);
Document full_document();  // of both

}  // namespace kneepoint
