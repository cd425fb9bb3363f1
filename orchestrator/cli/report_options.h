// SPDX-License-Identifier: Apache-2.0
//
// How `run` and `report` analyse a study: with the cores of this machine. The answer is the same
// with any number of them.
#pragma once

#include "orchestrator/analysis/study_analysis.h"

namespace kneepoint::cli {

AnalysisOptions analysis_options();

}  // namespace kneepoint::cli
