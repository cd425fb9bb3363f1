// SPDX-License-Identifier: Apache-2.0
//
// The efficiencies so far, for the progress view: three lines per curve, K from left to right.
#pragma once

#include <string>

#include "orchestrator/analysis/statistics/summary.h"
#include "orchestrator/report/document.h"

namespace kneepoint {

// At most `max_lines` lines, each ending in a newline; the last then says what was left out.
std::string to_live_table(const StudySummary& summary, const TerminalStyle& style,
                          int max_lines = 18);

}  // namespace kneepoint
