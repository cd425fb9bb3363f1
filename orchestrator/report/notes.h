// SPDX-License-Identifier: Apache-2.0
//
// What a reader must know before believing the tables, and whether the study is red. Nothing here
// depends on wall-clock time or on the number of attempts.
#pragma once

#include <string>
#include <vector>

#include "orchestrator/analysis/statistics/summary.h"

namespace kneepoint {

std::vector<std::string> notes_of(const StudyEvidence& study, const StudySummary& summary,
                                  const std::vector<std::string>& labels);

// "" when the study is not red. A study that still runs is red only for points that are all failed.
std::string red_reason_of(const StudyEvidence& study, const StudySummary& summary,
                          const std::vector<std::string>& labels);

}  // namespace kneepoint
