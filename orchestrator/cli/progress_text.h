// SPDX-License-Identifier: Apache-2.0
//
// The progress of a study as text. Pure: what the live view shows is a function of what is known.
#pragma once

#include <string>

#include "orchestrator/engine/engine.h"
#include "orchestrator/report/document.h"

namespace kneepoint::cli {

// Lines of at most style.width columns: bar and counts, time and node-hours, the table of
// efficiency so far (as report/terminal/live_table.h writes it), what happened last, why nothing
// runs.
std::string to_live_text(const Progress& progress, const std::string& efficiency_table,
                         const TerminalStyle& style);

// "40 of 40 runs done, 1 failed; 12.3 s, 0.0034 node-hours": the last line of a run without a
// terminal.
std::string to_summary_line(const Progress& progress);

// "[#####-----]", `width` columns in all.
std::string bar(int done, int total, int width);

}  // namespace kneepoint::cli
