// SPDX-License-Identifier: Apache-2.0
//
// One sitting of the engine at a chosen study: takes the lease, shows progress,
// and gives back how it ended. For `run` and for what other commands measure by themselves.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "orchestrator/answers/choose_study.h"
#include "orchestrator/answers/loading.h"
#include "orchestrator/base/result.h"
#include "orchestrator/cli/shell/session.h"
#include "orchestrator/engine/engine.h"
#include "orchestrator/report/document.h"

namespace kneepoint::cli {

struct DriveOptions {
  std::string database;             // its path
  int concurrent = 0;               // allocations at once; 0: as the site has it
  std::optional<StudyPrice> price;  // what runs are billed by
  std::optional<SitePrice> kept;    // put into the study
  std::function<void()> announce;   // once the study is ours; empty: nothing to say
};

Result<EngineOutcome> drive_study(Session& session, StudyStore& store, const Site& site,
                                  const SiteAccess& access, const Study& study,
                                  const ChosenStudy& chosen, const DriveOptions& drive);

// Pure. Lines of at most style.width columns: bar and counts, time and node-hours, the table of
// efficiency so far (as report/terminal/operating.h writes it), what happened last, why nothing
// runs.
std::string to_live_text(const Progress& progress, const std::string& efficiency_table,
                         const TerminalStyle& style);

// "40 of 40 runs done, 1 failed; 12.3 s, 0.0034 node-hours": the last line of a run without a
// terminal.
std::string to_summary_line(const Progress& progress);

}  // namespace kneepoint::cli
